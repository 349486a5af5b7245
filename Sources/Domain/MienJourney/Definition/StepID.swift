/// The name of a step in its journey, chosen by whoever writes it: 1…64 of `A-Z a-z 0-9 _ -`.
public struct StepID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let text: String

    public init?(_ text: String) {
        guard Self.isName(text) else { return nil }
        self.text = text
    }

    public var description: String { text }

    public static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    /// The rule for names of steps and of branches.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isNamePart }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "a step's name has 1 to 64 of A-Z, a-z, 0-9, “_” and “-”")
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
