#if canImport(MienTPM)
internal import MienCore
public import MienOTP

/// A token as a server gave it, to be kept.
public struct OTPTokenDefinition: Sendable {
    public enum Kind: Sendable, Hashable {
        case totp(TOTP)
        case hotp(HOTP, firstCounter: UInt64)
    }

    /// The authenticator's id on the server.
    public let id: String
    public let app: String
    /// Where it is good; shown, and asked when the token is upgraded.
    public let server: String?
    public let kind: Kind
    public let signatureSuite: OCRASuite
    public let secret: OTPSecret

    /// - Throws: ``OTPTokenError`` `.secret` unless `secret` has 32 bytes: at one length no wrong
    ///   PIN gives itself away.
    public init(
        id: String, app: String, server: String?, kind: Kind, signatureSuite: OCRASuite,
        secret: OTPSecret
    ) throws(OTPTokenError) {
        guard secret.bytes.count == PINCipher.secretSize else {
            throw OTPTokenError(
                .secret,
                "a token's secret has \(PINCipher.secretSize) bytes, this one has \(secret.bytes.count)"
            )
        }
        (self.id, self.app, self.server, self.kind, self.signatureSuite, self.secret) = (
            id, app, server, kind, signatureSuite, secret
        )
    }
}
#endif
