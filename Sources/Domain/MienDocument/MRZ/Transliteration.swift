/// How a machine-readable zone writes names in A–Z.
///
/// Latin letters with accents, and Cyrillic, Greek, and Arabic letters. Where the standard, or a
/// state, has several ways to write a letter, all of them count. Other scripts are not supported.
///
/// Sources: ICAO Doc 9303 part 3, section 6, tables A, B, and C; ELOT 743 for Greek.
public enum Transliteration {
    /// The spellings of a letter, the recommended one first; `nil` for a character that the tables
    /// do not have. Apostrophes and some signs are left out: their spelling is empty. Hyphens,
    /// spaces, and commas become fillers.
    static func spellings(of scalar: Unicode.Scalar) -> [String]? {
        switch scalar {
        case "A"..."Z": return [String(scalar)]
        case "a"..."z": return [String(scalar).uppercased()]
        case " ", "-", ",", "\u{2010}", "\u{2011}", "\u{00A0}", "/": return ["<"]
        case "'", "\u{2019}", "\u{02BC}", "`", "\u{00B4}", ".", "ь", "Ь": return [""]
        default:
            return table[scalar]
                ?? (scalar.properties.canonicalCombiningClass == .notReordered ? nil : [""])
        }
    }

    /// The name in A–Z and `<` with the recommended spelling of every letter; `nil` when a character
    /// is not supported.
    ///
    /// Letters composed of several characters must be composed (NFC); otherwise their accents are
    /// left out.
    public static func recommended(_ name: some StringProtocol) -> String? {
        var out = ""
        for scalar in name.unicodeScalars {
            guard let spelling = spellings(of: scalar)?.first else { return nil }
            out += spelling
        }
        return out
    }

    /// Whether the zone of a document may spell the name in a way that no table has. States that
    /// write in Arabic letters mostly print a name as it sounds.
    public static func isSpelledFreely(_ name: some StringProtocol) -> Bool {
        name.unicodeScalars.contains { ("\u{0621}"..."\u{06D3}").contains($0) }
    }

    /// Whether a word or words of a machine-readable zone spell a name.
    ///
    /// - Parameters:
    ///   - words: Without fillers.
    ///   - name: As people write it, at most 256 characters.
    ///   - allowingMoreWords: Whether the zone may have further words after the name.
    ///   - mayBeTruncated: Whether the zone may end before the name does.
    /// - Returns: `nil` when the name has characters that are not supported, or is too long.
    public static func matches(
        _ words: [String], _ name: String, allowingMoreWords: Bool, mayBeTruncated: Bool
    ) -> Bool? {
        // Fillers between words do not count, because people write Marie-Claire as one word or as
        // two, but the ends of words do, so that Ann is not Anna.
        let target = words.map { Array($0.utf8) }
        let ends = Set(target.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) })
        let letters = target.flatMap { $0 }
        guard name.unicodeScalars.count <= 256 else { return nil }
        var reached: Set<Int> = [0], hasLetter = false, endedEarly = false
        let scalars = Array(name.unicodeScalars)
        for (place, scalar) in scalars.enumerated() {
            guard let spellings = spellings(of: scalar) else { return nil }
            let before = place > 0 ? scalars[place - 1] : nil
            let after = place + 1 < scalars.count ? scalars[place + 1] : nil
            var next: Set<Int> = []
            for spelling in spellings where isPossible(spelling, of: scalar, before, after) {
                let text = Array(spelling.utf8).filter { $0 != UInt8(ascii: "<") }
                if !text.isEmpty { hasLetter = true }
                for start in reached {
                    let rest = letters[start...].prefix(text.count)
                    if rest.elementsEqual(text) {
                        next.insert(start + text.count)
                    } else if mayBeTruncated, start + rest.count == letters.count,
                        text.starts(with: rest)
                    {
                        endedEarly = true
                    }
                }
            }
            reached = next
        }
        guard hasLetter, !letters.isEmpty else { return false }
        if reached.contains(letters.count) || endedEarly { return true }
        return allowingMoreWords && reached.contains { ends.contains($0) && $0 > 0 }
    }

    /// Whether a letter may have a spelling that it has only beside others, such as the `B` of `ΜΠ`, and
    /// the hard sign, which is left out before soft vowels. Otherwise, Μαρία could be `ARIA`.
    private static func isPossible(
        _ spelling: String, of letter: Unicode.Scalar, _ before: Unicode.Scalar?,
        _ after: Unicode.Scalar?
    ) -> Bool {
        func isOne(_ scalar: Unicode.Scalar?, of letters: String) -> Bool {
            scalar.map { letters.unicodeScalars.contains($0) } ?? false
        }
        let isUpsilon = isOne(letter, of: "ΥΎΫυύϋΰ")
        switch (letter, spelling) {
        case ("Μ", ""), ("μ", ""): return isOne(after, of: "Ππ")
        case ("Π", "B"), ("π", "B"): return isOne(before, of: "Μμ")
        case ("Τ", "D"), ("τ", "D"): return isOne(before, of: "Νν")
        case ("Γ", "N"), ("γ", "N"): return isOne(after, of: "ΓγΞξΧχ")
        case ("Ъ", ""), ("ъ", ""): return isOne(after, of: "ЕЁЮЯеёюя")
        case (_, "U") where isUpsilon: return isOne(before, of: "ΟΌοό")
        case (_, "V") where isUpsilon, (_, "F") where isUpsilon:
            return isOne(before, of: "ΑΆΕΈΗΉαάεέηή")
        default: return true
        }
    }

    private static let table: [Unicode.Scalar: [String]] = {
        var table: [Unicode.Scalar: [String]] = [:]
        for entry in TransliterationTable.all.split(separator: " ") {
            let parts = entry.split(separator: ":")
            let spellings = parts[1].split(separator: "|").map { $0 == "_" ? "" : String($0) }
            for scalar in parts[0].unicodeScalars {
                table[scalar] = spellings
                for lower in String(scalar).lowercased().unicodeScalars.prefix(1)
                where table[lower] == nil { table[lower] = spellings }
            }
        }
        return table
    }()
}
