/// Limits the cost of Unicode operations on untrusted text.
///
/// Swift compares, hashes, and normalizes text by canonical equivalence, which sorts each run of
/// combining marks by insertion: a run of n marks takes about n² steps. For text with bounded runs,
/// the time is linear in its length.
///
/// Source: Unicode Standard Annex #15, §13, Stream-Safe Text Format.
public enum StreamSafeText {
    /// The maximum number of combining marks in a row, from the annex. No language needs longer
    /// runs.
    public static let maxMarks = 30
}

extension String {
    /// The same as for any text, faster.
    public var isStreamSafe: Bool {
        utf8.allSatisfy { $0 < 0xCC } || self[...].isStreamSafe
    }
}

extension StringProtocol {
    /// Whether the text has at most ``StreamSafeText/maxMarks`` combining marks in a row, counted
    /// after decomposition.
    ///
    /// Marks from the decomposition of a preceding letter, at most three, do not count.
    public var isStreamSafe: Bool {
        // Marks begin at U+0300, whose UTF-8 begins with 0xCC. Smaller characters have no byte that
        // large.
        guard utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var marks = 0
        for scalar in unicodeScalars {
            let count = scalar.markCount
            marks = count == 0 ? 0 : marks + count
            if marks > StreamSafeText.maxMarks { return false }
        }
        return true
    }

    /// Whether Swift may take part of the text for ASCII by mistake: whether it contains one of the
    /// three characters that are canonically equivalent to an ASCII character.
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

    /// The number of combining marks in the character's decomposition, or 0 if that contains
    /// anything else.
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
