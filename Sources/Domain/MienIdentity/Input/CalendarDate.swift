public import MienCore

/// A day of the Gregorian calendar, written `yyyy-mm-dd`.
public struct CalendarDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1...9999.
    public let year: Int
    /// 1...12.
    public let month: Int
    /// 1...31.
    public let day: Int

    /// - Returns: `nil` unless the calendar has the day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            day >= 1, day <= Self.days(inMonth: month, year: year)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// - Returns: `nil` unless the text has the form `yyyy-mm-dd`, in ASCII digits, and names a day
    ///   of the calendar.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(11))
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day of a time in UTC.
    public init(_ time: Instant) {
        // Counts days in eras of 400 years that begin on a March 1, so that a leap day is the last
        // day of its year.
        let millisecondsPerDay: Int64 = 86_400_000
        var rest = time.milliseconds / millisecondsPerDay
        if time.milliseconds % millisecondsPerDay < 0 { rest -= 1 }
        rest = min(max(rest, -719_162), 2_932_896) + 719_468
        let era = rest / 146_097
        let dayOfEra = rest - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
        month = Int(shifted < 10 ? shifted + 3 : shifted - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    /// The completed years from this day to another; negative if the other is earlier. Someone born
    /// on February 29 completes a year on March 1 of other years.
    public func age(on other: CalendarDate) -> Int {
        other.year - year - ((other.month, other.day) < (month, day) ? 1 : 0)
    }

    public var description: String {
        let digits = String(year)
        let padded = String(repeating: "0", count: 4 - digits.count) + digits
        return "\(padded)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    public static func < (a: Self, b: Self) -> Bool {
        (a.year, a.month, a.day) < (b.year, b.month, b.day)
    }

    private static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
