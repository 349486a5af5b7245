internal import MienCore
public import MienOTP

/// An OTP token from a server, ready to be stored.
public struct OTPTokenDefinition: Sendable {
    public enum Kind: Sendable, Hashable {
        case totp(TOTP)
        case hotp(HOTP, firstCounter: UInt64)
    }

    /// The authenticator's id on the server.
    public let id: String
    public let app: String
    /// The server that accepts its codes. It is shown, and asked when the token is upgraded.
    public let server: String?
    public let kind: Kind
    public let signatureSuite: OCRASuite
    public let secret: OTPSecret

    /// - Throws: ``OTPTokenError`` `.secret` unless `secret` has 32 bytes. With one length for all,
    ///   no wrong PIN can be detected by the length.
    public init(
        id: String, app: String, server: String?, kind: Kind, signatureSuite: OCRASuite,
        secret: OTPSecret
    ) throws(OTPTokenError) {
        guard secret.bytes.count == PINCipher.secretSize else {
            throw OTPTokenError(
                .secret,
                "A token's secret needs \(PINCipher.secretSize) bytes; this one has \(secret.bytes.count)."
            )
        }
        (self.id, self.app, self.server, self.kind, self.signatureSuite, self.secret) = (
            id, app, server, kind, signatureSuite, secret
        )
    }
}
