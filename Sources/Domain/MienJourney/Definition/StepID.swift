/// The name of a step within its journey, chosen by the author: 1…64 of `A-Z a-z 0-9 _ -`.
public struct StepID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let text: String

    public init?(_ text: String) {
        guard Self.isName(text) else { return nil }
        self.text = text
    }

    public var description: String { text }

    public static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    /// Returns whether `text` is a valid name for a step or branch.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isNamePart }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected a step name: 1 to 64 of A-Z, a-z, 0-9, “_” and “-”")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Character {
    fileprivate var isNamePart: Bool {
        isASCII && (isLetter || isASCIIDigit || self == "_" || self == "-")
    }
}
