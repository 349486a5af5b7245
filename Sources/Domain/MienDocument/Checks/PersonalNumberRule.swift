/// Published check digits of national numbers, which some states print in the optional data.
///
/// A text of another form is not checked, because states put other data there as well; for Spain,
/// the Netherlands, and Poland the form is known.
struct PersonalNumberRule {
    private let zone: MachineReadableZone
    /// The digits of the text; empty if it has anything else.
    private let digits: [Int]
    private let text: [UInt8]

    static func verdict(_ zone: MachineReadableZone) -> DocumentCheck.Verdict {
        let data = zone.optionalData.filter { !$0.isEmpty }
        let issuer = zone.issuer.text
        guard !data.isEmpty else {
            return ["ESP", "NLD", "POL"].contains(issuer)
                ? .notChecked(.missing) : .notChecked(.noRule)
        }
        // Cards have two fields; the number is in either.
        let verdicts = data.map { PersonalNumberRule(zone, $0).verdict }
        return verdicts.first { $0 == .passed } ?? verdicts.first { $0 == .failed } ?? verdicts[0]
    }

    private init(_ zone: MachineReadableZone, _ data: String) {
        self.zone = zone
        // Finland and Luxembourg, among others, print fillers within the number.
        text = Array(data.utf8)
        digits = text.allSatisfy { (48...57).contains($0) } ? text.map { Int($0) - 48 } : []
    }

    private var verdict: DocumentCheck.Verdict {
        switch zone.issuer.text {
        case "ESP": return .init(isDNI)
        case "NLD" where zone.format == .td3:
            // The BSN: nine digits that pass the test of eleven.
            return .init(has(9, [9, 8, 7, 6, 5, 4, 3, 2, -1], 11))
        case "POL": return .init(isPESEL)
        default:
            return isNational.map { .init($0) } ?? .notChecked(.noRule)
        }
    }

    /// `nil` for an issuer without a rule here, and for text of another form.
    private var isNational: Bool? {
        switch (zone.issuer.text, digits.count) {
        // The national register number: 97 less the remainder, of births since 2000 with a 2 before.
        case ("BEL", 11):
            let head = number(0..<9), tail = number(9..<11)
            return tail == 97 - head % 97 || tail == 97 - (2_000_000_000 + head) % 97
        case ("BGR", 10): return sum([2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10 == digits[9]
        // Divisible by 11. Until 1985, a remainder of 10 was written as 0.
        case ("CZE", 10), ("SVK", 10):
            return number(0..<10).isMultiple(of: 11)
                || number(0..<9) % 11 == 10 && digits[9] == 0
        case ("EST", 11), ("LTU", 11): return isBaltic
        case ("HRV", 11): return isOIB
        // Two digits by modulo 11.
        case ("NOR", 11):
            return sum([3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).isMultiple(of: 11)
                && sum([5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).isMultiple(of: 11)
        case ("ROU", 13):
            let rest = sum([2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11
            return (rest == 10 ? 1 : rest) == digits[12]
        // The numbers that Yugoslavia introduced.
        case ("SVN", 13), ("SI<", 13), ("SRB", 13), ("BIH", 13), ("MKD", 13), ("MNE", 13):
            return (11 - sum([7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11 % 10 == digits[12]
        case ("SWE", 12): return Self.isLuhn(digits.suffix(10))
        case ("THA", 13): return (11 - sum(Array((2...13).reversed())) % 11) % 10 == digits[12]
        case ("TUR", 11): return isTurkish
        case ("ZAF", 13): return Self.isLuhn(digits[...])
        case ("FIN", _): return isFinnish
        case ("TWN", _): return isTaiwanese
        default: return nil
        }
    }

    private func sum(_ weights: [Int]) -> Int { NumberRule.weightedSum(digits, weights) }

    private func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { 10 * $0 + $1 } }

    private func has(_ count: Int, _ weights: [Int], _ modulus: Int) -> Bool {
        digits.count == count && sum(weights).isMultiple(of: modulus)
    }

    /// The DNI: eight digits and a letter, their remainder of 23.
    private var isDNI: Bool {
        guard text.count == 9, let number = decimal(text.prefix(8)) else { return false }
        return Array("TRWAGMYFPDXBNJZSQVHLCKE".utf8)[number % 23] == text[8]
    }

    /// The PESEL: eleven digits with the date of birth and a check digit.
    private var isPESEL: Bool {
        guard has(11, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10), let birth = zone.birth else {
            return false
        }
        let year = number(0..<2), month = number(2..<4) % 20, day = number(4..<6)
        return birth.year ?? year == year && birth.month ?? month == month
            && birth.day ?? day == day
    }

    /// Estonia and Lithuania: modulo 11, by other weights if the remainder is 10.
    private var isBaltic: Bool {
        let remainders = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 1], [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]].map {
            sum($0) % 11
        }
        return (remainders.first { $0 < 10 } ?? 0) == digits[10]
    }

    /// Croatia: ISO 7064, modulo 11 and 10.
    private var isOIB: Bool {
        let rest = digits.prefix(10).reduce(10) { rest, digit in
            let sum = (rest + digit) % 10
            return (sum == 0 ? 10 : sum) * 2 % 11
        }
        return (11 - rest) % 10 == digits[10]
    }

    private var isTurkish: Bool {
        let odd = [0, 2, 4, 6, 8].reduce(0) { $0 + digits[$1] }
        let even = [1, 3, 5, 7].reduce(0) { $0 + digits[$1] }
        return ((7 * odd - even) % 10 + 10) % 10 == digits[9]
            && digits.prefix(10).reduce(0, +) % 10 == digits[10]
    }

    /// Finland: the day of birth, a sign that the zone replaces by a filler, three digits, and a
    /// character for the remainder of 31.
    private var isFinnish: Bool? {
        guard text.count == 11, let head = decimal(text[0..<6]), let tail = decimal(text[7..<10])
        else { return nil }
        return Array("0123456789ABCDEFHJKLMNPRSTUVWXY".utf8)[(head * 1000 + tail) % 31] == text[10]
    }

    /// Taiwan: a letter that stands for two digits, and nine digits.
    private var isTaiwanese: Bool? {
        guard text.count == 10, decimal(text[1...]) != nil,
            let letter = Array("ABCDEFGHJKLMNPQRSTUVXYWZIO".utf8).firstIndex(of: text[0])
        else { return nil }
        let value = letter + 10, digits = text[1...].map { Int($0) - 48 }
        let sum = NumberRule.weightedSum(digits, [8, 7, 6, 5, 4, 3, 2, 1, 1])
        return (value / 10 + value % 10 * 9 + sum).isMultiple(of: 10)
    }

    private static func isLuhn(_ digits: ArraySlice<Int>) -> Bool {
        digits.reversed().enumerated().reduce(0) { sum, next in
            let doubled = next.offset.isMultiple(of: 2) ? next.element : 2 * next.element
            return sum + (doubled > 9 ? doubled - 9 : doubled)
        }.isMultiple(of: 10)
    }
}
