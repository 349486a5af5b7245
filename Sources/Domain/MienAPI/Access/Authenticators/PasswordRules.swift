/// A secret that the user remembers. It signs in to every app.
enum PasswordRules: AuthenticatorRules {
    static let method = "pwd"
    static let noun = "password"

    static func methods(of _: AuthenticatorFacts, through _: SignInMeans) -> Set<String> {
        [method]
    }
}
