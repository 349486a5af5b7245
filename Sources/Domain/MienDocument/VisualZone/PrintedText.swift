public import MienCore

/// Cleanup of what OCR reads, by the kind of text that is expected.
public enum PrintedText {
    /// Longer texts are not fields.
    public static let maxBytes = 80

    /// Letters, spaces, hyphens, and apostrophes, in capitals. Digits that look like letters become
    /// these letters.
    /// - Returns: `nil` without two letters, or with other characters.
    public static func name(_ text: String) -> String? {
        guard text.utf8.count <= maxBytes else { return nil }
        var out = ""
        for scalar in text.uppercased().unicodeScalars {
            switch scalar {
            case "0": out += "O"
            case "1", "|": out += "I"
            case "5": out += "S"
            case "8": out += "B"
            case "’", "‘", "`": out += "'"
            case "-", "'": out.unicodeScalars.append(scalar)
            // Dirt at the edges of words.
            case " ", ".", ",", "_", "~", "*", "\"", "“", "”", "—", "–": out += " "
            default:
                guard scalar.properties.isAlphabetic else { return nil }
                out.unicodeScalars.append(scalar)
            }
        }
        let words = out.split(separator: " ").map(trimmed).filter { !$0.isEmpty }
        let name = words.joined(separator: " ")
        let letters = name.unicodeScalars.filter(\.properties.isAlphabetic)
        return letters.count >= 2 && name.utf8.count <= maxBytes ? name : nil
    }

    private static func trimmed(_ word: Substring) -> String {
        var word = word
        while let first = word.first, first == "-" || first == "'" { word.removeFirst() }
        while let last = word.last, last == "-" || last == "'" { word.removeLast() }
        return String(word)
    }

    /// Digits and capital letters without anything between them; 5 to 20, at least two of them
    /// digits.
    public static func number(_ text: String) -> String? {
        guard text.utf8.count <= maxBytes else { return nil }
        var out: [UInt8] = []
        for byte in text.uppercased().utf8 {
            switch byte {
            case 48...57, 65...90: out.append(byte)
            // Space, hyphen, period, slash.
            case 32, 45, 46, 47: break
            default: return nil
            }
        }
        let digits = out.filter { $0 < 58 }.count
        return (5...20).contains(out.count) && digits >= 2
            ? String(decoding: out, as: UTF8.self) : nil
    }

    /// The order of the parts of dates that are written with digits only.
    public enum DateOrder: Sendable, Hashable, CaseIterable {
        case dayFirst, monthFirst
        /// Dates that mean different days in both orders are not read.
        case unknown
    }

    /// A day written as 31.12.2030, 12/31/2030, 2030-12-31, or 31 DEC 2030. Letters that look like
    /// digits become these digits.
    public static func date(_ text: String, order: DateOrder) -> CalendarDate? {
        guard text.utf8.count <= maxBytes else { return nil }
        let parts = text.uppercased().split { " .,/-–—".contains($0) }.map(String.init)
        guard parts.count == 3 || parts.count == 4 else { return nil }
        // 31 DEC/DÉC 2030: a month in two languages.
        if let month = months[String(parts[1].prefix(3))] {
            guard let day = digits(parts[0]), let year = digits(parts[parts.count - 1]),
                parts[parts.count - 1].utf8.count == 4
            else { return nil }
            return CalendarDate(year: year, month: month, day: day)
        }
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap(digits), sizes = parts.map(\.utf8.count)
        guard numbers.count == 3, sizes[1] <= 2 else { return nil }
        if sizes[0] == 4, sizes[2] <= 2 {
            return CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2])
        }
        guard sizes[2] == 4, sizes[0] <= 2 else { return nil }
        let dayFirst = CalendarDate(year: numbers[2], month: numbers[1], day: numbers[0])
        let monthFirst = CalendarDate(year: numbers[2], month: numbers[0], day: numbers[1])
        switch order {
        case .dayFirst: return dayFirst
        case .monthFirst: return monthFirst
        case .unknown:
            return dayFirst == monthFirst || monthFirst == nil
                ? dayFirst : dayFirst == nil ? monthFirst : nil
        }
    }

    /// The number that digits, and letters that look like digits, write.
    private static func digits(_ text: String) -> Int? {
        guard text.utf8.contains(where: { (48...57).contains($0) }) else { return nil }
        var out: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57: out.append(byte)
            case UInt8(ascii: "O"), UInt8(ascii: "Q"), UInt8(ascii: "D"): out.append(48)
            case UInt8(ascii: "I"), UInt8(ascii: "L"), UInt8(ascii: "|"): out.append(49)
            case UInt8(ascii: "Z"): out.append(50)
            case UInt8(ascii: "S"): out.append(53)
            case UInt8(ascii: "B"): out.append(56)
            default: return nil
            }
        }
        return out.count <= 4 ? decimal(out) : nil
    }

    private static let months = [
        "JAN": 1, "FEB": 2, "FÉV": 2, "FEV": 2, "MAR": 3, "MÄR": 3, "APR": 4, "AVR": 4, "MAY": 5,
        "MAI": 5, "JUN": 6, "JUL": 7, "AUG": 8, "AOU": 8, "AOÛ": 8, "SEP": 9, "OCT": 10, "OKT": 10,
        "NOV": 11, "DEC": 12, "DÉC": 12, "DEZ": 12,
    ]

    /// Whether texts differ by at most one character in five, or by one accent: so little that OCR
    /// may have misread one of them. An altered letter in the printed text looks the same.
    static func isNearlySame(_ a: String, _ b: String) -> Bool {
        let (wrong, length) = differences(a, b)
        return wrong <= max(1, length / 5)
    }

    /// Whether at least half of the characters agree: otherwise the text is more likely that of
    /// another field, or dirt, than a contradiction.
    static func resembles(_ a: String, _ b: String) -> Bool {
        let (wrong, length) = differences(a, b)
        return wrong * 2 <= length
    }

    /// The wrong, missing, and additional characters, and the length of the longer text.
    private static func differences(_ a: String, _ b: String) -> (Int, Int) {
        let x = Array(folded(a).utf8.prefix(maxBytes)), y = Array(folded(b).utf8.prefix(maxBytes))
        // Levenshtein's distance, row by row.
        var row = Array(0...y.count)
        for (i, p) in x.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, q) in y.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (p == q ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return (row[y.count], max(x.count, y.count))
    }

    /// The text with characters that OCR mistakes for each other made equal.
    static func folded(_ text: String) -> String {
        String(
            decoding: text.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "O"), UInt8(ascii: "Q"), UInt8(ascii: "D"): UInt8(ascii: "0")
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                case UInt8(ascii: "Z"): UInt8(ascii: "2")
                case UInt8(ascii: "S"): UInt8(ascii: "5")
                case UInt8(ascii: "G"): UInt8(ascii: "6")
                case UInt8(ascii: "B"): UInt8(ascii: "8")
                default: byte
                }
            }, as: UTF8.self)
    }
}
