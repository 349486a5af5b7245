/// Base64 with `-` and `_` and without padding: RFC 4648 §5, as JOSE and WebAuthn use it.
public enum Base64URL {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    // Apart from other sequences, which callers in other modules would pass one byte at a time.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0, count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count)) & 63])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count)) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` for any other character, padding, an impossible length, or leftover bits
    ///   that are not zero. Each value therefore has exactly one spelling.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0, count = 0, length = 0
        for digit in text.utf8 {
            let value = values[Int(digit)]
            guard value != 0xff else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            length += 1
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard length % 4 != 1, bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
        return bytes
    }
}
