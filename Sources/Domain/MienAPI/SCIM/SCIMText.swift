public import MienCore

/// A text that a filter looks for, in bytes that are compared.
public struct SCIMText: Sendable, Hashable {
    let bytes: [UInt8]
    /// For each beginning of the text, the length of its longest part that both begins and ends it
    /// (Knuth, Morris, Pratt).
    private let borders: [Int]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var borders = [Int](repeating: 0, count: bytes.count), length = 0
        for index in bytes.indices.dropFirst() {
            while length > 0, bytes[index] != bytes[length] { length = borders[length - 1] }
            if bytes[index] == bytes[length] { length += 1 }
            borders[index] = length
        }
        (self.bytes, self.borders) = (bytes, borders)
    }

    /// Whether the text is a part of another, in time that grows with the length of both.
    func isPart(of other: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        var length = 0
        for byte in other {
            while length > 0, byte != bytes[length] { length = borders[length - 1] }
            if byte == bytes[length] { length += 1 }
            if length == bytes.count { return true }
        }
        return false
    }

    /// Returns the form in which texts are compared whatever their case: as user names are. What
    /// looks the same is the same.
    public static func folded(_ text: String) -> String {
        text.isStreamSafe ? text.foldedName : text.lowercased()
    }
}

/// A value that a filter compares an attribute with.
public struct SCIMLiteral: Sendable, Hashable {
    public let value: JSONValue
    private let exact: SCIMText
    private let folded: SCIMText

    init(_ value: JSONValue) {
        self.value = value
        let text = value.stringValue ?? ""
        (exact, folded) = (SCIMText(text), SCIMText(SCIMText.folded(text)))
    }

    /// Compares a text with the literal.
    ///
    /// - Parameter isExact: Whether case counts.
    func compare(_ text: String, _ comparison: SCIMFilter.Comparison, isExact: Bool) -> Bool {
        let a = Array((isExact ? text : SCIMText.folded(text)).utf8)
        let literal = isExact ? exact : folded, b = literal.bytes
        return switch comparison {
        case .eq: a == b
        case .ne: a != b
        case .co: literal.isPart(of: a)
        case .sw: a.starts(with: b)
        case .ew: a.count >= b.count && a.suffix(b.count).elementsEqual(b)
        case .gt: b.lexicographicallyPrecedes(a)
        case .ge: !a.lexicographicallyPrecedes(b)
        case .lt: a.lexicographicallyPrecedes(b)
        case .le: !b.lexicographicallyPrecedes(a)
        }
    }
}
