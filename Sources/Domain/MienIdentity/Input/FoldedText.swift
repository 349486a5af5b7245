internal import Foundation
internal import MienCore

/// The words of a name or an address in the form in which they are compared: without case, accents,
/// and punctuation.
///
/// Accents are written in two ways across the world's registries: dropped (`Muller`) or spelled out
/// (`Mueller`). Both are kept, and two texts are alike if any of their spellings are.
struct FoldedText: Sendable, Hashable {
    /// The words with their accents dropped.
    let words: [String]
    /// The words with umlauts and similar letters spelled out; equal to ``words`` for most texts.
    let spelledOut: [String]

    /// - Parameter text: at most ``PersonalData/maxFieldBytes`` of stream-safe text.
    init(_ text: String) {
        // Nothing of ASCII decomposes, and almost all data of registries is ASCII.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            let words = Self.words(ascii: text)
            self.init(words: words, spelledOut: words)
        } else {
            self.init(anyText: text)
        }
    }

    /// Folds text of any kind; ``init(_:)`` gives the same result, faster.
    init(anyText text: String) {
        let composed = text.precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping
        words = Self.words(composed, spelling: [:])
        spelledOut =
            composed.unicodeScalars.contains { Self.spellings[$0] != nil }
            ? Self.words(composed, spelling: Self.spellings) : words
    }

    init(words: [String], spelledOut: [String]) {
        (self.words, self.spelledOut) = (words, spelledOut)
    }

    /// Each spelling, without spaces between words: `de la Cruz` and `Delacruz` are alike.
    var joined: [String] {
        let plain = words.joined()
        if isPlain { return [plain] }
        let other = spelledOut.joined()
        return plain == other ? [plain] : [plain, other]
    }

    var isEmpty: Bool { words.isEmpty }

    func map(_ transform: ([String]) -> [String]) -> FoldedText {
        let plain = transform(words)
        return FoldedText(words: plain, spelledOut: isPlain ? plain : transform(spelledOut))
    }

    /// Whether there is only one spelling. Quick, because the arrays then are the same in memory.
    private var isPlain: Bool { words == spelledOut }

    /// Letters that are spelled out in passports (ICAO Doc 9303-3, section 6).
    private static let spellings: [Unicode.Scalar: String] = [
        "ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe",
    ]

    /// Letters that do not decompose into a base letter and an accent.
    private static let letters: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l",
        "ı": "i", "ŋ": "n", "ħ": "h", "ŧ": "t", "ĸ": "k", "ŀ": "l",
    ]

    /// Signs that join the letters around them, as in O’Brien.
    private static let joining: Set<Unicode.Scalar> = [
        "'", "’", "‘", "ʼ", "ʻ", "`", "´", ".", "·",
    ]

    private static func words(ascii text: String) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte | 0x20)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                word.append(byte)
            case UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "."): continue
            case UInt8(ascii: "#"):
                end()
                words.append("#")
            default: end()
            }
        }
        end()
        return words
    }

    private static func words(_ text: String, spelling: [Unicode.Scalar: String]) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if let spelled = spelling[scalar] {
                word += spelled
                continue
            }
            for part in String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars {
                if let letters = letters[part] {
                    word += letters
                } else if part.isAccent || joining.contains(part) {
                    continue
                } else if part.properties.isAlphabetic || part.isDigit || part.isKeptMark {
                    word.unicodeScalars.append(part)
                } else if part == "#" || part == "№" {
                    // Introduces a unit: `#4` is `Unit 4`.
                    if !word.isEmpty { words.append(word) }
                    words.append("#")
                    word = ""
                } else if !word.isEmpty {
                    words.append(word)
                    word = ""
                }
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { properties.generalCategory == .decimalNumber }

    private var combiningClass: UInt8 { properties.canonicalCombiningClass.rawValue }

    /// Whether the mark may be omitted without changing the letter. Classes 7 to 9 are part of the
    /// letter: nukta, the sound marks of Japanese, and virama.
    fileprivate var isAccent: Bool { combiningClass >= 10 }

    fileprivate var isKeptMark: Bool {
        (1...9).contains(combiningClass)
            || [.nonspacingMark, .spacingMark].contains(properties.generalCategory)
                && combiningClass == 0
    }
}
