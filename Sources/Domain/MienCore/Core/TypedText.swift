/// Random text that people copy by hand: groups of five characters in Crockford's base32, which
/// omits I, L, O, and U.
///
/// Input is read as ``TypedCode``, ignores case, and reads the letters that look like 0 and 1 as those.
/// Source: Crockford, "Base 32", https://www.crockford.com/base32.html.
public enum TypedText {
    private static let groupLength = 5
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Draws `count` characters, 5 random bits each.
    public static func random(_ count: Int, using generator: inout some RandomNumberGenerator)
        -> [UInt8]
    {
        generator.bytes(count).map { alphabet[Int($0 & 31)] }
    }

    /// Parses text that somebody typed.
    ///
    /// - Parameter count: The number of characters, without spaces and hyphens.
    /// - Returns: `nil` if the text has other characters or another number of them.
    public static func characters(_ typed: some StringProtocol, count: Int) -> [UInt8]? {
        var characters: [UInt8] = []
        for byte in TypedCode.normal(typed).utf8 {
            guard characters.count < count, let character = character(byte) else { return nil }
            characters.append(character)
        }
        return characters.count == count ? characters : nil
    }

    /// The written form: `7K3QF-2M9XA`.
    public static func written(_ characters: [UInt8]) -> String {
        stride(from: 0, to: characters.count, by: groupLength).map {
            String(
                decoding: characters[$0..<min($0 + groupLength, characters.count)], as: UTF8.self)
        }.joined(separator: "-")
    }

    private static func character(_ typed: UInt8) -> UInt8? {
        let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(typed) ? typed - 32 : typed
        switch upper {
        case UInt8(ascii: "O"): return UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return UInt8(ascii: "1")
        default: return alphabet.contains(upper) ? upper : nil
        }
    }
}
