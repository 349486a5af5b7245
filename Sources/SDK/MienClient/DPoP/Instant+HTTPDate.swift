internal import MienCore

extension Instant {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses a `Date` field in the form that servers send: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC
    /// 9110 §5.6.7). The weekday is not checked.
    ///
    /// - Returns: `nil` for any other form, and for dates that do not exist.
    init?(httpDate text: String) {
        guard text.utf8.count == 29 else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false),
            clock = parts.count == 6 ? parts[4].split(separator: ":") : []
        func number(_ text: Substring, digits: Int, in range: ClosedRange<Int>) -> Int? {
            guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", clock.count == 3,
            let year = number(parts[3], digits: 4, in: 1970...9999),
            let month = Self.months.firstIndex(of: String(parts[2])).map({ $0 + 1 }),
            let day = number(parts[1], digits: 2, in: 1...Self.daysIn(month, of: year)),
            let hour = number(clock[0], digits: 2, in: 0...23),
            let minute = number(clock[1], digits: 2, in: 0...59),
            let second = number(clock[2], digits: 2, in: 0...60)
        else { return nil }
        self.init(
            seconds: Int64(((Self.days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second))
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the days since 1970-01-01.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let past = year - 1
        let years = past * 365 + past / 4 - past / 100 + past / 400 - 719_162
        return (1..<month).reduce(years) { $0 + daysIn($1, of: year) } + day - 1
    }
}
