public import MienCore
public import MienDocument

/// An invented holder of a specimen.
public struct SpecimenPerson: Sendable {
    /// Empty for a person whose only name is a given name.
    public var familyName: String
    /// Empty for a person whose only name is a family name.
    public var givenNames: [String]
    public var sex: Sex
    /// See ``unknownBirth``.
    public var birth: CalendarDate
    /// The parts of the date of birth that the document leaves open.
    public var unknownBirth = UnknownBirth.nothing
    public var issue: CalendarDate
    public var expiry: CalendarDate
    /// Digits and capital letters.
    public var number: String
    public var street: String
    public var city: String
    public var postalCode: String

    /// The parts of a date of birth that nobody knows.
    public enum UnknownBirth: Sendable, CaseIterable {
        case nothing, day
        case dayAndMonth
    }

    /// The date of birth as far as a document states it: `nil` if a part is unknown.
    public var statedBirth: CalendarDate? { unknownBirth == .nothing ? birth : nil }

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

    /// Anybody: of 24 people, four on average have one name only, as a given name or as a family
    /// name, or do not know the day of their birth.
    ///
    /// Takes as many numbers from the generator as ``ordinary(_:)``.
    public static func random(_ random: inout SeededGenerator) -> Self {
        var other = random
        let kind = Int.random(in: 0..<24, using: &other)
        var person = ordinary(&random)
        switch kind {
        case 0: person.familyName = ""
        case 1: person.givenNames = []
        case 2: person.unknownBirth = .day
        case 3: person.unknownBirth = .dayAndMonth
        default: break
        }
        return person
    }

    /// A person with a family name, given names, and a date of birth. Combines syllables, so that the
    /// names are nobody's in particular.
    public static func ordinary(_ random: inout SeededGenerator) -> Self {
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
