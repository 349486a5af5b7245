internal import MienCore

/// An authenticator's ID in 16 bytes, so that memory is taken by faces and not by their names. IDs
/// that are not random, such as those of tests, are kept as text.
///
/// Keys are ordered as their IDs.
enum FaceKey: Hashable, Sendable {
    case random(high: UInt64, low: UInt64)
    case other(String)

    private static let prefix = Array("\(AuthenticatorKind.prefix)_".utf8)
    /// The characters of base64url in the order of their bytes, unlike that of their values.
    private static let characters = Array(
        "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
    private static let ranks: [UInt8: UInt64] = Dictionary(
        uniqueKeysWithValues: characters.enumerated().map { ($1, UInt64($0)) })
    /// 21 characters hold 126 bits, and the last one the 2 others: one of these four.
    private static let lastCharacters = Array("AQgw".utf8)
    private static let half = 11, count = 22

    init(_ id: AuthenticatorID) {
        let text = Array(id.text.utf8), start = Self.prefix.count
        guard text.count == start + Self.count, text.starts(with: Self.prefix),
            let last = Self.lastCharacters.firstIndex(of: text[text.count - 1])
        else {
            self = .other(id.text)
            return
        }
        // The eleventh character is divided: 60 and 4 bits make a word, and 2, 60, and 2 the other.
        var high: UInt64 = 0, low: UInt64 = 0
        for (index, character) in text[start..<text.count - 1].enumerated() {
            guard let rank = Self.ranks[character] else {
                self = .other(id.text)
                return
            }
            if index < Self.half - 1 {
                high = high << 6 | rank
            } else if index < Self.half {
                high = high << 4 | rank >> 2
                low = rank & 3
            } else {
                low = low << 6 | rank
            }
        }
        self = .random(high: high, low: low << 2 | UInt64(last))
    }

    /// The ID; `nil` never for a key that was made of one.
    var id: AuthenticatorID? {
        switch self {
        case .other(let text): return AuthenticatorID(text)
        case .random(let high, let low):
            var ranks: [UInt64] = []
            for index in 0..<Self.half - 1 { ranks.append(high >> (58 - 6 * UInt64(index)) & 63) }
            ranks.append((high & 15) << 2 | low >> 62)
            for index in 0..<Self.half - 1 { ranks.append(low >> (56 - 6 * UInt64(index)) & 63) }
            let text =
                Self.prefix + ranks.map { Self.characters[Int($0)] }
                + [Self.lastCharacters[Int(low & 3)]]
            return AuthenticatorID(String(decoding: text, as: UTF8.self))
        }
    }
}

extension FaceKey: Comparable {
    static func < (a: Self, b: Self) -> Bool {
        if case .random(let aHigh, let aLow) = a, case .random(let bHigh, let bLow) = b {
            return (aHigh, aLow) < (bHigh, bLow)
        }
        return (a.id?.text ?? "") < (b.id?.text ?? "")
    }
}
