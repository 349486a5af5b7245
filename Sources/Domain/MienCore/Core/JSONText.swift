/// A strict JSON parser with limits, and a writer with one canonical output.
///
/// Stricter than RFC 8259: a duplicate key, a lone surrogate, a number too large for a double, and
/// text that is not UTF-8 are errors, because two readers could interpret them differently.
///
/// A key has at most ``Limits/maxKeyBytes``, checked before it is hashed. Swift compares keys by
/// canonical equivalence, other readers by bytes. So that both see the same object, a key that
/// occurs twice in different normalizations is an error, as is a key with a character that is
/// canonically equivalent to ASCII. No text has more than ``StreamSafeText/maxMarks`` combining
/// marks in a row.
public enum JSONText {
    public struct Limits: Sendable, Hashable {
        public let maxBytes: Int
        /// The maximum nesting depth of arrays and objects.
        public let maxDepth: Int
        /// The maximum length of an object's key in UTF-8 bytes.
        public let maxKeyBytes: Int

        public static let standardKeyBytes = 256

        public init(
            maxBytes: Int = 256 * 1024, maxDepth: Int = 20, maxKeyBytes: Int = standardKeyBytes
        ) {
            (self.maxBytes, self.maxDepth, self.maxKeyBytes) = (maxBytes, maxDepth, maxKeyBytes)
        }
    }

    /// - Throws: the position of the first error, and the reason.
    public static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSONTextError)
        -> JSONValue
    {
        guard bytes.count <= limits.maxBytes else {
            throw JSONTextError(
                line: 1, column: 1, reason: "the text has more than \(limits.maxBytes) bytes")
        }
        var reader = JSONReader(bytes: bytes, limits: limits)
        return try reader.document()
    }

    public static func parse(_ text: String, limits: Limits = Limits()) throws(JSONTextError)
        -> JSONValue
    {
        try parse(Array(text.utf8), limits: limits)
    }

    /// Writes JSON with sorted keys and whole numbers without a fraction. With `pretty`, each value
    /// has its own line and each level is indented by two spaces.
    ///
    /// Numbers that JSON cannot express become `null`.
    public static func write(_ value: JSONValue, pretty: Bool = false) -> String {
        var text = ""
        write(value, to: &text, indent: pretty ? 0 : nil)
        return text
    }

    private static func write(_ value: JSONValue, to text: inout String, indent: Int?) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += number(value)
        case .string(let value): quote(value, to: &text)
        case .array(let values):
            list(values, "[", "]", to: &text, indent: indent) { value, text, indent in
                write(value, to: &text, indent: indent)
            }
        case .object(let members):
            list(members.sorted { $0.key < $1.key }, "{", "}", to: &text, indent: indent) {
                member, text, indent in
                quote(member.key, to: &text)
                text += indent == nil ? ":" : ": "
                write(member.value, to: &text, indent: indent)
            }
        }
    }

    private static func list<T>(
        _ elements: [T], _ open: String, _ close: String, to text: inout String, indent: Int?,
        _ write: (T, inout String, Int?) -> Void
    ) {
        text += open
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let indent { text += "\n" + String(repeating: "  ", count: indent + 1) }
            write(element, &text, indent.map { $0 + 1 })
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
        text += close
    }

    /// Returns a number as JSON writes it, whole numbers without a fraction.
    public static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        return value == value.rounded() && abs(value) < 9_007_199_254_740_992
            ? String(Int64(value)) : String(value)
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// The position of an error in JSON text. Reveals nothing of the text's content.
public struct JSONTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Counted from 1. Columns count bytes.
    public let line, column: Int
    public let reason: String

    public init(line: Int, column: Int, reason: String) {
        (self.line, self.column, self.reason) = (line, column, reason)
    }

    public var description: String { "line \(line), column \(column): \(reason)" }
}

/// A recursive-descent parser over bytes. The depth limit also bounds the stack.
private struct JSONReader {
    let bytes: [UInt8]
    let limits: JSONText.Limits
    private var offset = 0

    init(bytes: [UInt8], limits: JSONText.Limits) { (self.bytes, self.limits) = (bytes, limits) }

    mutating func document() throws(JSONTextError) -> JSONValue {
        let value = try value(depth: 0)
        skipBlanks()
        guard offset == bytes.count else { throw error("unexpected text after the value") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONTextError) -> JSONValue {
        skipBlanks()
        guard let byte = current else { throw error("unexpected end of text; expected a value") }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw error("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONTextError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        try elements(until: UInt8(ascii: "}"), depth: depth) { reader throws(JSONTextError) in
            guard reader.current == UInt8(ascii: "\"") else {
                throw reader.error("expected a key in quotation marks")
            }
            let start = reader.offset
            let key = try reader.string(maxBytes: reader.limits.maxKeyBytes)
            guard !key.hasASCIIEquivalents else {
                throw reader.error(
                    "the key contains a character that is equivalent to ASCII", at: start)
            }
            // Also catches a key in another normalization: `members` would keep one of the two.
            guard members[key] == nil else {
                throw reader.error("duplicate key “\(key)”", at: start)
            }
            reader.skipBlanks()
            guard reader.take(UInt8(ascii: ":")) else {
                throw reader.error("expected “:” after the key")
            }
            members[key] = try reader.value(depth: depth)
        }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONTextError) -> JSONValue {
        var values: [JSONValue] = []
        try elements(until: UInt8(ascii: "]"), depth: depth) { reader throws(JSONTextError) in
            values.append(try reader.value(depth: depth))
        }
        return .array(values)
    }

    private mutating func elements(
        until end: UInt8, depth: Int, _ element: (inout Self) throws(JSONTextError) -> Void
    ) throws(JSONTextError) {
        guard depth <= limits.maxDepth else {
            throw error("lists and objects are nested more than \(limits.maxDepth) levels deep")
        }
        offset += 1
        skipBlanks()
        if take(end) { return }
        repeat {
            skipBlanks()
            try element(&self)
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(end) else {
            throw error("expected “,” or “\(Character(Unicode.Scalar(end)))”")
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONTextError)
        -> JSONValue
    {
        guard bytes[offset...].starts(with: word.utf8) else {
            throw error("expected a value")
        }
        offset += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONTextError) -> Double {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        guard let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)),
            value.isFinite
        else {
            throw error("the number is too large", at: start)
        }
        return value
    }

    private mutating func digits() throws(JSONTextError) {
        let start = offset
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            offset += 1
        }
        guard offset > start else { throw error("expected a digit") }
    }

    /// Reads a string.
    ///
    /// - Parameter maxBytes: the limit when the string is a key. The document's limit bounds other
    ///   strings.
    private mutating func string(maxBytes: Int = .max) throws(JSONTextError) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else {
                throw error("control characters in strings must be escaped")
            }
            offset += 1
            if byte == UInt8(ascii: "\\") { text += try escape() } else { text.append(byte) }
            guard text.count <= maxBytes else {
                throw error("a key has more than \(maxBytes) bytes", at: start)
            }
        }
        guard take(UInt8(ascii: "\"")) else {
            throw error("the string that begins here does not end", at: start)
        }
        guard let string = String(validUTF8: text) else {
            throw error("the string is not UTF-8", at: start)
        }
        guard string.isStreamSafe else {
            throw error(
                "the string has more than \(StreamSafeText.maxMarks) combining marks in a row",
                at: start)
        }
        return string
    }

    private mutating func escape() throws(JSONTextError) -> [UInt8] {
        let start = offset - 1
        guard let byte = current else {
            throw error("unexpected end of text in an escape", at: start)
        }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = try hexadecimal(start)
            if (0xd800..<0xdc00).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
                let low = try hexadecimal(start)
                guard (0xdc00..<0xe000).contains(low) else {
                    throw error("unpaired surrogate", at: start)
                }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else {
                throw error("unpaired surrogate", at: start)
            }
            return Array(String(Character(scalar)).utf8)
        default: throw error("unknown escape", at: start)
        }
    }

    private mutating func hexadecimal(_ start: Int) throws(JSONTextError) -> UInt32 {
        let end = offset + 4
        guard end <= bytes.count,
            bytes[offset..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let code = UInt32(String(decoding: bytes[offset..<end], as: UTF8.self), radix: 16)
        else { throw error("“\\u” needs four hexadecimal digits", at: start) }
        offset = end
        return code
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            offset += 1
        }
    }

    private func error(_ reason: String, at offset: Int? = nil) -> JSONTextError {
        let before = bytes[..<min(offset ?? self.offset, bytes.count)]
        let line = before.count { $0 == 0x0a } + 1
        let column = before.count - (before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0) + 1
        return JSONTextError(line: line, column: column, reason: reason)
    }
}
