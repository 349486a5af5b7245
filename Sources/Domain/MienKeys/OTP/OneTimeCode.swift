internal import MienCore

/// A one-time code as it is shown and typed: decimal digits, or hexadecimal ones for an OCRA suite
/// without truncation. Never prints by itself.
public struct OneTimeCode: Sendable {
    /// The text to show or send to its owner.
    public let text: String

    init(_ text: String) { self.text = text }

    /// The maximum length of typed text in UTF-8 bytes, with room for digits of any script.
    private static let maxTypedBytes = 1024

    /// Parses text that somebody typed or sent, as ``TypedCode``.
    ///
    /// - Returns: `nil` unless the text has 1 to 128 decimal or hexadecimal digits.
    public init?(typed text: some StringProtocol) {
        guard text.utf8.count <= Self.maxTypedBytes else { return nil }
        let digits = Array(TypedCode.normal(text).utf8)
        guard (1...128).contains(digits.count), Hex.nibbles(digits) != nil else { return nil }
        self.text = String(decoding: digits, as: UTF8.self).lowercased()
    }

    /// Compares two codes in constant time.
    public func matches(_ other: OneTimeCode) -> Bool {
        let (a, b) = (Array(text.utf8), Array(other.text.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns the code with leading zeros.
    func padded(to digits: Int) -> OneTimeCode {
        OneTimeCode(String(repeating: "0", count: max(0, digits - text.utf8.count)) + text)
    }

    /// Truncates an HMAC (RFC 4226 §5.3): four bytes at the offset given by the last byte, without
    /// the sign bit, modulo a power of ten.
    static func truncated(_ hmac: [UInt8], digits: Int) -> OneTimeCode {
        let offset = Int(hmac[hmac.count - 1] & 15)
        let number =
            hmac[offset..<offset + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x7fff_ffff
        return decimal(number % powerOfTen(digits), digits: digits)
    }

    static func decimal(_ number: UInt64, digits: Int) -> OneTimeCode {
        let text = String(number)
        return OneTimeCode(String(repeating: "0", count: max(0, digits - text.count)) + text)
    }

    private static func powerOfTen(_ exponent: Int) -> UInt64 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}

extension OneTimeCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
