public import MienCore

/// The reason a text is not a set of rules, with the path of the error.
public struct RecommendationRulesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Such as `rules[2].when.live`.
    public let path: String
    public let reason: String

    public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension RecommendationRules {
    /// The maximum size of the JSON, in bytes.
    public static let maxBytes = 64 * 1024

    /// Parses rules strictly: an unknown key, check, or result is an error.
    public init(json bytes: [UInt8]) throws(RecommendationRulesError) {
        guard bytes.count <= Self.maxBytes else {
            throw .init(path: "", reason: "longer than \(Self.maxBytes) bytes")
        }
        let value: JSONValue
        do throws(JSONTextError) { value = try JSONText.parse(bytes) } catch {
            throw .init(path: "", reason: "\(error)")
        }
        try self.init(value)
    }

    /// - Throws: ``RecommendationRulesError`` for the first error.
    public init(_ value: JSONValue) throws(RecommendationRulesError) {
        let members = try Self.object(value, "", ["version", "rules", "otherwise"])
        guard let version = members["version"]?.stringValue, (1...64).contains(version.utf8.count),
            version.isPrintable
        else { throw .init(path: "version", reason: "expected a text of 1 to 64 bytes") }
        guard let list = members["rules"]?.arrayValue, list.count <= Self.maxRules else {
            throw .init(path: "rules", reason: "expected a list of at most \(Self.maxRules) rules")
        }
        var rules: [Rule] = []
        for (index, rule) in list.enumerated() {
            rules.append(try Self.rule(rule, "rules[\(index)]"))
        }
        self.init(
            version: version, rules: rules,
            otherwise: try Self.word(members["otherwise"], "otherwise"))
        let named = Set(rules.flatMap(\.when.named.keys))
        guard named.count <= Self.maxNamedChecks else {
            throw .init(
                path: "rules",
                reason:
                    "\(named.count) checks are named; at most \(Self.maxNamedChecks) may be. Use “any” and “every” for the others"
            )
        }
    }

    /// The rules as JSON.
    public var json: JSONValue {
        .object([
            "version": .string(version), "otherwise": .string(otherwise.rawValue),
            "rules": .array(
                rules.map { rule in
                    .object(["when": rule.when.json, "then": .string(rule.then.rawValue)])
                }),
        ])
    }

    private static func rule(_ value: JSONValue, _ path: String) throws(RecommendationRulesError)
        -> Rule
    {
        let members = try object(value, path, ["when", "then"])
        let names = IdentityCheckName.all.map(\.rawValue)
        let when = try object(
            members["when"] ?? .null, "\(path).when", ["any", "every"] + names)
        var named: [IdentityCheckName: Set<IdentityCheckResult>] = [:]
        for (key, value) in when.sorted(by: { $0.key < $1.key }) {
            guard let name = IdentityCheckName(rawValue: key) else { continue }
            named[name] = try results(value, "\(path).when.\(key)")
        }
        var any: Set<IdentityCheckResult>?, every: Set<IdentityCheckResult>?
        if let value = when["any"] { any = try results(value, "\(path).when.any") }
        if let value = when["every"] { every = try results(value, "\(path).when.every") }
        return Rule(
            when: Condition(named: named, any: any, every: every),
            then: try word(members["then"], "\(path).then"))
    }

    /// One result, or a list of them.
    private static func results(_ value: JSONValue, _ path: String)
        throws(RecommendationRulesError) -> Set<IdentityCheckResult>
    {
        var results: Set<IdentityCheckResult> = []
        for element in value.arrayValue ?? [value] { results.insert(try word(element, path)) }
        guard !results.isEmpty else {
            throw .init(path: path, reason: "expected \(IdentityCheckResult.choices)")
        }
        return results
    }

    private static func word<Word: WireWord>(_ value: JSONValue?, _ path: String)
        throws(RecommendationRulesError) -> Word
    {
        guard let word = value?.stringValue.flatMap(Word.init(rawValue:)) else {
            throw .init(path: path, reason: "expected \(Word.choices)")
        }
        return word
    }

    private static func object(_ value: JSONValue, _ path: String, _ known: [String])
        throws(RecommendationRulesError) -> [String: JSONValue]
    {
        guard case .object(let members) = value else {
            throw .init(path: path, reason: "expected an object, not \(value.kind)")
        }
        if let unknown = members.keys.filter({ !known.contains($0) }).min() {
            throw .init(
                path: path.isEmpty ? unknown : "\(path).\(unknown)",
                reason:
                    "unknown key\(Suggestion.text(for: unknown, among: known)) (allowed: \(known.joined(separator: ", ")))"
            )
        }
        return members
    }
}

extension RecommendationRules.Condition {
    fileprivate var json: JSONValue {
        var members = Dictionary(
            uniqueKeysWithValues: named.map { ($0.key.rawValue, Self.list($0.value)) })
        if let any { members["any"] = Self.list(any) }
        if let every { members["every"] = Self.list(every) }
        return .object(members)
    }

    private static func list(_ results: Set<IdentityCheckResult>) -> JSONValue {
        .array(results.map(\.rawValue).sorted().map { .string($0) })
    }
}
