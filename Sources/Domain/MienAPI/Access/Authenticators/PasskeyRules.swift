/// A WebAuthn credential. It signs in to every app, because browsers tie it to the server's domain,
/// which all apps share.
enum PasskeyRules: AuthenticatorRules {
    /// Not `hwk`: a passkey may leave the hardware it was created in.
    static let method = "pop"
    static let noun = "passkey"

    static func methods(of _: AuthenticatorFacts, through means: SignInMeans) -> Set<String> {
        means.acceptsPasskeys ? [method, "mfa"] : []
    }
}
