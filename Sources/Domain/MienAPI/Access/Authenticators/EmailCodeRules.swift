/// A code sent to the user's address. It proves a mailbox, so it raises no assurance.
enum EmailCodeRules: AuthenticatorRules {
    static let method = "otp"
    static let noun = "email code"
    static let article = "An"

    static func methods(of _: AuthenticatorFacts, through _: SignInMeans) -> Set<String> { [] }
}
