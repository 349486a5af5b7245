/// Base32 (RFC 4648 §6).
enum Base32 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0, count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(digits[Int(bits >> UInt32(count)) & 31])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(5 - count)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes as authenticator apps do: leftover bits are ignored, and padding is optional.
    ///
    /// - Returns: `nil` for other characters.
    static func decode(_ text: String) -> [UInt8]? {
        var letters = Array(text.utf8)
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0, count = 0
        for letter in letters {
            guard let value = value(of: letter) else { return nil }
            bits = bits << 5 | UInt32(value)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): letter - UInt8(ascii: "2") + 26
        // Digits that the alphabet leaves out, mistaken for letters.
        case UInt8(ascii: "0"): UInt8(ascii: "O") - UInt8(ascii: "A")
        case UInt8(ascii: "1"): UInt8(ascii: "I") - UInt8(ascii: "A")
        case UInt8(ascii: "8"): UInt8(ascii: "B") - UInt8(ascii: "A")
        default: nil
        }
    }
}
