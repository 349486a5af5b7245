/// A day of the Gregorian calendar, in the years 1…9999.
public struct CalendarDate: Sendable, Hashable, Comparable {
    /// 1…9999.
    public let year: Int
    /// 1…12.
    public let month: Int
    /// 1…31.
    public let day: Int

    /// Returns `nil` for a day that does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, of: year)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Reads `yyyy-mm-dd`. Returns `nil` for other text.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(String(text).utf8.prefix(11))
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day at a point in time, in UTC.
    public init(_ instant: Instant) {
        let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(
            dividingBy: 86_400_000)
        // Beyond the year 9999, and before the year 1, the nearest day that exists.
        let number = Int(min(max(remainder < 0 ? quotient - 1 : quotient, -719_162), 2_932_896))
        // Days since 1 March 0000, in eras of 400 years, each of which begins in March so that leap
        // days are last.
        let shifted = number + 719_468, era = shifted / 146_097, inEra = shifted % 146_097
        let yearOfEra = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
        let dayOfYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfEra + 400 * era + (month <= 2 ? 1 : 0)
    }

    /// The number of days in a month, 28…31.
    /// - Precondition: `month` is 1…12.
    public static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2:
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
    }

    public static func < (a: Self, b: Self) -> Bool {
        (a.year, a.month, a.day) < (b.year, b.month, b.day)
    }

    /// The full years from this day to another, as ages are counted. Negative when `other` is
    /// earlier. A person born on 29 February has a birthday on 1 March of other years.
    public func years(until other: Self) -> Int {
        other.year - year - ((other.month, other.day) < (month, day) ? 1 : 0)
    }
}

extension CalendarDate: CustomStringConvertible {
    /// `yyyy-mm-dd`.
    public var description: String {
        func digit(_ number: Int) -> UInt8 { UInt8(ascii: "0") + UInt8(number % 10) }
        let dash = UInt8(ascii: "-")
        return String(
            decoding: [
                digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), dash,
                digit(month / 10), digit(month), dash, digit(day / 10), digit(day),
            ], as: UTF8.self)
    }
}
