import MienCore
import MienIdentity
import Testing

@Suite("The holder of a document")
struct StatedPersonTests {
    private static func agreement(_ first: String, _ last: String, with stated: StatedPerson) throws
        -> IdentityCheckResult
    {
        let input = PersonalDataInput(
            firstName: first, lastName: last, address: "1 Elm Street", postalCode: "30318",
            country: "US", dateOfBirth: "1975-02-28")
        return try PersonalData(input).agreement(with: stated, typed: input)
    }

    private static let birth = CalendarDate(year: 1975, month: 2, day: 28)

    @Test(
        "names agree without case, accents, and middle names, and as far as they are printed",
        arguments: [
            ("John", "Smith", "SMITH", "JOHN", false, IdentityCheckResult.passed),
            ("John", "Smith", "SMITH", "JOHN PAUL", false, .passed),
            ("Jürgen", "Müller", "MUELLER", "JUERGEN", false, .passed),
            ("Maria", "Papandreou-Konstantinopoulou", "PAPANDREOU KONSTANT", "E", true, .failed),
            ("Maria", "Papandreou", "PAPANDREOU", "M", true, .inconclusive),
            ("Maria", "Papandreou", "PAPANDREOU", "MARIE", false, .inconclusive),
            ("Maria Q.", "Papandreou", "PAPANDREOU", "MARIA QUIRINA", false, .passed),
            ("Maria", "Papandreou", "PAPANDREOU SMITH", "MARIA", false, .inconclusive),
            (
                "Maria", "Papandreou-Konstantinopoulou", "PAPANDREOU KONSTANT", "MARIA", true,
                .passed
            ),
            (
                "Maria", "Papandreou-Konstantinopoulou", "PAPANDREOU KONSTANT", "MARIA", false,
                .failed
            ),
            ("John", "Smith", "MILLER", "JOHN", false, .failed),
            ("Eve", "Smith", "SMITH", "JOHN", false, .failed),
            ("John", "Smith", "SMITH", "", false, .inconclusive),
            ("John", "Smith", "MILLER", "", false, .failed),
            // As ICAO Doc 9303 part 3 transliterates: the zone's letters decide, not the sounds.
            ("Алексей", "Щербаков", "SHCHERBAKOV", "ALEKSEI", false, .passed),
            ("Алексей", "Щербаков", "SHCHERBAKO", "ALEKSEI", true, .passed),
            ("Łukasz", "Żółć", "ZOLC", "LUKASZ", false, .passed),
            ("Γιώργος", "Παπανδρέου", "PAPANDREOU", "GIORGOS", false, .passed),
            ("Åsa", "Ñandú", "NXXANDU", "AASA", false, .passed),
            ("Íñigo", "García Márquez", "GARCIA MARQUEZ", "INIGO", false, .passed),
            ("Íñigo", "García Márquez", "MARQUEZ GARCIA", "INIGO", false, .inconclusive),
            // The letters that were typed count, with their marks. Pairs of letters are not letters.
            ("Їжакевич", "Щербаков", "SHCHERBAKOV", "YIZHAKEVYCH", false, .passed),
            ("Μαρία", "Παπανδρέου", "PAPANDREOU", "MARIA", false, .passed),
            ("Αρία", "Παπανδρέου", "PAPANDREOU", "MARIA", false, .failed),
            // Nothing says how documents spell these, so they contradict nothing.
            ("王芳", "李", "LI", "FANG", false, .inconclusive),
            ("محمد", "Smith", "SMITH", "DAVID", false, .inconclusive),
            ("Алексей", "Smith", "SMITH", "DAVID", false, .failed),
            // People with one name.
            ("Priya", "Lakshmi", "", "PRIYA LAKSHMI", false, .passed),
            ("Priya Lakshmi", "Priya Lakshmi", "", "PRIYA LAKSHMI", false, .passed),
            ("Sukarno", "Sukarno", "SUKARNO", "", false, .passed),
            ("Jürgen", "Jürgen", "", "JUERGEN", false, .passed),
            ("Sukarno", "Unknown", "SUKARNO", "", false, .inconclusive),
            ("Priya", "Devi", "", "PRIYA LAKSHMI", false, .inconclusive),
            ("Eve", "Miller", "", "PRIYA LAKSHMI", false, .failed),
            ("Прия", "Лакшми", "", "PRIYA LAKSHMI", false, .inconclusive),
        ])
    func names(
        first: String, last: String, family: String, given: String, isShortened: Bool,
        expected: IdentityCheckResult
    ) throws {
        let stated = StatedPerson(
            familyName: family, givenNames: given, dateOfBirth: Self.birth,
            hasShortenedNames: isShortened)
        #expect(try Self.agreement(first, last, with: stated) == expected)
        #expect("\(stated)" == "‹stated person›")
    }

    @Test("another date of birth fails, and a missing one is not enough")
    func births() throws {
        var stated = StatedPerson(
            familyName: "SMITH", givenNames: "JOHN",
            dateOfBirth: CalendarDate(year: 1975, month: 2, day: 27))
        #expect(try Self.agreement("John", "Smith", with: stated) == .failed)
        stated.dateOfBirth = nil
        #expect(try Self.agreement("John", "Smith", with: stated) == .inconclusive)
    }
}
