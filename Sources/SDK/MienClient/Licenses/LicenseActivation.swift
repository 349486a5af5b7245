public import MienAPI
public import MienCore
public import MienKeys

/// A license from a server, and the key to verify it with.
public struct IssuedLicense: Sendable {
    public let text: String
    public let key: DevicePublicKey
}

/// Exchanges product keys for licenses.
public struct LicenseActivation: Sendable {
    private let connection: Connection

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(_ options: MienOptions) throws(MienError) {
        connection = try options.connection { try await Task.sleep(for: $0) }
    }

    /// Returns a license for a device. Repeating it returns a new license, and the device counts
    /// once.
    ///
    /// - Parameter device: The device's identifier, 43 characters of base64url.
    /// - Throws: ``MienError`` `.invalidCredentials` for an invalid product key; a `conflict` if
    ///   the maximum number of devices is already activated.
    public func activate(_ productKey: Sensitive<String>, device: String) async throws
        -> IssuedLicense
    {
        let request = productKey.use { LicenseRequest(productKey: $0, device: device) }
        let answer: LicenseAnswer = try await connection.json(
            .init(method: .post, path: ["v1", "licences"], body: Connection.encode(request)))
        guard let key = try? DevicePublicKey(jwk: answer.publicKey) else {
            throw MienError(
                .serverError, "The server returned a malformed license.", mayHaveArrived: true)
        }
        return IssuedLicense(text: answer.license, key: key)
    }
}

// MARK: Product keys

extension MienAdmin {
    public func productKeys() async throws -> [ProductKeyAnswer] {
        try await all("product-keys")
    }
    /// Creates a product key and returns it, only this once.
    public func makeProductKey(_ wanted: ProductKeyRequest) async throws -> ProductKeyAnswer {
        try await send(.post, "product-keys", body: wanted, isRepeatable: false)
    }
    /// Revokes a product key; it activates no more devices.
    public func revokeProductKey(_ id: String) async throws {
        try await act(.delete, "product-keys", id)
    }
}
