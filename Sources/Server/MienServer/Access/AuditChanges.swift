package import MienCore

/// The values that a change of an administrator replaced, for the audit log. Without them, an entry
/// would show only that something changed, not which redirect URI was in place for an hour.
package enum AuditChanges {
    /// The longest value that is recorded, in bytes of JSON. For a longer value, such as a logo,
    /// only its path is recorded.
    private static let maxBytes = 512

    /// Returns the detail of an entry: each place that differs, with its value before and after.
    package static func detail(
        from before: [String: JSONValue], to after: [String: JSONValue]
    ) -> [String: JSONValue] {
        var changes: [JSONValue] = []
        compare(.object(before), .object(after), at: [], into: &changes)
        return changes.isEmpty ? [:] : ["changes": .array(changes)]
    }

    private static func compare(
        _ before: JSONValue?, _ after: JSONValue?, at path: [String],
        into changes: inout [JSONValue]
    ) {
        guard before != after else { return }
        let (old, new) = (before?.objectValue, after?.objectValue)
        guard old == nil && new == nil else {
            for key in Set((old ?? [:]).keys).union((new ?? [:]).keys).sorted() {
                compare(old?[key], new?[key], at: path + [key], into: &changes)
            }
            return
        }
        var change: [String: JSONValue] = ["field": .string(path.joined(separator: "."))]
        change["from"] = shown(before)
        change["to"] = shown(after)
        changes.append(.object(change))
    }

    /// - Returns: `nil` for a value that is missing or too long.
    private static func shown(_ value: JSONValue?) -> JSONValue? {
        guard let value, value != .null else { return nil }
        let shown = withoutSecrets(value)
        return JSONText.write(shown).utf8.count <= maxBytes ? shown : nil
    }

    /// Addresses keep neither a query nor a user: webhooks may have tokens there.
    private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
        if let items = value.arrayValue { return .array(items.map(withoutSecrets)) }
        guard let text = value.stringValue, let scheme = text.firstRange(of: "://") else {
            return value
        }
        let rest = text[scheme.upperBound...]
        let address = rest.prefix { $0 != "?" }
        let authority = address.prefix { $0 != "/" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return .string(
            text[..<scheme.upperBound] + host + address.dropFirst(authority.count)
                + (address.count < rest.count ? "?…" : ""))
    }
}
