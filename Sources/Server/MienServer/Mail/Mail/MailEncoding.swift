internal import MienCore

/// Encodes free-text header values.
enum MailHeader {
    /// The maximum size of an encoded word in bytes, so that its line stays within 76 characters:
    /// RFC 2047 §2.
    private static let wordBytes = 39

    /// Returns the name of a mailbox: in quotation marks, or as encoded words.
    static func phrase(_ text: String, after name: String) -> String {
        let written = unstructured(text, after: name)
        // Encoded words have no meaning in quotation marks.
        guard written == clean(text) else { return written }
        return "\"\(written.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    private static func clean(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }

    /// Returns short printable ASCII unchanged, and anything else as encoded words, each on its own
    /// line.
    static func unstructured(_ text: String, after name: String) -> String {
        let clean = clean(text)
        let isPlain =
            clean.utf8.allSatisfy { $0 < 0x80 } && clean.utf8.count + name.utf8.count <= 76
            && !clean.contains("=?")
        return isPlain
            ? clean
            : words(clean).map { "=?utf-8?B?\(Base64URL.standard(Array($0.utf8)))?=" }.joined(
                separator: "\r\n ")
    }

    /// Splits the text after spaces, because some programs show one between encoded words; otherwise
    /// between Unicode scalars: RFC 2047 §5 (3).
    private static func words(_ text: String) -> [String] {
        var words: [Substring] = [], rest = text[...]
        while !rest.isEmpty {
            var end = rest.startIndex, length = 0, afterSpace: String.Index?
            while end < rest.endIndex {
                let scalar = rest.unicodeScalars[end]
                length += UTF8.width(scalar)
                if length > wordBytes { break }
                end = rest.unicodeScalars.index(after: end)
                if scalar == " " { afterSpace = end }
            }
            if end < rest.endIndex, let afterSpace { end = afterSpace }
            words.append(rest[..<end])
            rest = rest[end...]
        }
        return words.map(String.init)
    }
}

/// Encodes any text in lines that every relay accepts: RFC 2045 §6.7.
enum QuotedPrintable {
    private static let lineLength = 76

    static func encode(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { line(Array($0.utf8)) }.joined(
                separator: "\r\n")
    }

    private static func line(_ bytes: [UInt8]) -> String {
        var lines: [String] = [], current = ""
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isPlain =
                (33...126).contains(byte) && byte != UInt8(ascii: "=")
                || byte == UInt8(ascii: " ") && !isLast
            let piece = isPlain ? String(UnicodeScalar(byte)) : "=" + hex(byte)
            // Leave room for the "=" of a soft line break.
            if current.utf8.count + piece.utf8.count > lineLength - (isLast ? 0 : 1) {
                lines.append(current + "=")
                current = ""
            }
            current += piece
        }
        return (lines + [current]).joined(separator: "\r\n")
    }

    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + text : text
    }
}

extension Base64URL {
    /// Encodes in standard base64, with `+`, `/`, and padding: RFC 4648 §4.
    static func standard(_ bytes: [UInt8]) -> String {
        let text = encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}
