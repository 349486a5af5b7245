public import Crypto
internal import Foundation
public import MienCore

extension OTPTokenAnswer {
    /// Decrypts the secret that the server encrypted to a device's key: HPKE (RFC 9180) with P-256,
    /// HKDF-SHA256, AES-256-GCM. On Apple's systems this is CryptoKit's HPKE, hence their versions.
    ///
    /// - Parameter key: the private half of the public key that the server received.
    /// - Throws: an error that reveals nothing about the secret, if the message is malformed, too
    ///   long, changed, or for another key, app, or token.
    @available(iOS 17, macOS 14, *)
    public func secret(with key: P256.KeyAgreement.PrivateKey) throws -> Sensitive<[UInt8]> {
        guard encapsulatedKey.utf8.count <= Self.maxMessageCharacters,
            encryptedSecret.utf8.count <= Self.maxMessageCharacters,
            let encapsulated = Base64URL.decode(encapsulatedKey),
            let ciphertext = Base64URL.decode(encryptedSecret)
        else { throw MalformedMessage() }
        var recipient = try HPKE.Recipient(
            privateKey: key, ciphersuite: .P256_SHA256_AES_GCM_256,
            info: Data(Self.info(app: appID, token: tokenID)),
            encapsulatedKey: Data(encapsulated))
        return Sensitive([UInt8](try recipient.open(Data(ciphertext))))
    }

    /// A point has 65 bytes, a secret at most 64, and a tag 16.
    private static let maxMessageCharacters = 256
}

/// The message is not base64url, or is longer than a secret can be.
struct MalformedMessage: Error {}
