/// Hexadecimal as people type it.
enum Hex {
    /// - Returns: `nil` unless the text consists of pairs of digits, with or without spaces between
    ///   them.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard let digits = nibbles(text.utf8.filter { $0 != UInt8(ascii: " ") }),
            digits.count % 2 == 0
        else { return nil }
        return pack(digits)
    }

    /// Encodes in upper case, as masks of cards are written.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func nibbles(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var values: [UInt8] = []
        for digit in text {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): values.append(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                values.append(digit - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                values.append(digit - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return values
    }

    /// Packs two digits into each byte. An odd last digit is padded with a zero.
    static func pack(_ nibbles: [UInt8]) -> [UInt8] {
        stride(from: 0, to: nibbles.count, by: 2).map {
            nibbles[$0] << 4 | ($0 + 1 < nibbles.count ? nibbles[$0 + 1] : 0)
        }
    }
}
