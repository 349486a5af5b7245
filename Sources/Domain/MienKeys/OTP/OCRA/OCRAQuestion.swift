/// The challenge of one party, or of both concatenated.
public struct OCRAQuestion: Sendable, Hashable {
    public let format: OCRASuite.QuestionFormat
    public let text: String

    /// - Parameters:
    ///   - text: a question of the type and maximum length that the suite defines.
    ///   - other: the other party's question in mutual authentication (RFC 6287 §7.2). The party
    ///     whose response is computed comes second.
    public init(_ text: String, then other: String? = nil, for suite: OCRASuite) throws(OTPError) {
        for part in [text, other].compactMap({ $0 }) { try Self.check(part, suite) }
        (format, self.text) = (suite.questionFormat, text + (other ?? ""))
    }

    private static func check(_ text: String, _ suite: OCRASuite) throws(OTPError) {
        guard (1...suite.questionLength).contains(text.utf8.count) else {
            throw OTPError(
                .question,
                "a question for \(suite) must have 1 to \(suite.questionLength) characters, not \(text.utf8.count)"
            )
        }
        guard text.utf8.allSatisfy({ suite.questionFormat.allows($0) }) else {
            throw OTPError(
                .question,
                "a question for \(suite) must consist of \(suite.questionFormat.characters)")
        }
    }

    /// 128 bytes, padded with zeros at the end: digits as a hexadecimal number, letters and
    /// hexadecimal unchanged.
    var bytes: [UInt8] {
        let value =
            switch format {
            case .numeric: Hex.pack(Self.hexadecimalDigits(ofDecimal: text))
            case .alphanumeric: Array(text.utf8)
            case .hexadecimal: Hex.pack(Hex.nibbles(text.utf8) ?? [])
            }
        return value + [UInt8](repeating: 0, count: 128 - value.count)
    }

    /// Uses long division, because 128 decimal digits do not fit into any integer type.
    private static func hexadecimalDigits(ofDecimal text: String) -> [UInt8] {
        var digits = text.utf8.map { $0 - UInt8(ascii: "0") }, nibbles: [UInt8] = []
        repeat {
            var rest: UInt8 = 0
            digits = digits.map { digit in
                let value = rest * 10 + digit
                rest = value % 16
                return value / 16
            }
            nibbles.append(rest)
            digits = Array(digits.drop { $0 == 0 })
        } while !digits.isEmpty
        return nibbles.reversed()
    }
}

extension OCRASuite.QuestionFormat {
    public var characters: String {
        switch self {
        case .numeric: "digits 0-9"
        case .alphanumeric: "letters A-Z, a-z, and digits 0-9"
        case .hexadecimal: "hexadecimal digits 0-9, a-f"
        }
    }

    func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"):
            self != .numeric
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
            self == .alphanumeric
        default: false
        }
    }
}
