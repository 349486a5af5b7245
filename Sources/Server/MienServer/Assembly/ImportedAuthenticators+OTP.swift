internal import MienAPI
internal import MienCore
internal import MienKeys

extension ImportedAuthenticators {
    /// The length of the shortest secret of an authenticator app, in bytes: many sites show 80 bits.
    private static let minSecretBytes = 10

    /// Reads the secrets of authenticator apps: an `otpauth` URI, or a base32 secret with the
    /// parameters that apps assume (SHA-1, six digits, 30 seconds).
    static let otp = ImportedAuthenticators(
        read: { text throws(ImportFault) in
            do throws(OTPError) { return try app(text) } catch {
                throw ImportFault(ImportedPerson.Field.otp.rawValue, "is invalid: \(error.reason)")
            }
        }, registration: { OTPService.newRegistrationID() })

    private static func app(_ text: String) throws(OTPError) -> App {
        let uri =
            if KeyURI.isMeant(by: text) { try KeyURI(parsing: text) } else {
                try KeyURI(
                    .totp(TOTP()), secret: OTPSecret(base32: text), issuer: "", account: "")
            }
        guard uri.secret.bytes.count >= minSecretBytes else {
            throw OTPError(
                .secret, "a secret must have at least \(minSecretBytes) bytes, 16 base32 letters")
        }
        let token = OTPToken(imported: uri)
        var position: Int64 = 0
        if case .hotp(_, let counter) = uri.kind {
            guard counter < UInt64(Int64.max) else {
                throw OTPError(.secret, "the counter must be below two to the power of 63")
            }
            position = Int64(counter)
        }
        return App(
            content: token.content,
            info: [
                "kind": .string(token.kind.rawValue), "digits": .number(Double(token.digits)),
                "name": "Authenticator app", "os": "",
            ], position: position)
    }
}
