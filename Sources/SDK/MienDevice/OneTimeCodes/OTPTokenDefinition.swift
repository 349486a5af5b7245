internal import MienCore
public import MienKeys

/// An OTP token from a server, ready to be stored.
public struct OTPTokenDefinition: Sendable {
    public enum Kind: Sendable, Hashable {
        case totp(TOTP)
        case hotp(HOTP, firstCounter: UInt64)
        case cap(CAP, firstCounter: UInt16)

        /// The length of the secret. With one length per kind, no wrong PIN can be detected by the
        /// length.
        var secretSize: Int {
            if case .cap = self { return CAP.keySize }
            return PINCipher.secretSize
        }
    }

    /// The authenticator's id on the server.
    public let id: String
    public let app: String
    /// The server that accepts its codes. It is shown, and asked when the token is upgraded.
    public let server: String?
    public let kind: Kind
    /// `nil` for a CAP token, which signs without one.
    public let signatureSuite: OCRASuite?
    public let secret: OTPSecret

    /// - Throws: ``OTPTokenError`` `.secret` unless `secret` has 32 bytes, or 16 for a CAP token,
    ///   and unless every other token has a suite.
    public init(
        id: String, app: String, server: String?, kind: Kind, signatureSuite: OCRASuite?,
        secret: OTPSecret
    ) throws(OTPTokenError) {
        guard secret.bytes.count == kind.secretSize else {
            throw OTPTokenError(
                .secret,
                "The token's secret needs \(kind.secretSize) bytes; this one has \(secret.bytes.count)."
            )
        }
        let isCard = kind.secretSize == CAP.keySize
        guard isCard == (signatureSuite == nil) else {
            throw OTPTokenError(
                .secret,
                isCard
                    ? "A CAP token signs without a suite." : "The token has no suite to sign with.")
        }
        (self.id, self.app, self.server, self.kind, self.signatureSuite, self.secret) = (
            id, app, server, kind, signatureSuite, secret
        )
    }
}
