/// Rules that turn the results of checks into a recommendation. Operators read and change them as
/// JSON.
///
///     {"version": "standard-1",
///      "rules": [
///        {"when": {"any": "failed"}, "then": "DENY"},
///        {"when": {"every": "passed"}, "then": "ALLOW"}],
///      "otherwise": "CHALLENGE"}
///
/// The first rule that applies answers. ``findings()`` rejects rules under which a passed check
/// outvotes a failed one.
public struct RecommendationRules: Sendable, Hashable {
    /// The maximum number of rules.
    public static let maxRules = 32
    /// The maximum number of checks that rules may name. ``findings()`` tries all of their results.
    public static let maxNamedChecks = 4

    /// A condition on results: all of its parts must hold.
    public struct Condition: Sendable, Hashable {
        /// The results that a check may have. A check that does not apply has none of them.
        public let named: [IdentityCheckName: Set<IdentityCheckResult>]
        /// At least one check has one of these results.
        public let any: Set<IdentityCheckResult>?
        /// At least one check applies, and each has one of these results.
        public let every: Set<IdentityCheckResult>?
    }

    public struct Rule: Sendable, Hashable {
        public let when: Condition
        public let then: IdentityRecommendation
    }

    /// The version that evidence names, 1 to 64 characters.
    public let version: String
    public let rules: [Rule]
    public let otherwise: IdentityRecommendation

    /// Denies after a failed check, allows if every check passed, and otherwise asks a person.
    public static let standard = RecommendationRules(
        version: "standard-1",
        rules: [
            Rule(when: Condition(named: [:], any: [.failed], every: nil), then: .deny),
            Rule(when: Condition(named: [:], any: nil, every: [.passed]), then: .allow),
        ], otherwise: .challenge)

    init(version: String, rules: [Rule], otherwise: IdentityRecommendation) {
        (self.version, self.rules, self.otherwise) = (version, rules, otherwise)
    }

    /// The answer of the first rule that applies.
    public func answer(to checks: IdentityChecks) -> IdentityRecommendation {
        let occurring = Set(checks.results.values)
        return rules.first { $0.when.holds(checks.results, occurring: occurring) }?.then
            ?? otherwise
    }
}

extension RecommendationRules.Condition {
    /// - Parameter occurring: the results of all checks.
    func holds(
        _ results: [IdentityCheckName: IdentityCheckResult], occurring: Set<IdentityCheckResult>
    ) -> Bool {
        named.allSatisfy { name, allowed in results[name].map(allowed.contains) ?? false }
            && any.map { !$0.isDisjoint(with: occurring) } ?? true
            && every.map { !occurring.isEmpty && occurring.isSubset(of: $0) } ?? true
    }
}
