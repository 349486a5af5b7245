/// `acr`: how many different kinds of proof a sign-in rested on.
public enum AuthenticationContext {
    private static let known: Set = ["pwd", "pin"], had: Set = ["hwk", "pop", "otp", "sms"], been: Set = ["face", "fpt", "x_biometric"]

    /// - Parameter methods: `amr`.
    /// - Returns: `2` when something known, something had and something the person is come together, two of them at least, or a method says
    ///   that it is several; else `1`.
    public static func of(_ methods: some Sequence<String>) -> String {
        let methods = Set(methods)
        // RFC 8176: one that is several by itself, such as a passkey whose authenticator asked for a PIN or a finger.
        if methods.contains("mfa") { return "2" }
        return [known, had, been].count { !methods.isDisjoint(with: $0) } >= 2 ? "2" : "1"
    }
}
