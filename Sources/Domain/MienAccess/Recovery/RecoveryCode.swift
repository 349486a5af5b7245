public import MienCore

/// A single-use code that restores access to an account: 100 random bits as four groups of five
/// characters, `7K3QF-…`.
///
/// Written in Crockford's base32, which omits I, L, O, and U. Input ignores case, spaces, and
/// hyphens, and reads the letters that look like 0 and 1 as those. Source: Crockford, "Base 32",
/// https://www.crockford.com/base32.html.
public struct RecoveryCode: Sendable, Hashable {
    /// The number of codes in a set.
    public static let countInSet = 10
    /// The maximum length of typed text in UTF-8 bytes: the written form, with room for spaces.
    public static let maxTypedBytes = 64

    private static let length = 20, groupLength = 5
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// 20 bytes of the alphabet.
    private let characters: [UInt8]

    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self(characters: generator.bytes(length).map { alphabet[Int($0 & 31)] })
    }

    /// Parses text that somebody typed.
    ///
    /// - Returns: `nil` if the text is not a code. Texts longer than ``maxTypedBytes`` are refused
    ///   without being read.
    public init?(typed text: String) {
        guard text.utf8.count <= Self.maxTypedBytes else { return nil }
        var characters: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-") {
            guard let character = Self.character(byte) else { return nil }
            characters.append(character)
        }
        guard characters.count == Self.length else { return nil }
        self.characters = characters
    }

    private init(characters: [UInt8]) { self.characters = characters }

    private static func character(_ typed: UInt8) -> UInt8? {
        let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(typed) ? typed - 32 : typed
        switch upper {
        case UInt8(ascii: "O"): return UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return UInt8(ascii: "1")
        default: return alphabet.contains(upper) ? upper : nil
        }
    }

    /// The written form, shown once: `7K3QF-2M9XA-…`.
    public var text: Sensitive<String> {
        let groups = stride(from: 0, to: Self.length, by: Self.groupLength).map {
            String(decoding: characters[$0..<$0 + Self.groupLength], as: UTF8.self)
        }
        return Sensitive(groups.joined(separator: "-"))
    }

    /// The bytes that are hashed to store or find the code.
    public var bytes: Sensitive<[UInt8]> { Sensitive(characters) }
}

/// Printing does not reveal the code.
extension RecoveryCode: CustomStringConvertible, CustomReflectable {
    public var description: String { "a recovery code" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
