internal import MienAPI
internal import MienCore
internal import MienKeys
internal import MienStore

/// The one-time codes of an authenticator app: TOTP with the parameters that every app supports.
enum AuthenticatorApp {
    private static let totp = try! TOTP()
    /// The number of bytes of a secret, RFC 4226 R6.
    private static let size = 20

    static func newSecret() -> Sensitive<[UInt8]> {
        var generator = SystemRandomNumberGenerator()
        return Sensitive(OTPSecret.random(using: &generator).bytes)
    }

    /// Returns what the page shows once.
    ///
    /// - Parameters:
    ///   - portal: The host of the portal, shown above the code.
    ///   - name: The administrator's name.
    static func answer(_ secret: Sensitive<[UInt8]>, portal: String, name: String) throws
        -> AuthenticatorAppAnswer
    {
        let secret = try secret.use { try OTPSecret(bytes: $0) }
        let uri = try KeyURI(
            .totp(totp), secret: secret, issuer: "Mien \(portal)", account: name)
        guard let code = QRCode(uri.text) else { throw Problem(.serverError) }
        return AuthenticatorAppAnswer(
            secret: secret.base32, uri: uri.text,
            qrCode: QRCodeAnswer(size: code.size, path: code.path))
    }

    /// Returns the time step of a code that is right and was not used before.
    ///
    /// - Parameter method: `nil` for nobody's. The check takes as long.
    static func step(of code: OneTimeCode?, _ method: AdminMethodRecord?, at now: Instant)
        -> UInt64?
    {
        let nobody = Sensitive([UInt8](repeating: 0, count: size))
        return step(
            of: code, method?.content ?? nobody, lastStep: method?.lastStep, at: now
        ).flatMap { method == nil ? nil : $0 }
    }

    /// Returns the time step of a right code of a secret that is being set up.
    static func step(
        of code: OneTimeCode?, _ secret: Sensitive<[UInt8]>, lastStep: UInt64? = nil,
        at now: Instant
    ) -> UInt64? {
        guard let code, var verifier = try? TOTPVerifier(lastStep: lastStep),
            let secret = try? secret.use({ try OTPSecret(bytes: $0) }),
            case .accepted(let step) = verifier.verify(code, totp, with: secret, at: now)
        else { return nil }
        return step
    }
}
