public import MienCore

/// A word of an answer: one of a set that this version knows, or one that a newer server sends.
///
///     switch answer.status {
///     case .known(.passed): …
///     case .known(.failed): …
///     case .known: …
///     case .unknown(let word): …
public enum WireValue<Word: WireWord>: RawRepresentable, Sendable, Hashable, Codable {
    case known(Word)
    /// A word that is not in the set.
    case unknown(String)

    public init(rawValue: String) {
        self = Word(rawValue: rawValue).map { .known($0) } ?? .unknown(rawValue)
    }

    public var rawValue: String {
        switch self {
        case .known(let word): word.rawValue
        case .unknown(let text): text
        }
    }

    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension WireValue: CustomStringConvertible {
    public var description: String { rawValue }
}
