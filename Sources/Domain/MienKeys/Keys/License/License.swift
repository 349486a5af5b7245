public import MienCore

/// A license for a device to use a product until a time: a server's signed message (ES256) that is
/// checked offline.
public struct License: Sendable, Hashable {
    /// The message's `typ`.
    public static let type = "mien-licence+jwt"
    /// The length of a device identifier: 32 bytes in base64url.
    public static let deviceLength = 43
    /// The accepted clock difference: a device's clock may be up to a day behind. The end of a
    /// license is compared with the latest time seen: see
    /// ``judge(_:signedBy:product:device:at:latestSeen:)``.
    public static let clockTolerance = Duration.seconds(86_400)

    /// 1...64 of the characters `a-z 0-9 . -`.
    public let product: String
    public let device: String
    public let issuedAt, expiresAt: Instant

    /// The result of checking a license.
    public enum Verdict: Sendable, Hashable {
        case valid(License)
        /// The license has expired.
        case expired(License)
        /// The clock is more than a day before the license was issued, or before the latest time
        /// seen.
        case clockBehind(License)
        case otherDevice
        case otherProduct
        /// The text was changed, is signed with another key, or is not a license.
        case notGenuine

        public var isValid: Bool { if case .valid = self { true } else { false } }
    }

    /// - Parameters:
    ///   - text: the compact form.
    ///   - key: the key of the server that activated the device.
    ///   - latestSeen: the latest `now` of earlier checks. Setting the clock back does not extend a
    ///     license that had expired by then. Undetectable: a clock that is set back by less than a
    ///     day before each use.
    public static func judge(
        _ text: String, signedBy key: DevicePublicKey, product: String, device: String,
        at now: Instant, latestSeen: Instant? = nil
    ) -> Verdict {
        guard let message = try? JWS.parse(compact: text, limits: .init(maxBytes: 4096)),
            message.type == type,
            let payload = (try? message.verify(with: key))?.payload,
            let license = License(payload: payload)
        else { return .notGenuine }
        guard license.product == product else { return .otherProduct }
        guard license.device == device else { return .otherDevice }
        let seen = latestSeen ?? now
        guard max(now, seen) < license.expiresAt else { return .expired(license) }
        guard max(license.issuedAt, seen) <= now + clockTolerance else {
            return .clockBehind(license)
        }
        return .valid(license)
    }

    private init?(payload: [UInt8]) {
        guard let claims = (try? JSONText.parse(payload))?.objectValue,
            let product = claims["product"]?.stringValue,
            let device = claims["device"]?.stringValue,
            let issued = claims["iat"]?.numberValue.flatMap({ Int64(exactly: $0) }),
            let end = claims["exp"]?.numberValue.flatMap({ Int64(exactly: $0) }),
            (0..<1 << 40).contains(issued), (0..<1 << 40).contains(end), Self.isProduct(product),
            Self.isDevice(device)
        else { return nil }
        (self.product, self.device) = (product, device)
        (issuedAt, expiresAt) = (
            Instant(milliseconds: issued * 1000), Instant(milliseconds: end * 1000)
        )
    }

    public static func isProduct(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46
            }
    }

    public static func isDevice(_ text: String) -> Bool {
        text.utf8.count == deviceLength && Base64URL.decode(text)?.count == 32
    }
}
