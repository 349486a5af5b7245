internal import MienCore

/// The place of a value in a JSON document (RFC 6901), such as `/result/status` or `/people/0/name`.
struct JSONPointer: Sendable, Hashable {
    /// The maximum length of the text in bytes, and of ``keys``.
    static let maxBytes = 256, maxDepth = 8

    let keys: [String]

    /// - Returns: `nil` unless the text is a pointer to a part of the document, within the limits.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maxBytes, text.utf8.first == UInt8(ascii: "/") else {
            return nil
        }
        var keys: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            // Only ~0 and ~1 are escapes.
            guard
                part.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
                    .allSatisfy({ $0.hasPrefix("0") || $0.hasPrefix("1") })
            else { return nil }
            keys.append(String(part).replacing("~1", with: "/").replacing("~0", with: "~"))
        }
        guard keys.count <= Self.maxDepth else { return nil }
        self.keys = keys
    }

    /// Returns the value at this place; `nil` if there is none.
    func value(in document: JSONValue) -> JSONValue? {
        keys.reduce(document) { value, key in
            switch value {
            case .object(let members)?: members[key]
            case .array(let values)?:
                Self.index(key).flatMap { values.indices.contains($0) ? values[$0] : nil }
            default: nil
            }
        }
    }

    private static func index(_ key: String) -> Int? {
        guard key.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            key == "0" || !key.hasPrefix("0")
        else { return nil }
        return Int(key)
    }

    /// Whether one of the places contains the other, or both are the same.
    func overlaps(_ other: JSONPointer) -> Bool {
        zip(keys, other.keys).allSatisfy { $0 == $1 }
    }

    /// Sets the value at this place, and creates the objects that lead to it.
    func set(_ value: JSONValue, in members: inout [String: JSONValue]) {
        Self.set(value, at: keys[...], in: &members)
    }

    private static func set(
        _ value: JSONValue, at keys: ArraySlice<String>, in members: inout [String: JSONValue]
    ) {
        guard let first = keys.first else { return }
        guard keys.count > 1 else {
            members[first] = value
            return
        }
        var inner = members[first]?.objectValue ?? [:]
        set(value, at: keys.dropFirst(), in: &inner)
        members[first] = .object(inner)
    }
}
