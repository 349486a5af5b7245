internal import MienCore
internal import MienIdentity

/// Reads any bytes as rules of identity verification, and judges the results of checks with them.
///
/// Must hold: accepted rules stay the same when written and read again; whatever they say, a failed
/// check, no passed check, or a face that was not live is never allowed.
func fuzzRules(_ bytes: [UInt8]) {
    guard let rules = try? RecommendationRules(json: bytes) else { return }
    guard let again = try? RecommendationRules(rules.json) else {
        preconditionFailure("written rules cannot be read")
    }
    precondition(again == rules)
    _ = rules.findings()
    for name in IdentityCheckName.all.prefix(4) {
        for result in IdentityCheckResult.allCases {
            let checks = IdentityChecks([name: result, .live: result])
            let isAllowed = rules.recommendation(for: checks) == .allow
            precondition(!isAllowed || result == .passed)
        }
    }
    precondition(rules.recommendation(for: IdentityChecks()) != .allow)
}
