/// Percent-encoding for URLs and forms (RFC 3986 §2.1).
public enum PercentEncoding {
    /// Encodes everything but `A-Z a-z 0-9 - . _ ~`. The result is valid in a path segment, in a
    /// query value, and in a form.
    public static func encode(_ text: some StringProtocol) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// Decodes a form value, in which `+` is a space.
    ///
    /// - Returns: `nil` for a `%` without two hexadecimal digits, or for a result that is not
    ///   UTF-8, contains a NUL, or has more than ``StreamSafeText/maxMarks`` combining marks in a
    ///   row.
    public static func decodeForm(_ text: some StringProtocol) -> String? { decodeForm(text.utf8) }

    /// Decodes a form value from bytes that may not be UTF-8.
    public static func decodeForm(_ text: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = [], rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(32)
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(nibble), let low = rest.next().flatMap(nibble)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        guard let decoded = String(validUTF8: bytes), decoded.isStreamSafe else {
            return nil
        }
        return decoded
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
