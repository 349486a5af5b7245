public import MienCore

/// A filter of resources (RFC 7644 §3.4.2.2).
public indirect enum SCIMFilter: Sendable, Hashable {
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case eq, ne, co, sw, ew, gt, ge, lt, le
    }

    /// Compares an attribute with a literal.
    case compare(SCIMAttributePath, Comparison, SCIMLiteral)
    case present(SCIMAttributePath)
    case and(SCIMFilter, SCIMFilter)
    case or(SCIMFilter, SCIMFilter)
    case not(SCIMFilter)
    /// Whether a value of an attribute fulfills a filter of its own: `emails[type eq "work"]`.
    case value(SCIMAttributePath, SCIMFilter)

    /// The maximum length of a filter in bytes, of its nesting, and the most comparisons.
    static let maxBytes = 1024, maxDepth = 8, maxComparisons = 32

    /// - Throws: ``SCIMError`` `.invalidFilter` that says where it is wrong.
    public init(_ text: String) throws(SCIMError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw SCIMError(
                400, .invalidFilter, "A filter may have at most \(Self.maxBytes) bytes.")
        }
        var parser = SCIMFilterParser(text)
        self = try parser.filter()
    }

    /// The text with which an attribute must be equal, whatever else the filter asks for.
    public func required(_ attribute: String) -> String? {
        switch self {
        case .compare(let path, .eq, let literal) where path.isNamed(attribute):
            literal.value.stringValue
        case .and(let a, let b): a.required(attribute) ?? b.required(attribute)
        default: nil
        }
    }

    /// The number of comparisons, each of which looks at every value of its attribute.
    public var comparisons: Int {
        switch self {
        case .compare, .present: 1
        case .and(let a, let b), .or(let a, let b): a.comparisons + b.comparisons
        case .not(let filter), .value(_, let filter): filter.comparisons
        }
    }

    /// The text of `value eq "…"`, if the filter is nothing else.
    var soleValue: String? {
        guard case .compare(let path, .eq, let literal) = self, path.isNamed("value") else {
            return nil
        }
        return literal.value.stringValue
    }

    /// Whether the filter looks at an attribute.
    public func mentions(_ attribute: String) -> Bool {
        switch self {
        case .compare(let path, _, _), .present(let path), .value(let path, _):
            path.name?.lowercased() == attribute.lowercased()
        case .and(let a, let b), .or(let a, let b):
            a.mentions(attribute) || b.mentions(attribute)
        case .not(let filter): filter.mentions(attribute)
        }
    }

    /// Whether a resource, or a value of an attribute, fulfills the filter.
    ///
    /// - Parameter isExact: Whether case counts in all comparisons, as among the members of a group,
    ///   which are IDs.
    public func matches(_ resource: JSONValue, isExact: Bool = false) -> Bool {
        switch self {
        case .and(let a, let b):
            a.matches(resource, isExact: isExact) && b.matches(resource, isExact: isExact)
        case .or(let a, let b):
            a.matches(resource, isExact: isExact) || b.matches(resource, isExact: isExact)
        case .not(let filter): !filter.matches(resource, isExact: isExact)
        case .present(let path):
            path.values(of: resource).contains { $0 != .null && $0 != .string("") }
        case .value(let path, let filter):
            path.containers(of: resource).contains {
                filter.matches($0, isExact: isExact || path.isExact)
            }
        case .compare(let path, let comparison, let literal):
            Self.compare(
                path.values(of: resource), comparison, literal, isExact: isExact || path.isExact)
        }
    }

    private static func compare(
        _ values: [JSONValue], _ comparison: Comparison, _ literal: SCIMLiteral, isExact: Bool
    ) -> Bool {
        if comparison == .ne { return !compare(values, .eq, literal, isExact: isExact) }
        if literal.value == .null { return comparison == .eq && values.isEmpty }
        let isText = literal.value.stringValue != nil
        return values.contains { value in
            guard isText, let text = value.stringValue else {
                return comparison == .eq && value == literal.value
            }
            return literal.compare(text, comparison, isExact: isExact)
        }
    }
}

/// The name of an attribute, such as `name.familyName`, with the schema before it or without.
public struct SCIMAttributePath: Sendable, Hashable {
    /// The schema of an extension.
    public let container: String?
    /// `nil` for the extension as a whole.
    public let name: String?
    public let sub: String?

    /// Attributes whose values are compared in their case.
    private static let exact: Set<String> = ["id", "externalid", "members", "groups"]

    var isExact: Bool { Self.exact.contains(name?.lowercased() ?? "") }

    /// Whether its values are times.
    var isTime: Bool {
        name?.lowercased() == "meta" && ["created", "lastmodified"].contains(sub?.lowercased())
    }

    /// Whether it is an attribute of the resource itself, as a whole.
    func isNamed(_ text: String) -> Bool {
        container == nil && (sub == nil || sub?.lowercased() == "value")
            && name?.lowercased() == text.lowercased()
    }

    /// - Returns: `nil` for text that names no attribute.
    public init?(_ text: some StringProtocol) {
        var rest = Substring(text), container: String?
        for schema in SCIMSchema.all where rest.lowercased().hasPrefix(schema.id.lowercased()) {
            rest = rest.dropFirst(schema.id.count)
            container = schema == .enterprise ? schema.id : nil
            guard rest.first == ":" || rest.isEmpty else { return nil }
            rest = rest.dropFirst()
            guard !rest.isEmpty else {
                guard let container else { return nil }
                (self.container, name, sub) = (container, nil, nil)
                return
            }
            break
        }
        let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy(Self.isWord) else { return nil }
        self.container = container
        (name, sub) = (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    init(container: String?, name: String?, sub: String?) {
        (self.container, self.name, self.sub) = (container, name, sub)
    }

    private static func isWord(_ text: Substring) -> Bool {
        let letters = text.utf8
        return !letters.isEmpty && letters.count <= 64
            && letters.enumerated().allSatisfy { index, byte in
                byte == UInt8(ascii: "$") && index == 0
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || index > 0
                        && (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte))
            }
    }

    /// The values of the attribute without its part: one, or those of a multi-valued one.
    func containers(of resource: JSONValue) -> [JSONValue] {
        var members = resource.objectValue ?? [:]
        if let container {
            members = SCIMSchema.member(container, of: members)?.objectValue ?? [:]
        }
        guard let name else { return [.object(members)] }
        guard let value = SCIMSchema.member(name, of: members), value != .null else { return [] }
        return value.arrayValue ?? [value]
    }

    /// The values of the attribute. Those of a complex one without a part are its `value`.
    func values(of resource: JSONValue) -> [JSONValue] {
        containers(of: resource).compactMap { value in
            guard let members = value.objectValue else { return sub == nil ? value : nil }
            return SCIMSchema.member(sub ?? "value", of: members) ?? (sub == nil ? value : nil)
        }
    }
}
