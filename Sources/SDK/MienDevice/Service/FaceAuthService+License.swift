internal import MienCore
public import MienKeys

extension FaceAuthService {
    /// Whether this device may be used: it has a valid license or needs none. Contacts no server.
    ///
    /// - Throws: ``FaceAuthError`` `.storage`, `.bindingUnavailable` if the machine id cannot be
    ///   read.
    public func isLicenseConfigured() throws -> Bool {
        guard licensing != nil else { return true }
        return try licenseVerdict()?.isValid ?? false
    }

    /// Returns the verdict on this device's license; `nil` if it has none or needs none. Stores the
    /// latest time at which it was called, to the hour, so setting the clock back extends a license
    /// by an hour at most.
    public func licenseVerdict() throws -> License.Verdict? {
        guard let licensing else { return nil }
        let now = licensing.now()
        guard let kept = try license.read(at: now) else { return nil }
        return License.judge(
            kept.text, signedBy: kept.key, product: licensing.product, device: try device(),
            at: now, latestSeen: kept.latestSeen)
    }

    /// Gets a license and stores it in place of an earlier one. Does nothing if none is needed.
    ///
    /// - Parameter exchange: Returns a license for a device with the given identifier and the key
    ///   to verify it, from the operator's server over TLS.
    /// - Throws: errors of `exchange`; ``FaceAuthError`` `.notLicensed` if the new license is not
    ///   valid here and now. The earlier one then stays.
    public func configureLicense(
        _ exchange:
            @Sendable (_ device: String) async throws -> (text: String, key: DevicePublicKey)
    ) async throws {
        guard let licensing else { return }
        let device = try device(), (text, key) = try await exchange(device), now = licensing.now()
        let verdict = License.judge(
            text, signedBy: key, product: licensing.product, device: device, at: now)
        guard verdict.isValid else { throw Self.unlicensed(verdict) }
        try license.write(text, key, at: now)
    }

    private func device() throws -> String { Base64URL.encode(try binding.deviceMark()) }

    /// - Throws: ``FaceAuthError`` `.tampered`, `.notLicensed`.
    func requirePermission() throws {
        try integrity.check()
        guard licensing != nil else { return }
        let verdict = try licenseVerdict()
        guard verdict?.isValid == true else { throw Self.unlicensed(verdict) }
    }

    private static func unlicensed(_ verdict: License.Verdict?) -> FaceAuthError {
        let why =
            switch verdict {
            case nil, .valid: "This device has no license."
            case .expired: "This device's license has expired."
            case .clockBehind:
                "This device's clock shows a time before its license was issued, or before a time it has already shown. Set the clock."
            case .otherDevice: "The license is for another device."
            case .otherProduct: "The license is for another product."
            case .notGenuine: "The license was changed or is malformed."
            }
        return FaceAuthError(.notLicensed, "\(why) Configure a license with a product key.")
    }
}
