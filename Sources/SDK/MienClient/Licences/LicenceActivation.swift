public import MienAPI
public import MienCore
public import MienKeys

/// A licence as a server gave it, and the key to check it with.
public struct IssuedLicence: Sendable {
    public let text: String
    public let key: DevicePublicKey
}

/// Exchanges product keys for licences.
public struct LicenceActivation: Sendable {
    private let connection: Connection

    /// - Throws: ``MienError`` `.invalidInitializationOptions`.
    public init(_ options: MienOptions) throws(MienError) {
        connection = try options.connection { try await Task.sleep(for: $0) }
    }

    /// A licence for a device; again, it is a new one, and counts once.
    ///
    /// - Parameter device: what the device calls itself, 43 characters of base64url.
    /// - Throws: ``MienError`` `.invalidCredentials` for a key that is not good; a `conflict` when
    ///   as many devices as may were activated.
    public func activate(_ productKey: Sensitive<String>, device: String) async throws
        -> IssuedLicence
    {
        let request = productKey.use { LicenceRequest(productKey: $0, device: device) }
        let answer: LicenceAnswer = try await connection.json(
            .init(method: .post, path: ["v1", "licences"], body: Connection.encode(request)))
        guard let key = try? DevicePublicKey(jwk: answer.publicKey) else {
            throw MienError(
                .serverError, "the server's licence is not as it should be", mayHaveArrived: true)
        }
        return IssuedLicence(text: answer.licence, key: key)
    }
}

// MARK: Product keys

extension MienAdmin {
    public func productKeys() async throws -> [ProductKeyAnswer] {
        try await (get("product-keys") as Page<ProductKeyAnswer>).items
    }
    /// With the key itself, told once.
    public func makeProductKey(_ wanted: ProductKeyRequest) async throws -> ProductKeyAnswer {
        try await send(.post, "product-keys", body: wanted, isRepeatable: false)
    }
    /// No device is activated with it any more.
    public func revokeProductKey(_ id: String) async throws {
        try await act(.delete, "product-keys", id)
    }
}
