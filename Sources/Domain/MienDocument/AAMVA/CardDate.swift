internal import MienCore

/// A date of a card's barcode, as far as the card states it.
///
/// Cards without an end write `NONE`, `INDEF`, `MIL`, `00000000`, `99/99/9999`, or the year 9999.
enum CardDate: Hashable {
    case day(CalendarDate)
    /// A month whose day is unknown, or a year whose month is: its first and its last day.
    case partial(ClosedRange<CalendarDate>)
    case absent
    /// Text that is not a date.
    case invalid

    /// Reads `MMDDYYYY` (United States, since version 2) or `YYYYMMDD` (Canada, and version 1), with
    /// or without separators. In the years 1900–2099, a date is only one of the two, so the card's
    /// country does not matter; some states use the wrong one. `00` stands for an unknown day or
    /// month.
    init(_ text: String) {
        guard text.utf8.contains(where: { (48...57).contains($0) }) else {
            self = .absent
            return
        }
        guard let digits = Self.digits(text) else {
            self = .invalid
            return
        }
        guard !digits.allSatisfy({ $0 == 48 }), !digits.allSatisfy({ $0 == 57 }) else {
            self = .absent
            return
        }
        let orders = [
            (digits[..<4], digits[4..<6], digits[6...]),
            (digits[4...], digits[..<2], digits[2..<4]),
        ].map { (decimal($0.0) ?? 0, decimal($0.1) ?? 0, decimal($0.2) ?? 0) }
        for years in [1900..<2100, 2100..<9999] {
            for (year, month, day) in orders where years.contains(year) {
                if let date = Self(year: year, month: month, day: day) {
                    self = date
                    return
                }
            }
        }
        let isEndless = orders.contains {
            $0.0 == 9999 && CalendarDate(year: 2000, month: $0.1, day: $0.2) != nil
        }
        self = isEndless ? .absent : .invalid
    }

    private init?(year: Int, month: Int, day: Int) {
        if let date = CalendarDate(year: year, month: month, day: day) {
            self = .day(date)
            return
        }
        guard day == 0 || month == 0 && day <= 31, (0...12).contains(month) else { return nil }
        let (first, last) = month == 0 ? (1, 12) : (month, month)
        guard let start = CalendarDate(year: year, month: first, day: 1),
            let end = CalendarDate(
                year: year, month: last, day: CalendarDate.days(inMonth: last, of: year))
        else { return nil }
        self = .partial(start...end)
    }

    /// Eight digits, without separators; months and days of one digit are allowed between them.
    private static func digits(_ text: String) -> [UInt8]? {
        let parts = text.utf8.split { [32, 45, 46, 47].contains($0) }.map(Array.init)
        let padded = parts.map { $0.count == 1 ? [48] + $0 : $0 }
        guard
            padded.count == 1 || padded.map(\.count) == [4, 2, 2]
                || padded.map(\.count) == [2, 2, 4]
        else { return nil }
        let digits = padded.flatMap { $0 }
        return digits.count == 8 && digits.allSatisfy({ (48...57).contains($0) }) ? digits : nil
    }

    var day: CalendarDate? {
        if case .day(let date) = self { return date }
        return nil
    }
}
