internal import Crypto
internal import MienCore

/// The key of one backup: stretched from its passphrase, and never stored.
struct BackupKey: Sendable {
    private let key: SymmetricKey

    /// - Parameter bytes: 32 bytes from Argon2id.
    init(_ bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

    /// The key that seals the file `name`.
    func fileKey(_ name: String) -> SymmetricKey { derived("mien/v1/backup-file \(name)") }

    /// Returns the code that proves that who wrote the manifest knew the passphrase.
    func code(ofManifest bytes: [UInt8]) -> [UInt8] {
        Array(
            HMAC<SHA256>.authenticationCode(for: bytes, using: derived("mien/v1/backup-manifest")))
    }

    func isCode(_ code: [UInt8], ofManifest bytes: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: bytes, using: derived("mien/v1/backup-manifest"))
    }

    private func derived(_ info: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Array(info.utf8), outputByteCount: 32)
    }
}
