internal import MienHardware
internal import MienVault

/// Wraps the master keys with a key in a token. `docs/spec/key-ring.md` describes the bytes.
struct PKCS11KeyWrapper: KeyWrapper {
    let kind = "pkcs11"
    private let key: TokenKey

    init(_ key: TokenKey) { self.key = key }

    /// The nonce, which RSA ignores, then what the token returned.
    func wrap(_ secret: [UInt8], context: [UInt8], random: RandomSource) throws(KeyWrapperError)
        -> [UInt8]
    {
        let nonce = random.bytes(TokenKey.nonceSize)
        do { return nonce + (try key.encrypt(secret, nonce: nonce, context: context)) } catch {
            throw KeyWrapperError(error)
        }
    }

    func unwrap(_ bytes: [UInt8], context: [UInt8]) throws(KeyWrapperError) -> [UInt8] {
        guard bytes.count > TokenKey.nonceSize else {
            throw KeyWrapperError(
                code: "key.damaged", reason: "the wrapped key is too short. Restore a backup.")
        }
        do throws(TokenError) {
            let secret = try key.decrypt(
                Array(bytes.dropFirst(TokenKey.nonceSize)),
                nonce: Array(bytes.prefix(TokenKey.nonceSize)), context: context)
            guard secret.count == MasterKey.size else {
                throw TokenError(.refused, "the token returned \(secret.count) bytes, not a key")
            }
            return secret
        } catch { throw KeyWrapperError(error) }
    }
}
