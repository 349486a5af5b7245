/// A problem of recommendation rules.
public struct RulesFinding: Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, Hashable { case error, warning }

    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Someone is allowed although a check failed.
        case failedCheckAllowed = "failed_check_allowed"
        /// A passed check makes the answer milder although another failed.
        case failedCheckOutvoted = "failed_check_outvoted"
        /// A worse result makes the answer milder.
        case worseResultRewarded = "worse_result_rewarded"
        /// Someone is allowed without a passed check.
        case allowedWithoutEvidence = "allowed_without_evidence"
        /// No results reach a rule.
        case unreachableRule = "unreachable_rule"

        public var severity: Severity { self == .unreachableRule ? .warning : .error }
    }

    public let code: Code
    /// The rule that answers, counted from 0; `nil` for `otherwise`.
    public let rule: Int?
    /// The problem, with results that show it.
    public let message: String

    public var description: String {
        "\(code.severity.rawValue) \(code.rawValue) \(rule.map { "rules[\($0)]" } ?? "otherwise"): \(message)"
    }
}

extension RecommendationRules {
    /// Tries all results that checks can have, and returns the first problem of each kind and rule.
    ///
    /// Rules without a finding of severity `error` are sound: whatever the results are, a failed
    /// check prevents `ALLOW`, and no other check makes up for it.
    public func findings() -> [RulesFinding] {
        var linter = RulesLinter(self)
        return linter.findings()
    }
}

/// A complete search. The checks that no rule names differ only in the set of their results, so their
/// number does not matter.
private struct RulesLinter {
    /// The results of the named checks, and the set of those of all others.
    struct World {
        /// In the order of ``RulesLinter/names``. `nil`: does not apply.
        var named: [IdentityCheckResult?]
        var others: Set<IdentityCheckResult>
    }

    let rules: RecommendationRules
    let names: [IdentityCheckName]
    private var found: [RulesFinding] = []
    private var reached: Set<Int> = []

    init(_ rules: RecommendationRules) {
        self.rules = rules
        names = Set(rules.rules.flatMap(\.when.named.keys)).sorted()
    }

    mutating func findings() -> [RulesFinding] {
        var world = World(named: Array(repeating: nil, count: names.count), others: [])
        visit(&world, at: 0)
        for index in rules.rules.indices where !reached.contains(index) {
            report(.unreachableRule, index, "earlier rules answer first, or nothing satisfies it")
        }
        return found
    }

    private mutating func visit(_ world: inout World, at index: Int) {
        guard index < names.count else {
            for others in Self.sets {
                world.others = others
                check(world)
            }
            return
        }
        for result in [nil] + IdentityCheckResult.allCases.map(Optional.some) {
            world.named[index] = result
            visit(&world, at: index + 1)
        }
    }

    private static let sets: [Set<IdentityCheckResult>] = (0..<16).map { bits in
        Set(
            IdentityCheckResult.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }
                .map(\.element))
    }

    private func answer(_ world: World) -> (Int?, IdentityRecommendation) {
        var results: [IdentityCheckName: IdentityCheckResult] = [:]
        for (name, result) in zip(names, world.named) { results[name] = result }
        let occurring = Set(results.values).union(world.others)
        let rule = rules.rules.firstIndex { $0.when.holds(results, occurring: occurring) }
        return (rule, rule.map { rules.rules[$0].then } ?? rules.otherwise)
    }

    private mutating func check(_ world: World) {
        let results = Set(world.named.compactMap { $0 }).union(world.others)
        let (rule, answer) = answer(world)
        if let rule { reached.insert(rule) }
        if answer == .allow, results.contains(.failed) {
            report(.failedCheckAllowed, rule, "answers ALLOW with \(text(world))")
        } else if answer == .allow, !results.contains(.passed) {
            report(.allowedWithoutEvidence, rule, "answers ALLOW with \(text(world))")
        }
        for (changed, isPass, isWorse) in neighbors(world) {
            let (other, changedAnswer) = self.answer(changed)
            guard changedAnswer < answer else { continue }
            if isWorse {
                report(
                    .worseResultRewarded, other,
                    "answers \(changedAnswer.rawValue) with \(text(changed)), but \(answer.rawValue) with \(text(world))"
                )
            } else if isPass, results.contains(.failed) {
                report(
                    .failedCheckOutvoted, other,
                    "answers \(changedAnswer.rawValue) with \(text(changed)), but \(answer.rawValue) with \(text(world))"
                )
            }
        }
    }

    /// The worlds in which one check has another result: whether it then passes without having
    /// failed before, and whether its result is worse.
    private func neighbors(_ world: World) -> [(World, isPass: Bool, isWorse: Bool)] {
        var worlds: [(World, Bool, Bool)] = []
        for (index, old) in world.named.enumerated() {
            for new in IdentityCheckResult.allCases where new != old {
                var changed = world
                changed.named[index] = new
                append(old, new, changed, &worlds)
            }
        }
        for new in IdentityCheckResult.allCases where !world.others.contains(new) {
            var changed = world
            changed.others.insert(new)
            append(nil, new, changed, &worlds)
        }
        for old in world.others {
            for new in IdentityCheckResult.allCases where new != old {
                var changed = world
                changed.others.insert(new)
                append(old, new, changed, &worlds)
                changed.others.remove(old)
                append(old, new, changed, &worlds)
            }
        }
        return worlds
    }

    private func append(
        _ old: IdentityCheckResult?, _ new: IdentityCheckResult, _ world: World,
        _ worlds: inout [(World, Bool, Bool)]
    ) {
        let isPass = new == .passed && old != .failed
        let isWorse = old != nil && (new == .failed || old == .passed)
        if isPass || isWorse { worlds.append((world, isPass, isWorse)) }
    }

    private mutating func report(_ code: RulesFinding.Code, _ rule: Int?, _ message: String) {
        guard !found.contains(where: { $0.code == code && $0.rule == rule }) else { return }
        found.append(RulesFinding(code: code, rule: rule, message: message))
    }

    private func text(_ world: World) -> String {
        var parts = zip(names, world.named).compactMap { name, result in
            result.map { "\(name.rawValue) \($0.rawValue)" }
        }
        if !world.others.isEmpty {
            parts.append(
                "other checks \(world.others.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        return parts.isEmpty ? "no checks" : parts.joined(separator: ", ")
    }
}
