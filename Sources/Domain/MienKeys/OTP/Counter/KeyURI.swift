/// An `otpauth://…` URI, which an authenticator app reads from a QR code. Contains the secret.
public struct KeyURI: Sendable {
    public enum Kind: Sendable, Hashable {
        case hotp(HOTP, counter: UInt64)
        /// Apps support no epoch other than 1970; a TOTP with another epoch is refused.
        case totp(TOTP)
    }

    public let text: String
    public let kind: Kind
    public let secret: OTPSecret

    /// - Parameters:
    ///   - issuer: the service that the code is for; shown above it.
    ///   - account: the user's name at the service.
    public init(_ kind: Kind, secret: OTPSecret, issuer: String, account: String) throws(OTPError) {
        let (name, hotp, last): (String, HOTP, String)
        switch kind {
        case .hotp(let parameters, let counter):
            (name, hotp, last) = ("hotp", parameters, "counter=\(counter)")
        case .totp(let totp):
            guard totp.epoch == 0 else {
                throw OTPError(.time, "authenticator apps support only the epoch 1970")
            }
            (name, hotp, last) = ("totp", totp.hotp, "period=\(totp.stepSeconds)")
        }
        let issuer = Self.escaped(issuer)
        (self.kind, self.secret) = (kind, secret)
        text =
            "otpauth://\(name)/\(issuer):\(Self.escaped(account))?secret=\(secret.base32)&issuer=\(issuer)&algorithm=\(hotp.hash.rawValue)"
            + "&digits=\(hotp.digits)&\(last)"
    }

    /// Escapes everything but letters, digits, and `-._~` (RFC 3986), so that a colon or an
    /// ampersand in a name is not taken for a separator.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: text.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                    [byte]
                default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }, as: UTF8.self)
    }
}

extension KeyURI: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
