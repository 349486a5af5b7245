public import MienCore

/// A date in a machine-readable zone, of which parts may be unknown and which has no century.
public struct MRZDate: Sendable, Hashable {
    /// 0…99.
    public let year: Int?
    public let month: Int?
    public let day: Int?

    /// Reads `YYMMDD`, in which fillers stand for unknown parts, and zeros for an unknown month or
    /// day, as on Swiss documents. Returns `nil` for other text, a month beyond 12, or a day that no
    /// month has.
    init?(_ text: some Collection<UInt8>) {
        let bytes = Array(text)
        guard bytes.count == 6 else { return nil }
        var parts: [Int?] = []
        for start in [0, 2, 4] {
            let part = bytes[start..<start + 2]
            if part.allSatisfy({ $0 == UInt8(ascii: "<") }) {
                parts.append(nil)
            } else if let number = decimal(part) {
                parts.append(start > 0 && number == 0 ? nil : number)
            } else {
                return nil
            }
        }
        (year, month, day) = (parts[0], parts[1], parts[2])
        if let month, !(1...12).contains(month) { return nil }
        if let day,
            !(1...(month.map { CalendarDate.days(inMonth: $0, of: 2000) } ?? 31)).contains(day)
        {
            return nil
        }
    }

    /// The date of birth: the latest that is not after `today`. A document cannot tell a person
    /// older than 100 from a child.
    /// - Returns: `nil` when a part is unknown or no such day exists.
    public func birth(asOf today: CalendarDate) -> CalendarDate? {
        candidates(around: today.year).last { $0 <= today }
    }

    /// The date of expiry: of the possible ones, the nearest to `today`, from 50 years before to 49
    /// years after.
    /// - Returns: `nil` when a part is unknown or no such day exists.
    public func expiry(asOf today: CalendarDate) -> CalendarDate? {
        candidates(around: today.year).last { $0.year - today.year < 50 }
    }

    /// The day in the previous, this, and the next century, as far as it exists.
    private func candidates(around year: Int) -> [CalendarDate] {
        guard let short = self.year, let month, let day else { return [] }
        let century = year - year % 100
        return [-100, 0, 100].compactMap {
            CalendarDate(year: century + $0 + short, month: month, day: day)
        }
    }
}
