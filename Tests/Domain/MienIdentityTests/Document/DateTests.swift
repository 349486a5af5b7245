import MienCore
import Testing

@testable import MienDocument

@Suite struct DateTests {
    @Test(arguments: [
        // The latest birth that is not in the future.
        ("260101", "2026-11-23", "2026-01-01"), ("261124", "2026-11-23", "1926-11-24"),
        ("261123", "2026-11-23", "2026-11-23"), ("270101", "2026-11-23", "1927-01-01"),
        ("000229", "2026-11-23", "2000-02-29"), ("991231", "2099-12-30", "1999-12-31"),
    ])
    func `a birth is the latest that is not in the future`(
        text: String, today: String, birth: String
    ) {
        #expect(
            MRZDate(Array(text.utf8))?.birth(asOf: CalendarDate(today)!) == CalendarDate(birth))
    }

    @Test(arguments: [
        ("310101", "2026-11-23", "2031-01-01"), ("990101", "2026-11-23", "1999-01-01"),
        ("750101", "2026-11-23", "2075-01-01"), ("760101", "2026-11-23", "1976-01-01"),
        ("010101", "2095-01-01", "2101-01-01"),
    ])
    func `an expiry is within fifty years`(text: String, today: String, expiry: String) {
        #expect(
            MRZDate(Array(text.utf8))?.expiry(asOf: CalendarDate(today)!) == CalendarDate(expiry))
    }

    @Test func `parts of a date may be unknown, but not impossible`() {
        let today = CalendarDate("2026-11-23")!
        for text in [
            "74<<<<", "7408<<", "<<<<<<", "74<<12", "740000", "740800", "740012", "7400<<",
        ] {
            let date = MRZDate(Array(text.utf8))
            #expect(date != nil && date?.birth(asOf: today) == nil)
        }
        for text in ["741301", "740230", "7408", "74081A", "7<0812", "740832", "741300"] {
            #expect(MRZDate(Array(text.utf8)) == nil, "\(text)")
        }
    }
}
