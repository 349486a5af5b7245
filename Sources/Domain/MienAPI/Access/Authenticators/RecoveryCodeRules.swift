/// A set of single-use codes. They restore access, so they raise no assurance.
enum RecoveryCodeRules: AuthenticatorRules {
    /// RFC 8176 has no value for it. None of the sets of ``AuthenticationContext`` contains this
    /// one, so it never counts as a second kind of proof.
    static let method = "x_recovery_code"
    static let noun = "set of recovery codes"

    static func methods(of _: AuthenticatorFacts, through _: SignInMeans) -> Set<String> { [] }
}
