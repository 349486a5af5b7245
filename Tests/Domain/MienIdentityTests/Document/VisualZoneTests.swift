import MienCore
import Testing

@testable import MienDocument

@Suite struct VisualZoneTests {
    /// Words of a line: 10 units for a letter, 20 high.
    private func line(_ text: String, x: Int, y: Int) -> [PrintedWord] {
        var words: [PrintedWord] = [], left = x
        for word in text.split(separator: " ") {
            let right = left + 10 * word.count
            words.append(
                PrintedWord(String(word), left: left, top: y, right: right, bottom: y + 20))
            left = right + 10
        }
        return words
    }

    @Test func `fields below their labels are found, also beside other columns`() {
        let words =
            line("UTOPIA PASSPORT", x: 0, y: 0) + line("Number", x: 600, y: 0)
            + line("L898902C3", x: 600, y: 30) + line("Surnane", x: 300, y: 60)
            + line("ERIKSS0N", x: 300, y: 90) + line("Given names", x: 300, y: 120)
            + line("ANNA MARIA", x: 300, y: 150) + line("Date of birth", x: 300, y: 180)
            + line("Sex", x: 600, y: 180) + line("12.08.1974", x: 300, y: 210)
            + line("F", x: 600, y: 210) + line("Date of expiry", x: 300, y: 240)
            + line("15 APR 2032 ~ —", x: 300, y: 270)
        var expected = DocumentFields(.visualZone)
        expected.number = "L898902C3"
        expected.familyName = "ERIKSSON"
        expected.givenNames = ["ANNA", "MARIA"]
        expected.birth = CalendarDate(year: 1974, month: 8, day: 12)
        expected.expiry = CalendarDate(year: 2032, month: 4, day: 15)
        expected.sex = .female
        #expect(VisualZone(words, order: .dayFirst).fields == expected)
        // The order of words does not matter.
        #expect(VisualZone(words.reversed(), order: .dayFirst).fields == expected)
        #expect("\(words[0])" == "‹word›")
    }

    @Test func `a label is not the value of the empty field above it`() {
        let words =
            line("Surname", x: 300, y: 60) + line("Given names", x: 300, y: 120)
            + line("PRIYA LAKSHMI", x: 300, y: 150) + line("Date of birth", x: 300, y: 180)
            + line("00.00.1968", x: 300, y: 210)
        var expected = DocumentFields(.visualZone)
        expected.givenNames = ["PRIYA", "LAKSHMI"]
        #expect(VisualZone(words, order: .dayFirst).fields == expected)
    }

    @Test func `numbered fields of American cards are beside their labels`() {
        let words =
            line("4d DLN PJ0547319", x: 0, y: 0) + line("1 GRARUSMAR", x: 0, y: 40)
            + line("2 JOBA MARRUSTOV", x: 0, y: 80) + line("3 DOB 02/18/1968", x: 0, y: 120)
            + line("4b EXP 11/04/2029", x: 0, y: 160)
        let fields = VisualZone(words, order: .monthFirst).fields
        #expect(fields.number == "PJ0547319" && fields.familyName == "GRARUSMAR")
        #expect(fields.givenNames == ["JOBA", "MARRUSTOV"])
        #expect(fields.birth == CalendarDate(year: 1968, month: 2, day: 18))
        #expect(fields.expiry == CalendarDate(year: 2029, month: 11, day: 4))
        // November 4 or 11 April: nothing says which.
        #expect(VisualZone(words, order: .unknown).fields.expiry == nil)
        #expect(VisualZone(words, order: .unknown).fields.birth == fields.birth)
    }

    @Test func `dirt, uncertain words, and too many words are ignored`() {
        let sure = line("Surname", x: 0, y: 0)
        let unsure = PrintedWord("SMITH", left: 0, top: 30, right: 50, bottom: 50, confidence: 20)
        #expect(VisualZone(sure + [unsure], order: .unknown).fields.familyName == nil)
        let outside = PrintedWord("SMITH", left: .min, top: 30, right: .max, bottom: 50)
        #expect(VisualZone(sure + [outside], order: .unknown).fields.familyName == nil)
        let many = (0..<5000).map { line("Surname", x: 0, y: 30 * $0)[0] }
        #expect(VisualZone(many, order: .unknown).fields.familyName != "SMITH")
        #expect(VisualZone([], order: .unknown).fields == DocumentFields(.visualZone))
    }

    @Test(arguments: [
        ("MÜLLER-LÜDENSCHEIDT", "MÜLLER-LÜDENSCHEIDT"), ("O’BRIEN,", "O'BRIEN"),
        ("J0HN 5MITH", "JOHN SMITH"), ("-ANNA- ~", "ANNA"), ("X", nil), ("A+B", nil), ("", nil),
        (String(repeating: "A", count: 81), nil),
    ])
    func `names are cleaned`(text: String, name: String?) {
        #expect(PrintedText.name(text) == name)
    }

    @Test(arguments: [
        ("l898902c3", "L898902C3"), ("PJ 0547-319", "PJ0547319"), ("ABCDE", nil), ("12", nil),
        ("12345<", nil),
    ])
    func `numbers are cleaned`(text: String, number: String?) {
        #expect(PrintedText.number(text) == number)
    }

    @Test(arguments: [
        ("12.08.1974", "1974-08-12"), ("2O32-O4-15", "2032-04-15"), ("I2 OKT 2O3O", "2030-10-12"),
        ("01 JUIN/JUN 2030", nil), ("01 MAI/MAY 2030", "2030-05-01"), ("31.02.2020", nil),
        ("12.08.74", nil), ("SOS.OIL.BOSS", nil), ("5.5.2020", "2020-05-05"), ("", nil),
    ])
    func `dates are cleaned`(text: String, date: String?) {
        #expect(PrintedText.date(text, order: .dayFirst)?.description == date)
    }

    @Test func `numbers that OCR mistakes for each other agree with a zone's`() throws {
        var printed = DocumentFields(.visualZone), other = DocumentFields(.mrz)
        printed.number = "LB98902C3"
        other.number = "L898902C3"
        func verdict(_ a: DocumentFields, _ b: DocumentFields) -> DocumentCheck.Verdict? {
            a.compared(with: b).first { $0.name == .sameNumber }?.verdict
        }
        #expect(verdict(printed, other) == .passed && verdict(other, printed) == .passed)
        // Without OCR, 8 and B differ; and with it, 8 and 9 do.
        var input = DocumentFields(.input)
        input.number = printed.number
        #expect(verdict(input, other) == .failed)
        printed.number = "L777777C3"
        #expect(verdict(printed, other) == .notChecked(.doubtful))
        printed.number = "L898777C3"
        #expect(verdict(printed, other) == .failed)
        printed.unsure = [.number]
        #expect(verdict(printed, other) == .notChecked(.doubtful))
    }

    @Test(arguments: [
        ("ORYANCO", DocumentCheck.Verdict.notChecked(.unclear)), ("ÖRYANCO", .passed),
        ("OERVANCO", .notChecked(.unclear)), ("OERYABIT", .failed),
        ("SMITH", .notChecked(.doubtful)), ("FOUPE PD", .notChecked(.doubtful)),
        ("YO", .notChecked(.doubtful)),
    ])
    func `printed names that are nearly the same, or another text, prove nothing`(
        name: String, expected: DocumentCheck.Verdict
    ) {
        var printed = DocumentFields(.visualZone), zone = DocumentFields(.mrz)
        printed.familyName = name
        zone.familyName = "OERYANCO"
        let check = printed.compared(with: zone).first { $0.name == .sameFamilyName }
        #expect(check?.verdict == expected)
        // What a person typed was not misread.
        var input = DocumentFields(.input)
        input.familyName = "ORYANCE"
        #expect(
            input.compared(with: zone).first { $0.name == .sameFamilyName }?.verdict == .failed)
    }

    @Test func `a field with a word that OCR is not sure of is unsure, and contradicts nothing`() {
        func fields(_ confidence: Double) -> DocumentFields {
            let label = line("Date of birth", x: 300, y: 60)
            let value = PrintedWord(
                "12.08.1975", left: 300, top: 90, right: 400, bottom: 110, confidence: confidence)
            return VisualZone(label + [value], order: .dayFirst).fields
        }
        var zone = DocumentFields(.mrz)
        zone.birth = CalendarDate(year: 1974, month: 8, day: 12)
        func verdict(_ confidence: Double) -> DocumentCheck.Verdict? {
            fields(confidence).compared(with: zone).first { $0.name == .sameBirth }?.verdict
        }
        #expect(fields(79).unsure == [.birth] && verdict(79) == .notChecked(.doubtful))
        #expect(fields(80).unsure.isEmpty && verdict(80) == .failed)
    }

    @Test(arguments: [
        ("1975-02-28", DocumentCheck.Verdict.passed), ("1975-02-26", .failed),
        ("1985-12-28", .failed),
        // The expiry, found beside the label of the birth; the date of another document.
        ("2031-05-03", .notChecked(.doubtful)), ("2006-11-14", .notChecked(.doubtful)),
    ])
    func `a printed date that is another one of the document, or resembles nothing, proves nothing`(
        date: String, expected: DocumentCheck.Verdict
    ) {
        var printed = DocumentFields(.visualZone), zone = DocumentFields(.mrz)
        printed.birth = CalendarDate(date)
        zone.birth = CalendarDate("1975-02-28")
        zone.expiry = CalendarDate("2031-05-03")
        for (a, b) in [(printed, zone), (zone, printed)] {
            #expect(a.compared(with: b).first { $0.name == .sameBirth }?.verdict == expected)
        }
        // What the person typed was not misread.
        var input = DocumentFields(.input)
        input.birth = printed.birth
        #expect(
            input.compared(with: zone).first { $0.name == .sameBirth }?.verdict
                == (expected == .passed ? .passed : .failed))
    }

    @Test func `the words of a name may be in another order`() {
        var printed = DocumentFields(.visualZone), zone = DocumentFields(.mrz)
        printed.familyName = "MÁRQUEZ GARCÍA"
        zone.familyName = "GARCIA MARQUEZ"
        #expect(
            printed.compared(with: zone).first { $0.name == .sameFamilyName }?.verdict == .passed)
    }
}
