/// The challenge of one party, or of both put together.
public struct OCRAQuestion: Sendable, Hashable {
    public let format: OCRASuite.QuestionFormat
    public let text: String

    /// - Parameters:
    ///   - text: up to as many characters as the suite says, of the kind it says.
    ///   - other: the other party's, when both ask (RFC 6287 §7.2): the one whose response is
    ///     computed comes second.
    public init(_ text: String, then other: String? = nil, for suite: OCRASuite) throws(OTPError) {
        for part in [text, other].compactMap({ $0 }) { try Self.check(part, suite) }
        (format, self.text) = (suite.questionFormat, text + (other ?? ""))
    }

    private static func check(_ text: String, _ suite: OCRASuite) throws(OTPError) {
        guard (1...suite.questionLength).contains(text.utf8.count) else {
            throw OTPError(
                .question,
                "a question under \(suite) has 1 to \(suite.questionLength) characters, this one has \(text.utf8.count)"
            )
        }
        guard text.utf8.allSatisfy({ suite.questionFormat.allows($0) }) else {
            throw OTPError(
                .question,
                "a question under \(suite) consists of \(suite.questionFormat.characters)")
        }
    }

    /// 128 bytes, zeros behind: digits as a hexadecimal number, letters as they are, hexadecimal as
    /// it is.
    var bytes: [UInt8] {
        let value =
            switch format {
            case .numeric: Hex.pack(Self.hexadecimalDigits(ofDecimal: text))
            case .alphanumeric: Array(text.utf8)
            case .hexadecimal: Hex.pack(Hex.nibbles(text.utf8) ?? [])
            }
        return value + [UInt8](repeating: 0, count: 128 - value.count)
    }

    /// Schoolbook division: 128 decimal digits do not fit into any integer of the language.
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
        case .alphanumeric: "letters A-Z, a-z and digits 0-9"
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
