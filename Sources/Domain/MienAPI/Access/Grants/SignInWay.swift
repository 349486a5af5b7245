public import MienCore

/// One way in which a user could prove who they are: a type of authenticator that the account has.
public struct SignInWay: Sendable, Hashable {
    public let type: AuthenticatorType
    /// The `amr` values that a sign-in with it adds. Empty if it raises no assurance.
    public let methods: Set<String>

    public init(_ type: AuthenticatorType, methods: Set<String>) {
        (self.type, self.methods) = (type, methods)
    }

    /// Returns the combinations of ways that lead from what is proved to what a change needs: each
    /// without a way that it could do without, the shortest first.
    ///
    /// - Parameters:
    ///   - proved: The `amr` values that count already.
    ///   - needed: The assurance that the change requires; `none` if any one sign-in will do.
    /// - Returns: Nothing if the ways do not lead there.
    public static func combinations(
        of ways: [SignInWay], beside proved: Set<String>, reaching needed: AssuranceLevel
    ) -> [[SignInWay]] {
        guard needed > .none else { return ways.map { [$0] } }
        var found: [[SignInWay]] = []
        // A combination of more than two never helps: two kinds of proof are the most that is asked.
        for size in 1...2 {
            for combination in choices(of: size, among: ways) {
                let methods = combination.reduce(into: proved) { $0.formUnion($1.methods) }
                guard AuthenticationContext.assurance(of: methods) >= needed,
                    !found.contains(where: { Set($0).isSubset(of: combination) })
                else { continue }
                found.append(combination)
            }
        }
        return found
    }

    private static func choices(of size: Int, among ways: [SignInWay]) -> [[SignInWay]] {
        guard size > 0 else { return [[]] }
        return ways.indices.flatMap { index in
            choices(of: size - 1, among: Array(ways[(index + 1)...])).map { [ways[index]] + $0 }
        }
    }
}
