/// The authentication context class, `acr`: the number of kinds of proof behind a sign-in.
public enum AuthenticationContext {
    private static let knowledge: Set = ["pwd"],
        possession: Set = ["hwk", "swk", "pop", "otp", "sms"], inherence: Set = ["face", "fpt"]

    /// - Parameter methods: `amr` values.
    /// - Returns: `2` for multi-factor sign-ins, else `1`.
    public static func of(_ methods: some Sequence<String>) -> String {
        assurance(of: methods) == .multiFactor ? "2" : "1"
    }

    /// Returns the assurance that the authentication methods add up to.
    ///
    /// Multi-factor means two of something known, something had, and something the person is; or
    /// `mfa`, a method that combines several by itself (RFC 8176), such as a passkey whose
    /// authenticator verified the user. `x_biometric` counts only next to `hwk`: without attested
    /// hardware, nothing proves that a biometric guarded the key. `pin` never counts: the device
    /// checks its PIN itself, and attested hardware that does so is `mfa`.
    public static func assurance(of methods: some Sequence<String>) -> AssuranceLevel {
        var methods = Set(methods)
        guard !methods.isEmpty else { return .none }
        if methods.isSuperset(of: ["hwk", "x_biometric"]) { methods.insert("fpt") }
        if methods.contains("mfa")
            || [knowledge, possession, inherence].count(where: { !methods.isDisjoint(with: $0) })
                >= 2
        {
            return .multiFactor
        }
        return .singleFactor
    }
}

/// The assurance of a sign-in.
public enum AssuranceLevel: Int, Sendable, Hashable, Codable, Comparable, CaseIterable {
    case none = 0
    /// `acr` 1.
    case singleFactor = 1
    /// `acr` 2.
    case multiFactor = 2

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
