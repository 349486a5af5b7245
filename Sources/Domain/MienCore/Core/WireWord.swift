/// A word from a fixed set, as requests and answers contain it. Decoding is strict.
///
/// An answer to a client wraps its words in `WireValue`, because a newer server may send others.
public protocol WireWord: RawRepresentable, CaseIterable, Codable, Sendable, Hashable
where RawValue == String {}

extension WireWord {
    /// - Throws: `DecodingError` that names the words of the set and repeats nothing of the input.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let word = Self(rawValue: text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "must be \(Self.choices)"))
        }
        self = word
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// `a`, `a or b`, or `a, b, or c`.
    public static var choices: String {
        let words = allCases.map(\.rawValue)
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + (words.count > 2 ? "," : "")
            + " or \(last)"
    }
}
