internal import MienCore

/// Parses a filter by recursive descent: `or` binds less than `and`, which binds less than `not`.
struct SCIMFilterParser {
    private let text: [UInt8]
    private var index = 0
    private var depth = 0
    private var comparisons = 0

    init(_ text: String) { self.text = Array(text.utf8) }

    mutating func filter() throws(SCIMError) -> SCIMFilter {
        let filter = try disjunction()
        skip()
        guard index == text.count else {
            throw wrong("Only and, or, and ) may follow a comparison")
        }
        return filter
    }

    private mutating func disjunction() throws(SCIMError) -> SCIMFilter {
        depth += 1
        defer { depth -= 1 }
        guard depth <= SCIMFilter.maxDepth else {
            throw wrong("A filter may be nested \(SCIMFilter.maxDepth) levels deep")
        }
        var filter = try conjunction()
        while take(word: "or") { filter = .or(filter, try conjunction()) }
        return filter
    }

    private mutating func conjunction() throws(SCIMError) -> SCIMFilter {
        var filter = try factor()
        while take(word: "and") { filter = .and(filter, try factor()) }
        return filter
    }

    private mutating func factor() throws(SCIMError) -> SCIMFilter {
        if take(word: "not") {
            guard take("(") else { throw wrong("not needs parentheses") }
            let filter = try disjunction()
            guard take(")") else { throw wrong("A parenthesis is not closed") }
            return .not(filter)
        }
        if take("(") {
            let filter = try disjunction()
            guard take(")") else { throw wrong("A parenthesis is not closed") }
            return filter
        }
        let word = try word()
        guard let path = SCIMAttributePath(word) else { throw wrong("An attribute is expected") }
        if take("[") {
            let filter = try disjunction()
            guard take("]") else { throw wrong("A bracket is not closed") }
            return .value(path, filter)
        }
        comparisons += 1
        guard comparisons <= SCIMFilter.maxComparisons else {
            throw wrong("A filter may have \(SCIMFilter.maxComparisons) comparisons")
        }
        let name = try self.word().lowercased()
        if name == "pr" { return .present(path) }
        guard let comparison = SCIMFilter.Comparison(rawValue: name) else {
            throw wrong("Allowed are eq, ne, co, sw, ew, gt, ge, lt, le, and pr")
        }
        let literal = try literal()
        return .compare(
            path, comparison, SCIMLiteral(path.isTime ? Self.withoutFraction(literal) : literal))
    }

    private mutating func word() throws(SCIMError) -> String {
        skip()
        let start = index
        while index < text.count, !" ()[]\"".utf8.contains(text[index]) { index += 1 }
        guard index > start else { throw wrong("A word is expected") }
        return String(decoding: text[start..<index], as: UTF8.self)
    }

    private mutating func literal() throws(SCIMError) -> JSONValue {
        skip()
        let start = index
        if index < text.count, text[index] == UInt8(ascii: "\"") {
            index += 1
            while index < text.count, text[index] != UInt8(ascii: "\"") {
                index += text[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            index += 1
        } else {
            while index < text.count, !" ()[]\"".utf8.contains(text[index]) { index += 1 }
        }
        guard index <= text.count, index > start,
            let value = try? JSONText.parse(Array(text[start..<index]))
        else { throw wrong("A JSON text, number, Boolean, or null is expected") }
        return value
    }

    /// Times have seconds here; clients may add a fraction.
    private static func withoutFraction(_ literal: JSONValue) -> JSONValue {
        guard let text = literal.stringValue, text.last == "Z",
            let dot = text.firstIndex(of: ".")
        else { return literal }
        return .string(text[..<dot] + "Z")
    }

    private mutating func skip() {
        while index < text.count, text[index] == UInt8(ascii: " ") { index += 1 }
    }

    private mutating func take(_ letter: Unicode.Scalar) -> Bool {
        skip()
        guard index < text.count, text[index] == UInt8(ascii: letter) else { return false }
        index += 1
        return true
    }

    /// Takes a keyword that is not the beginning of a longer word.
    private mutating func take(word: String) -> Bool {
        skip()
        let letters = Array(word.utf8), end = index + letters.count
        guard end <= text.count, text[index..<end].map({ $0 | 0x20 }) == letters,
            end == text.count || text[end] == UInt8(ascii: " ") || text[end] == UInt8(ascii: "(")
        else { return false }
        index = end
        return true
    }

    private func wrong(_ reason: String) -> SCIMError {
        SCIMError(400, .invalidFilter, "\(reason), at character \(index + 1) of the filter.")
    }
}
