internal import Crypto
internal import MienCore

/// Wraps keys under a secret that the service manager gives to the server when it starts it: a
/// credential of systemd. Encrypted credentials (`systemd-creds encrypt`) are bound to the machine's
/// TPM or a key of its own, and are decrypted into memory only.
public struct CredentialKeyWrapper: KeyWrapper {
    /// The sizes of a credential in bytes. 32 random bytes are enough, in any encoding.
    public static let sizes = 32...1024
    public static let kind = "credential"

    private let key: SymmetricKey

    public var kind: String { Self.kind }

    /// Reads the credential `name` from the folder that systemd passes in `CREDENTIALS_DIRECTORY`.
    ///
    /// systemd alone decides who can read that folder, and shows that in modes and lists of access
    /// that differ between its versions, so they are not checked here.
    ///
    /// - Parameter folder: the value of the variable; `nil` if it is not set.
    /// - Throws: ``KeyWrapperError`` `key.credential-missing`, `key.credential-size`.
    public init(
        _ name: String, in folder: String?, files: any FileSystem = POSIXFileSystem()
    ) throws(KeyWrapperError) {
        guard let folder, !folder.isEmpty else {
            throw KeyWrapperError(
                code: "key.credential-missing",
                reason:
                    "CREDENTIALS_DIRECTORY is not set: start the server with systemd and LoadCredentialEncrypted=\(name) in its unit, or set key.source to file"
            )
        }
        let path = "\(folder)/\(name)"
        let found: FileContents?
        do { found = try files.read(path, atMost: Self.sizes.upperBound + 1) } catch {
            throw KeyWrapperError(code: "key.credential-missing", reason: error.description)
        }
        guard let found, found.isRegular else {
            throw KeyWrapperError(
                code: "key.credential-missing",
                reason:
                    "there is no credential \(path): add LoadCredentialEncrypted=\(name) to the server's unit, or correct key.credential"
            )
        }
        guard Self.sizes.contains(found.bytes.count) else {
            throw KeyWrapperError(
                code: "key.credential-size",
                reason:
                    "\(path) has \(found.size) bytes: a credential has \(Self.sizes.lowerBound) to \(Self.sizes.upperBound), such as those of head -c 32 /dev/urandom"
            )
        }
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: found.bytes),
            info: Array("mien/v1/credential-wrap".utf8), outputByteCount: 32)
    }

    public func wrap(_ secret: [UInt8], context: [UInt8], random: RandomSource) -> [UInt8] {
        let nonce = try! AES.GCM.Nonce(data: random.bytes(12))
        let box = try! AES.GCM.seal(secret, using: key, nonce: nonce, authenticating: context)
        return Array(nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    public func unwrap(_ bytes: [UInt8], context: [UInt8]) throws(KeyWrapperError) -> [UInt8] {
        do {
            return Array(
                try AES.GCM.open(
                    AES.GCM.SealedBox(combined: bytes), using: key, authenticating: context))
        } catch {
            throw KeyWrapperError(
                code: "key.credential-other",
                reason:
                    "the keys are wrapped under another credential than the one that systemd passed, or were changed: restore the credential that belongs to them"
            )
        }
    }
}
