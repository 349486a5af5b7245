public import MienCore
public import MienDocument

/// An invented holder of a specimen.
public struct SpecimenPerson: Sendable {
    public var familyName: String
    public var givenNames: [String]
    public var sex: Sex
    public var birth: CalendarDate
    public var issue: CalendarDate
    public var expiry: CalendarDate
    /// Digits and capital letters.
    public var number: String
    public var street: String
    public var city: String
    public var postalCode: String

    public init(
        familyName: String, givenNames: [String], sex: Sex, birth: CalendarDate,
        issue: CalendarDate, expiry: CalendarDate, number: String, street: String, city: String,
        postalCode: String
    ) {
        (self.familyName, self.givenNames, self.sex) = (familyName, givenNames, sex)
        (self.birth, self.issue, self.expiry) = (birth, issue, expiry)
        (self.number, self.street, self.city) = (number, street, city)
        self.postalCode = postalCode
    }

    /// Combines syllables, so that the names are nobody's in particular.
    public static func random(_ random: inout SeededGenerator) -> Self {
        func word(_ syllables: ClosedRange<Int>) -> String {
            (0..<Int.random(in: syllables, using: &random)).map { _ in
                [
                    "BA", "CO", "DEL", "FIN", "GRA", "HU", "JO", "KEM", "LI", "MAR", "NO", "PRE",
                    "RUS", "SI",
                    "TOV", "VE", "WIL", "YAN", "ZO", "ÖR", "ÉL", "ŁA", "ÜN",
                ].randomElement(using: &random) ?? ""
            }.joined()
        }
        func date(_ years: ClosedRange<Int>) -> CalendarDate {
            let year = Int.random(in: years, using: &random)
            let month = Int.random(in: 1...12, using: &random)
            let day = Int.random(
                in: 1...CalendarDate.days(inMonth: month, of: year), using: &random)
            // Days up to the month's last exist.
            return CalendarDate(year: year, month: month, day: day)!
        }
        func text(_ letters: String, _ count: Int) -> String {
            String((0..<count).compactMap { _ in letters.randomElement(using: &random) })
        }
        let issue = date(2018...2024)
        return Self(
            familyName: word(2...3),
            givenNames: (0..<Int.random(in: 1...2, using: &random)).map { _ in word(2...3) },
            sex: [.female, .male].randomElement(using: &random) ?? .female,
            birth: date(1940...2006),
            issue: issue,
            expiry: CalendarDate(
                year: issue.year + 10, month: issue.month, day: min(issue.day, 28))!,
            number: text("CFGHJKLMNPRTVWXYZ", 2) + text("0123456789", 7),
            street: "\(Int.random(in: 1...990, using: &random)) \(word(2...3)) STREET",
            city: word(2...3), postalCode: text("0123456789", 5))
    }
}
