/// The name of a model pack: the set of models whose descriptors can be compared with each other.
///
/// 1…64 of the characters `a-z 0-9 . -`, starting with a letter or digit, so that the name is also
/// a safe file name.
public struct PackID: Sendable, Hashable, Codable {
    public static let lengthRange = 1...64

    public let text: String

    /// - Throws: ``PackIDError`` if `text` is not a valid name.
    public init(_ text: String) throws(PackIDError) {
        guard Self.lengthRange.contains(text.utf8.count) else { throw .length(text.utf8.count) }
        if let bad = text.utf8.firstIndex(where: { !Self.isAllowed($0) }) {
            throw .character(at: text.utf8.distance(from: text.startIndex, to: bad))
        }
        guard let first = text.utf8.first, Self.isLetterOrDigit(first) else {
            throw .character(at: 0)
        }
        self.text = text
    }

    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}

extension PackID: CustomStringConvertible {
    public var description: String { text }
}

/// The reason a text is not a valid pack name.
public enum PackIDError: Error, Sendable, Equatable {
    /// The text's length in UTF-8 bytes is not 1…64.
    case length(Int)
    /// The byte at this offset is not allowed.
    case character(at: Int)
}
