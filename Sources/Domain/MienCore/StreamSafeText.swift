/// Bounds the cost of Unicode work on untrusted text.
///
/// Swift compares, hashes, and normalizes text by canonical equivalence, which sorts each run of
/// combining marks by insertion: a run of n marks costs on the order of n² steps. Text whose runs
/// are bounded costs time linear in its length.
///
/// Source: Unicode Standard Annex #15, §13, Stream-Safe Text Format.
public enum StreamSafeText {
    /// Combining marks in a row, as the annex has it. Longer runs occur in no language.
    public static let maxMarks = 30
}

extension StringProtocol {
    /// Whether the text has at most ``StreamSafeText/maxMarks`` combining marks in a row, counted
    /// after decomposition.
    ///
    /// Marks that a preceding letter decomposes to, three at most, do not count.
    public var isStreamSafe: Bool {
        // Marks begin at U+0300, whose UTF-8 begins with 0xCC. No other byte of smaller characters
        // is that large.
        guard utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var marks = 0
        for scalar in unicodeScalars {
            let count = scalar.markCount
            marks = count == 0 ? 0 : marks + count
            if marks > StreamSafeText.maxMarks { return false }
        }
        return true
    }

    /// Whether Swift may take a part of the text for ASCII that it is not: whether it holds one of
    /// the three characters that are canonically equivalent to an ASCII character.
    ///
    /// Without them, text equals an ASCII text only if their bytes are equal.
    public var hasASCIIEquivalents: Bool {
        utf8.contains { $0 >= 0xCC }
            && unicodeScalars.contains { Unicode.Scalar.asciiEquivalents.contains($0) }
    }
}

extension Unicode.Scalar {
    /// GREEK QUESTION MARK (;), GREEK VARIA (`), KELVIN SIGN (K).
    fileprivate static let asciiEquivalents: [Unicode.Scalar] = [
        "\u{037E}", "\u{1FEF}", "\u{212A}",
    ]

    /// How many combining marks the character decomposes to, if it decomposes to nothing else; else
    /// 0.
    fileprivate var markCount: Int {
        switch value {
        case ..<0x0300: 0
        case 0x0344, 0x0F73, 0x0F75, 0x0F81: 2
        // Halfwidth Katakana sound marks, which only compatibility decomposition turns into marks.
        case 0xFF9E, 0xFF9F: 1
        default: properties.canonicalCombiningClass == .notReordered ? 0 : 1
        }
    }
}
