import MienCore
import Testing

@testable import MienIdentity

@Suite("Recommendation rules")
struct RecommendationRulesTests {
    static func rules(_ list: JSONValue, otherwise: JSONValue = "CHALLENGE") throws
        -> RecommendationRules
    {
        try RecommendationRules(["version": "test", "rules": list, "otherwise": otherwise])
    }

    static let results: [IdentityCheckResult?] = [nil] + IdentityCheckResult.allCases.map { $0 }

    /// All results of the checks.
    static func worlds(_ names: [IdentityCheckName]) -> [IdentityChecks] {
        names.reduce([IdentityChecks()]) { worlds, name in
            worlds.flatMap { world in
                results.map { result in
                    var next = world
                    next[name] = result
                    return next
                }
            }
        }
    }

    @Test(
        "the standard rules have no finding and follow the strictest check, in every world of three"
    )
    func standard() {
        #expect(RecommendationRules.standard.findings().isEmpty)
        for checks in Self.worlds([.name, .live, .faceMatch]) {
            let found = RecommendationRules.standard.recommendation(for: checks)
            let results = checks.results.values
            if results.contains(.failed) {
                #expect(found == .deny)
            } else if results.isEmpty || results.contains(where: { $0 != .passed }) {
                #expect(found == .challenge)
            } else {
                #expect(found == .allow)
            }
        }
    }

    @Test("a face without a live capture is allowed only in apps that accept one")
    func still() throws {
        let lax = try Self.rules([["when": ["every": ["passed", "not_checked"]], "then": "ALLOW"]])
        let still = IdentityChecks([.name: .passed, .live: .notChecked])
        for rules in [lax, .standard] {
            #expect(rules.recommendation(for: still) == .challenge)
            #expect(rules.recommendation(for: still, acceptsStillFaces: true) == .allow)
            var failed = still
            failed[.live] = .failed
            #expect(rules.recommendation(for: failed, acceptsStillFaces: true) >= .challenge)
        }
    }

    @Test("whatever the rules, nobody is allowed after a failed check or without a passed one")
    func floor() throws {
        let always = try Self.rules([["when": [:], "then": "ALLOW"]], otherwise: "ALLOW")
        for checks in Self.worlds([.name, .live]) {
            let results = checks.results.values
            let mayPass =
                results.contains(.passed) && !results.contains(.failed)
                && [nil, .passed].contains(checks[.live])
            #expect(always.recommendation(for: checks) == (mayPass ? .allow : .challenge))
        }
    }

    static let wrong: [(JSONValue, JSONValue, RulesFinding.Code)] = [
        // A live face outvotes a failed name.
        (
            [
                ["when": ["live": "passed"], "then": "ALLOW"],
                ["when": ["any": "failed"], "then": "DENY"],
            ],
            "CHALLENGE", .failedCheckAllowed
        ),
        ([], "ALLOW", .failedCheckAllowed),
        (
            [
                ["when": ["any": "failed"], "then": "CHALLENGE"],
                ["when": ["every": "not_checked"], "then": "ALLOW"],
            ],
            "CHALLENGE", .allowedWithoutEvidence
        ),
        // A passed document makes up for a face that does not match.
        (
            [
                [
                    "when": ["face_match": "failed", "document_consistent": "passed"],
                    "then": "CHALLENGE",
                ],
                ["when": ["any": "failed"], "then": "DENY"],
            ], "CHALLENGE", .failedCheckOutvoted
        ),
        // A failed check is treated better than an inconclusive one.
        (
            [
                ["when": ["any": "inconclusive"], "then": "DENY"],
                ["when": ["any": "failed"], "then": "CHALLENGE"],
            ], "CHALLENGE", .worseResultRewarded
        ),
        (
            [
                ["when": ["any": "failed"], "then": "DENY"],
                ["when": ["live": "failed"], "then": "DENY"],
            ],
            "CHALLENGE", .unreachableRule
        ),
    ]

    @Test("rules under which a passed check outvotes a failed one are rejected")
    func findings() throws {
        for (list, otherwise, code) in Self.wrong {
            let findings = try Self.rules(list, otherwise: otherwise).findings()
            #expect(findings.contains { $0.code == code }, "\(code): \(findings)")
        }
        let findings = try Self.rules(Self.wrong[0].0).findings()
        #expect(findings.first { $0.code == .failedCheckAllowed }?.rule == 0)
    }

    @Test("the linter agrees with a search of all worlds, for random rules")
    func smallWorlds() throws {
        var generator = SeededGenerator(seed: 15)
        let names: [IdentityCheckName] = [.name, .live]
        // A third and a fourth check that no rule names.
        let checks = names + [.address, .documentType, .faceMatch]
        var sound = 0, unsound = 0
        for _ in 0..<30 {
            let rules = RecommendationRules(
                version: "random",
                rules: (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    Self.randomRule(names, &generator)
                }, otherwise: IdentityRecommendation.allCases.randomElement(using: &generator)!)
            let codes = Set(rules.findings().map(\.code)).subtracting([.unreachableRule])
            let expected = Self.search(rules, checks)
            #expect(codes == expected, "\(JSONText.write(rules.json))")
            if expected.isEmpty { sound += 1 } else { unsound += 1 }
        }
        #expect(sound > 0 && unsound > 0)
    }

    private static func randomRule(
        _ names: [IdentityCheckName], _ generator: inout SeededGenerator
    ) -> RecommendationRules.Rule {
        func set() -> Set<IdentityCheckResult> {
            let set = IdentityCheckResult.allCases.filter { _ in
                Bool.random(using: &generator)
            }
            return set.isEmpty ? [.failed] : Set(set)
        }
        var named: [IdentityCheckName: Set<IdentityCheckResult>] = [:]
        for name in names where Int.random(in: 0..<3, using: &generator) == 0 {
            named[name] = set()
        }
        return RecommendationRules.Rule(
            when: .init(
                named: named,
                any: Bool.random(using: &generator) ? set() : nil,
                every: Int.random(in: 0..<3, using: &generator) == 0 ? set() : nil),
            then: IdentityRecommendation.allCases.randomElement(using: &generator)!)
    }

    /// Looks at every pair of worlds that differ in one check.
    private static func search(_ rules: RecommendationRules, _ names: [IdentityCheckName])
        -> Set<RulesFinding.Code>
    {
        var codes: Set<RulesFinding.Code> = []
        for world in worlds(names) {
            let answer = rules.answer(to: world)
            let values = Set(world.results.values)
            if answer == .allow, values.contains(.failed) {
                codes.insert(.failedCheckAllowed)
            } else if answer == .allow, !values.contains(.passed) {
                codes.insert(.allowedWithoutEvidence)
            }
            for name in names {
                let old = world[name]
                for new in IdentityCheckResult.allCases where new != old {
                    let isPass = new == .passed && old != .failed
                    let isWorse = old == .passed || (old != nil && new == .failed)
                    guard isPass || isWorse else { continue }
                    var changed = world
                    changed[name] = new
                    guard rules.answer(to: changed) < answer else { continue }
                    if isWorse {
                        codes.insert(.worseResultRewarded)
                    } else if values.contains(.failed) {
                        codes.insert(.failedCheckOutvoted)
                    }
                }
            }
        }
        return codes
    }

    @Test("rules are written as they are read")
    func roundTrip() throws {
        let value: JSONValue = [
            "version": "bank-7", "otherwise": "DENY",
            "rules": [
                [
                    "when": ["any": ["failed"], "live": ["inconclusive", "passed"]],
                    "then": "CHALLENGE",
                ],
                ["when": ["every": ["passed"]], "then": "ALLOW"],
            ],
        ]
        let rules = try RecommendationRules(value)
        #expect(rules.json == value)
        #expect(try RecommendationRules(json: Array(JSONText.write(value).utf8)) == rules)
        let standard = try RecommendationRules(RecommendationRules.standard.json)
        #expect(standard == .standard)
    }

    static let malformed: [(JSONValue, String)] = [
        ([], ""), (["version": "", "rules": [], "otherwise": "DENY"], "version"),
        (["version": "a", "rules": [:], "otherwise": "DENY"], "rules"),
        (["version": "a", "rules": [], "otherwise": "deny"], "otherwise"),
        (["version": "a", "rules": [], "otherwise": "DENY", "x": 1], "x"),
        (
            [
                "version": "a", "rules": [["when": ["liv": "passed"], "then": "DENY"]],
                "otherwise": "DENY",
            ], "rules[0].when.liv"
        ),
        (
            [
                "version": "a", "rules": [["when": ["live": "ok"], "then": "DENY"]],
                "otherwise": "DENY",
            ], "rules[0].when.live"
        ),
        (
            [
                "version": "a", "rules": [["when": ["any": []], "then": "DENY"]],
                "otherwise": "DENY",
            ], "rules[0].when.any"
        ),
        (
            ["version": "a", "rules": [["when": [:], "then": 1]], "otherwise": "DENY"],
            "rules[0].then"
        ),
        (["version": "a", "rules": [["then": "DENY"]], "otherwise": "DENY"], "rules[0].when"),
        (
            [
                "version": "a",
                "rules": .array(Array(repeating: ["when": [:], "then": "DENY"], count: 33)),
                "otherwise": "DENY",
            ], "rules"
        ),
        (
            [
                "version": "a", "otherwise": "DENY",
                "rules": .array(
                    IdentityCheckName.all.prefix(6).map {
                        ["when": .object([$0.rawValue: "passed"]), "then": "DENY"]
                    }),
            ], "rules"
        ),
    ]

    @Test("an error names its path")
    func errors() {
        for (value, path) in Self.malformed {
            let error = #expect(throws: RecommendationRulesError.self) {
                try RecommendationRules(value)
            }
            #expect(error?.path == path, "\(String(describing: error))")
        }
        #expect(throws: RecommendationRulesError.self) {
            try RecommendationRules(json: Array("{".utf8))
        }
        #expect(throws: RecommendationRulesError.self) {
            try RecommendationRules(json: Array(repeating: 0x20, count: 70_000))
        }
    }

    @Test("results of two parts combine to the worse")
    func combining() {
        for a in IdentityCheckResult.allCases {
            for b in IdentityCheckResult.allCases {
                var checks = IdentityChecks([.live: a, .name: .passed])
                checks.add(IdentityChecks([.live: b, .address: .failed]))
                let order: [IdentityCheckResult] = [.passed, .inconclusive, .notChecked, .failed]
                let worse = order.last { $0 == a || $0 == b }
                #expect(checks.results == [.live: worse, .name: .passed, .address: .failed])
            }
        }
    }
}
