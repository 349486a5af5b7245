/// A private key that cannot be exported: in a TPM, a Secure Enclave, or a key store.
public protocol DeviceSigner: Sendable {
    var publicKey: DevicePublicKey { get }

    /// Signs `message`, hashed according to ``DevicePublicKey/algorithm``. ES256 signatures are
    /// raw, r ‖ s.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}
