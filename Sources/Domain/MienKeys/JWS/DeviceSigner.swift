/// A private key that never shows itself: in a TPM, a Secure Enclave, a key store.
public protocol DeviceSigner: Sendable {
    var publicKey: DevicePublicKey { get }

    /// Signs `message`, hashing it as ``DevicePublicKey/algorithm`` says. ES256 signatures are raw,
    /// r ‖ s.
    func sign(_ message: [UInt8]) async throws -> [UInt8]
}
