/// A check digit of a machine-readable zone.
///
/// Weights 7, 3, 1 over the values 0–9, A = 10 … Z = 35, `<` = 0; the sum modulo 10. The digit
/// cannot tell apart characters whose values are equal modulo 10, such as 1, B, L, and V. Two digits
/// are right for a number that continues in the optional data, because the standard does not say
/// whether the filler between its parts counts.
///
/// Source: ICAO Doc 9303 part 3, section 4.9.
public struct MRZCheckDigit: Sendable, Hashable {
    /// The fields that have a check digit.
    public enum Field: String, Sendable, CaseIterable {
        case number, birth, expiry, optional, composite
    }

    public let field: Field
    /// Whether the printed digit is right. `false` also for a letter in its place.
    public let isRight: Bool
    /// Whether `<` is printed for an empty field, as the standard allows.
    public let isEmpty: Bool

    /// The check digit of text.
    /// - Returns: 0…9, or `nil` if a character is not one of 0–9, A–Z, and `<`.
    public static func of(_ text: some StringProtocol) -> Int? { of(text.utf8) }

    package static func of(_ characters: some Sequence<UInt8>) -> Int? {
        var sum = 0, weight = 7
        for character in characters {
            guard let value = value(of: character) else { return nil }
            sum += weight * value
            weight = weight == 7 ? 3 : weight == 3 ? 1 : 7
        }
        return sum % 10
    }

    /// The value of a character, 0…35, or `nil`.
    package static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) - 48
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 55
        case UInt8(ascii: "<"): 0
        default: nil
        }
    }
}
