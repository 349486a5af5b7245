import Foundation
import MienCore
import Testing

@Suite("Calendar dates")
struct CalendarDateTests {
    @Test("every day of 9,999 years is the day after the one before, and Foundation agrees on some")
    func everyDay() throws {
        // 0001-01-01.
        var time = Instant(milliseconds: -62_135_596_800_000)
        var last = try #require(CalendarDate(year: 1, month: 1, day: 1))
        #expect(CalendarDate(time) == last)
        for year in 1...9999 {
            for month in 1...12 {
                for day in 1...31 {
                    guard let date = CalendarDate(year: year, month: month, day: day) else {
                        #expect(day > 28, "every month has 28 days")
                        continue
                    }
                    guard CalendarDate(time) == date, last <= date else {
                        Issue.record("\(date) is not \(CalendarDate(time))")
                        return
                    }
                    last = date
                    time = time + .seconds(86_400)
                }
            }
        }
        #expect(time.milliseconds == 253_402_300_800_000, "10000-01-01")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for milliseconds: Int64 in [0, -1, 951_782_400_000, 1_709_164_799_999, 4_102_444_800_000] {
            let parts = calendar.dateComponents(
                [.year, .month, .day],
                from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
            let date = CalendarDate(Instant(milliseconds: milliseconds))
            #expect(date.year == parts.year && date.month == parts.month && date.day == parts.day)
        }
    }

    @Test("times beyond the calendar are its first and last day")
    func ends() {
        #expect(CalendarDate(Instant(milliseconds: .min)).description == "0001-01-01")
        #expect(CalendarDate(Instant(milliseconds: .max)).description == "9999-12-31")
    }

    @Test(
        "text that is not yyyy-mm-dd or names no day is refused",
        arguments: [
            "", "1975-2-28", "75-02-28", "1975/02/28", "28-02-1975", "1975-02-29", "1900-02-29",
            "1975-00-10", "1975-13-01", "1975-04-31", "1975-01-00", "0000-01-01", "1975-02-28 ",
            " 1975-02-28", "1975-02-28T00:00:00Z", "+975-02-28", "١٩٧٥-٠٢-٢٨", "1975-02-2８",
        ])
    func malformed(_ text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test("text is written as it was read")
    func text() {
        for text in ["1975-02-28", "2000-02-29", "0001-01-01", "9999-12-31"] {
            #expect(CalendarDate(text)?.description == text)
        }
    }

    @Test(
        "an age is the number of birthdays",
        arguments: [
            ("2000-02-29", "2001-02-28", 0), ("2000-02-29", "2001-03-01", 1),
            ("2000-02-29", "2004-02-29", 4), ("1975-02-28", "2026-02-27", 50),
            ("1975-02-28", "2026-02-28", 51), ("2026-01-02", "2026-01-01", -1),
        ])
    func age(_ born: String, _ today: String, _ years: Int) throws {
        let born = try #require(CalendarDate(born)), today = try #require(CalendarDate(today))
        #expect(born.years(until: today) == years)
    }
}
