import MienCore
import MienIdentity
import Testing

@Suite("Ages")
struct AgeRuleTests {
    static let today = CalendarDate(Instant(milliseconds: 1_795_000_000_000))

    static let cases: [(Int, Int, IdentityError.Code?)] = [
        (0, -1, .invalidAge), (0, 0, nil), (18, 17, .invalidAge), (18, 18, nil), (18, 120, nil),
        (18, 121, .implausibleAge), (0, 1000, .implausibleAge),
    ]

    @Test("a future or too young birth date is invalid, and one of 121 years ago implausible")
    func faults() throws {
        for (minimum, age, fault) in Self.cases {
            let date = try #require(
                CalendarDate(
                    year: Self.today.year - age, month: Self.today.month, day: Self.today.day))
            #expect(
                AgeRule(minimumYears: minimum).fault(date, today: Self.today)?.code == fault,
                "\(minimum) \(age)")
        }
        let tomorrow = try #require(
            CalendarDate(
                year: Self.today.year, month: Self.today.month, day: Self.today.day + 1))
        #expect(AgeRule().fault(tomorrow, today: Self.today)?.code == .invalidAge)
    }
}
