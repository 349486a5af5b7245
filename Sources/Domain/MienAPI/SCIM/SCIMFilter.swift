public import MienCore

/// A filter of resources (RFC 7644 §3.4.2.2).
public indirect enum SCIMFilter: Sendable, Hashable {
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case eq, ne, co, sw, ew, gt, ge, lt, le
    }

    /// Compares an attribute with a literal.
    case compare(SCIMAttributePath, Comparison, JSONValue)
    case present(SCIMAttributePath)
    case and(SCIMFilter, SCIMFilter)
    case or(SCIMFilter, SCIMFilter)
    case not(SCIMFilter)
    /// Whether a value of an attribute fulfills a filter of its own: `emails[type eq "work"]`.
    case value(SCIMAttributePath, SCIMFilter)

    /// The maximum length of a filter in bytes, and of its nesting.
    static let maxBytes = 1024, maxDepth = 8

    /// - Throws: ``SCIMError`` `.invalidFilter` that says where it is wrong.
    public init(_ text: String) throws(SCIMError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw SCIMError(
                400, .invalidFilter, "A filter may have at most \(Self.maxBytes) bytes.")
        }
        var parser = SCIMFilterParser(text)
        self = try parser.filter()
    }

    /// The literal with which an attribute must be equal, if the filter asks for nothing else.
    public func equal(_ attribute: String) -> String? {
        guard case .compare(let path, .eq, .string(let text)) = self,
            path.isNamed(attribute)
        else { return nil }
        return text
    }

    /// Whether a resource, or a value of an attribute, fulfills the filter.
    public func matches(_ resource: JSONValue) -> Bool {
        switch self {
        case .and(let a, let b): a.matches(resource) && b.matches(resource)
        case .or(let a, let b): a.matches(resource) || b.matches(resource)
        case .not(let filter): !filter.matches(resource)
        case .present(let path):
            path.values(of: resource).contains { $0 != .null && $0 != .string("") }
        case .value(let path, let filter):
            path.containers(of: resource).contains { filter.matches($0) }
        case .compare(let path, let comparison, let literal):
            Self.compare(path.values(of: resource), comparison, literal, isExact: path.isExact)
        }
    }

    private static func compare(
        _ values: [JSONValue], _ comparison: Comparison, _ literal: JSONValue, isExact: Bool
    ) -> Bool {
        if comparison == .ne { return !compare(values, .eq, literal, isExact: isExact) }
        if literal == .null { return comparison == .eq && values.isEmpty }
        return values.contains { value in
            if let a = value.stringValue, let b = literal.stringValue {
                return isExact
                    ? compare(a, comparison, b)
                    : compare(a.lowercased(), comparison, b.lowercased())
            }
            return comparison == .eq && value == literal
        }
    }

    private static func compare(_ a: String, _ comparison: Comparison, _ b: String) -> Bool {
        switch comparison {
        case .eq: a == b
        case .ne: a != b
        case .co: a.contains(b)
        case .sw: a.hasPrefix(b)
        case .ew: a.hasSuffix(b)
        case .gt: a > b
        case .ge: a >= b
        case .lt: a < b
        case .le: a <= b
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
