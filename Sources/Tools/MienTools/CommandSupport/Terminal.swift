internal import Foundation
internal import MienCore

/// Output for people: tables on standard output, messages and progress on standard error. Escapes
/// control characters, so that text from elsewhere cannot control the terminal.
public enum Terminal {
    package static var errorIsTerminal: Bool { isatty(2) == 1 }
    package static var outputIsTerminal: Bool { isatty(1) == 1 }

    package static func warn(_ text: String) {
        FileHandle.standardError.write(Data((safe(text) + "\n").utf8))
    }

    package static func say(_ text: String) { print(safe(text)) }

    /// Escapes control characters, but keeps line breaks, which are the caller's, and the isolation of
    /// names: one that begins and ends in a line changes the direction of nothing else.
    package static func safe(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { safe(line: $0) }
            .joined(separator: "\n")
    }

    private static func safe(line: Substring) -> String {
        var rest = line.unicodeScalars, result = ""
        while let start = rest.firstIndex(of: "\u{2068}"),
            let end = rest[start...].firstIndex(of: "\u{2069}")
        {
            let name = String(rest[rest.index(after: start)..<end]).printable
            result += "\(String(rest[..<start]).printable)\u{2068}\(name)\u{2069}"
            rest = rest[rest.index(after: end)...]
        }
        return result + String(rest).printable
    }

    /// Formats rows with aligned columns, two spaces apart. With a `heading`, it becomes the first
    /// row. A name that is written from right to left stays in its column.
    public static func table(
        _ rows: [[String]], heading: [String]? = nil, rightAligned: Set<Int> = []
    )
        -> String
    {
        let all = (heading.map { [$0] } ?? []) + rows.map { $0.map(\.printable) }
        let columns = all.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            all.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
        }
        var lines = all.map { row in
            row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: widths[column] - text.count)
                let shown = text.isolated
                return rightAligned.contains(column) ? blanks + shown : shown + blanks
            }.joined(separator: "  ").trimmingSuffix(" ")
        }
        if heading != nil {
            lines.insert(
                widths.map { String(repeating: "─", count: $0) }.joined(separator: "  "), at: 1)
        }
        return lines.joined(separator: "\n")
    }
}

extension String {
    /// This text as a name within a sentence: printable, and in one piece whatever its direction is.
    package var inSentence: String { printable.isolated }

    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }

    /// Formats a number with a fixed number of decimals, independent of the locale.
    public static func decimal(_ value: Double, _ decimals: Int = 1) -> String {
        String(format: "%.\(decimals)f", value)
    }
}

extension Int {
    /// 11829299 → "11,829,299".
    public var grouped: String {
        var digits = String(magnitude), groups: [Substring] = []
        while digits.count > 3 {
            groups.append(Substring(digits.suffix(3)))
            digits.removeLast(3)
        }
        return (self < 0 ? "−" : "")
            + ([Substring(digits)] + groups.reversed()).joined(separator: ",")
    }
}
