import MienCore
import Testing

@testable import MienDocument

@Suite struct DocumentCheckTests {
    static let now = Instant(seconds: 1_320_000_000)  // 2011-10-30
    static let later = Instant(seconds: 1_795_910_400)  // 2026-11-29

    private func verdicts(_ document: IdentityDocument, now: Instant = now)
        -> [DocumentCheck.Name: DocumentCheck.Verdict]
    {
        Dictionary(
            document.checks(now: now).map { ($0.name, $0.verdict) }, uniquingKeysWith: { a, _ in a }
        )
    }

    private func zone(
        _ format: MRZFormat = .td3, _ change: (inout MadeZone.Fields) -> Void = { _ in }
    )
        throws -> IdentityDocument
    {
        var fields = MadeZone.Fields()
        change(&fields)
        return IdentityDocument(
            zone: try MachineReadableZone(lines: MadeZone.lines(format, fields)))
    }

    @Test func `a good passport passes`() throws {
        let found = verdicts(try zone())
        #expect(found.values.filter { $0 == .failed }.isEmpty)
        #expect(found[.notExpired] == .passed && found[.compositeCheckDigit] == .passed)
        #expect(found[.numberFormat] == .notChecked(.noRule))
        #expect(found[.sameNumber] == nil)
    }

    @Test func `an altered digit fails its check and the composite's`() throws {
        var lines = MadeZone.lines(.td3, .init())
        lines[1] = lines[1].replacing("7408122", with: "7508122")
        let found = verdicts(IdentityDocument(zone: try MachineReadableZone(lines: lines)))
        #expect(found[.birthCheckDigit] == .failed && found[.compositeCheckDigit] == .failed)
        #expect(found[.numberCheckDigit] == .passed)
    }

    @Test func `expiry is the last valid day`() throws {
        func isValid(_ day: String) throws -> DocumentCheck.Verdict? {
            let date = try #require(CalendarDate(day))
            var now = Instant(seconds: 1_320_000_000)
            while CalendarDate(now) < date { now = now + .seconds(86_400) }
            return verdicts(try zone(), now: now)[.notExpired]
        }
        #expect(try isValid("2012-04-15") == .passed)
        #expect(try isValid("2012-04-16") == .failed)
    }

    @Test func `impossible, partial, and reversed dates`() throws {
        #expect(verdicts(try zone { $0.birth = "741301" })[.birth] == .failed)
        for format in MRZFormat.allCases {
            for birth in ["74<<<<", "740000", "7408<<", "740800"] {
                let found = verdicts(
                    try zone(format) {
                        $0.birth = birth
                        if format == .frenchCard { $0.number = "880692310285" }
                    })
                #expect(found[.birth] == .notChecked(.partial), "\(format) \(birth)")
                #expect(found[.birthCheckDigit] == .passed, "\(format) \(birth)")
            }
        }
        #expect(verdicts(try zone { $0.expiry = "<<<<<<" })[.notExpired] == .notChecked(.partial))
        // Born on the day of expiry.
        #expect(
            verdicts(
                try zone {
                    $0.birth = "100101"
                    $0.expiry = "100101"
                })[.expiry] == .failed)
        #expect(verdicts(try zone { $0.issuer = "QQQ" })[.issuer] == .failed)
        #expect(verdicts(try zone { $0.sex = "Q" })[.sex] == .failed)
    }

    @Test(arguments: [
        (MRZFormat.td1, "D<<", "T22000129", "", DocumentCheck.Name.numberFormat, true),
        (.td1, "D<<", "A22000129", "", .numberFormat, false),
        (.td3, "GBR", "107182890", "", .numberFormat, true),
        (.td3, "GBR", "A07182890", "", .numberFormat, false),
        (.td3, "USA", "A12345678", "", .numberFormat, true),
        (.td3, "USA", "AB2345678", "", .numberFormat, false),
        (.td1, "POL", "ABA300000", "", .numberFormat, true),
        (.td1, "POL", "ABA400000", "", .numberFormat, false),
        (.td3, "NLD", "XA0000014", "123456782", .personalNumber, true),
        (.td3, "NLD", "XA0000014", "123456783", .personalNumber, false),
        (.td1, "ESP", "BAA000589", "99999999R", .personalNumber, true),
        (.td1, "ESP", "BAA000589", "99999999T", .personalNumber, false),
        (.td1, "POL", "ABA300000", "74081212345", .personalNumber, false),
    ])
    func `published rules of numbers`(
        format: MRZFormat, issuer: String, number: String, optional: String,
        name: DocumentCheck.Name, passes: Bool
    ) throws {
        let found = verdicts(
            try zone(format) {
                $0.code = format == .td3 ? "P<" : "ID"
                ($0.issuer, $0.number, $0.optional) = (issuer, number, optional)
            })
        #expect(found[name] == (passes ? .passed : .failed))
    }

    @Test(arguments: [
        ("AUS", "PA0940409", true), ("AUS", "PAB940409", false), ("CAN", "ZE000509", true),
        ("CAN", "A123456BC", true), ("CAN", "12345678", false), ("ESP", "AAA000589", true),
        ("ESP", "AA0000589", false), ("FRA", "08CD50338", true), ("FRA", "08C050338", false),
        ("IND", "Z1234567", true), ("IND", "ZZ123456", false), ("JPN", "TK1234567", true),
        ("JPN", "T12345678", false), ("NLD", "XA0000014", true), ("NLD", "XA000001A", false),
        ("POL", "ZS0000177", true), ("POL", "Z00000177", false), ("UTO", "L898902C3", nil),
    ])
    func `published forms of passport numbers`(issuer: String, number: String, passes: Bool?)
        throws
    {
        let found = verdicts(
            try zone { ($0.issuer, $0.number, $0.optional) = (issuer, number, "") })
        #expect(
            found[.numberFormat] == passes.map { $0 ? .passed : .failed } ?? .notChecked(.noRule))
    }

    /// Numbers that authorities and standards publish as examples.
    @Test(arguments: [
        (MRZFormat.td1, "BEL", "85073003328"), (.td3, "BGR", "7523169263"),
        (.td3, "CZE", "7103192745"), (.td3, "EST", "37605030299"), (.td3, "LTU", "33309240064"),
        (.td3, "FIN", "131052<308T"), (.td3, "HRV", "33392005961"), (.td3, "NOR", "15108695088"),
        (.td3, "ROU", "1630615123457"), (.td3, "SVN", "0101006500006"),
        (.td3, "SWE", "198803200016"), (.td3, "THA", "1234545678781"), (.td3, "TUR", "17291716060"),
        (.td3, "TWN", "A123456789"), (.td3, "ZAF", "7503305044089"),
    ])
    func `check digits of national numbers`(format: MRZFormat, issuer: String, number: String)
        throws
    {
        func verdict(_ text: String) throws -> DocumentCheck.Verdict? {
            verdicts(
                try zone(format) {
                    $0.code = format == .td3 ? "P<" : "ID"
                    ($0.issuer, $0.optional, $0.optional2) = (issuer, "", text)
                    if format != .td1 { ($0.optional, $0.optional2) = (text, "") }
                })[.personalNumber]
        }
        #expect(try verdict(number) == .passed)
        // Another check digit never passes, and few other changes of one digit do: check digits cannot
        // notice all, and Sweden's do not cover the century.
        var changes = 0, unnoticed = 0
        for place in number.indices where number[place].isNumber {
            let isLast = number.index(after: place) == number.endIndex
            for digit in "0123456789" where digit != number[place] {
                let hasPassed =
                    try verdict(number.replacingCharacters(place, with: digit)) == .passed
                #expect(!hasPassed || !isLast, "\(issuer)")
                changes += 1
                if hasPassed { unnoticed += 1 }
            }
        }
        #expect(unnoticed * 5 < changes, "\(issuer)")
        // Other data in the same place is not a wrong number.
        #expect(try verdict("ABC") == .notChecked(.noRule))
    }

    @Test func `a PESEL carries the date of birth and a check digit`() throws {
        let digits = [7, 4, 0, 8, 1, 2, 0, 0, 0, 0]
        let sum = zip(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]).reduce(0) { $0 + $1.0 * $1.1 }
        let pesel = digits.map(String.init).joined() + String((10 - sum % 10) % 10)
        for (birth, verdict) in [("740812", DocumentCheck.Verdict.passed), ("740813", .failed)] {
            let found = verdicts(
                try zone {
                    ($0.issuer, $0.birth, $0.optional) = ("POL", birth, pesel)
                })
            #expect(found[.personalNumber] == verdict)
        }
    }

    @Test func `what a person says is compared with the document`() throws {
        var document = try zone { $0.names = "MUELLER<<ANNA<MARIA" }
        var input = DocumentFields(.input)
        input.familyName = "Müller"
        input.givenNames = ["Anna"]
        input.birth = CalendarDate("1974-08-12")
        document.input = input
        var found = verdicts(document)
        #expect(found[.sameFamilyName] == .passed && found[.sameGivenNames] == .passed)
        #expect(found[.sameBirth] == .passed && found[.sameNumber] == .notChecked(.missing))
        // Utopia has no code of two letters.
        #expect(found[.sameCountry] == .notChecked(.missing))
        document.input?.familyName = "Miller"
        document.input?.givenNames = ["Ann"]
        document.input?.birth = CalendarDate("1974-08-13")
        found = verdicts(document)
        #expect(found[.sameFamilyName] == .failed && found[.sameGivenNames] == .failed)
        #expect(found[.sameBirth] == .failed)
        document.input?.familyName = "王"
        #expect(verdicts(document)[.sameFamilyName] == .notChecked(.script))
    }

    @Test func `every field that occurs twice is compared, between every two sources`() throws {
        let fields: [(DocumentCheck.Name, (inout DocumentFields) -> Void)] = [
            (.sameNumber, { $0.number = "L898911C9" }),
            (.sameFamilyName, { $0.familyName = "ERIKSEN" }),
            (.sameGivenNames, { $0.givenNames = ["ANNIKA"] }),
            (.sameBirth, { $0.birth = CalendarDate("1975-08-12") }),
            (.sameExpiry, { $0.expiry = CalendarDate("2013-04-15") }),
            (.sameIssue, { $0.issue = CalendarDate("2003-04-15") }), (.sameSex, { $0.sex = .male }),
            (.sameCountry, { $0.country = "FR" }), (.sameNationality, { $0.nationality = "FR" }),
            (.samePostalCode, { $0.postalCode = "75001" }),
        ]
        for first in DocumentFields.Source.allCases {
            for second in DocumentFields.Source.allCases where first != second {
                var a = DocumentFields(first)
                (a.number, a.familyName, a.givenNames) = ("L898902C3", "ERIKSSON", ["ANNA"])
                (a.birth, a.expiry) = (CalendarDate("1974-08-12"), CalendarDate("2012-04-15"))
                (a.issue, a.sex) = (CalendarDate("2002-04-15"), .female)
                (a.country, a.nationality, a.postalCode) = ("SE", "SE", "11122")
                var same = DocumentFields(second)
                (same.number, same.familyName) = (a.number, a.familyName)
                (same.givenNames, same.birth, same.expiry) = (a.givenNames, a.birth, a.expiry)
                (same.issue, same.sex, same.country) = (a.issue, a.sex, a.country)
                (same.nationality, same.postalCode) = (a.nationality, a.postalCode)
                let checks = a.compared(with: same)
                #expect(
                    checks.allSatisfy { $0.verdict == .passed && $0.sources == [first, second] })
                #expect(checks.map(\.name) == fields.map(\.0))
                for (name, change) in fields {
                    var other = same
                    change(&other)
                    // One letter of print has too little in common with another.
                    let isPrinted = first == .visualZone || second == .visualZone
                    let isDoubtful = name == .sameSex && isPrinted
                    let expected =
                        isDoubtful ? DocumentCheck.Verdict.notChecked(.doubtful) : .failed
                    let others = a.compared(with: other).filter { $0.verdict != .passed }
                    #expect(others.map(\.name) == [name], "\(first) \(second)")
                    #expect(others.map(\.verdict) == [expected], "\(first) \(second)")
                }
            }
        }
    }

    @Test(arguments: [
        ("636010", "H574712510891", true), ("636010", "H574-712-51-089-1", true),
        ("636010", "H57471251089", false), ("636012", "S9244-43879-65702", true),
        ("636012", "9244438796570", false), ("636014", "D1234567", true),
        ("636014", "12345678", false), ("636001", "NONE", nil), ("636045", "WDLABCD456DG", nil),
    ])
    func `published forms of license numbers`(issuer: String, number: String, passes: Bool?)
        throws
    {
        var elements = AAMVACardTests.elements
        elements[0].1 = number
        let card = try AAMVACard(AAMVACardTests.encoded(issuer: issuer, [("DL", elements)]))
        let verdict = verdicts(IdentityDocument(card: card))[.numberFormat]
        #expect(
            verdict == passes.map { $0 ? .passed : .failed }
                ?? .notChecked(number == "NONE" ? .missing : .noRule))
    }

    @Test func `another person's barcode does not match the zone`() throws {
        var document = try zone(.td1) {
            ($0.code, $0.issuer, $0.number) = ("ID", "USA", "H57471251")
            ($0.names, $0.birth) = ("TESTER<<JOEY", "410509")
        }
        let bytes = AAMVACardTests.encoded([("DL", AAMVACardTests.elements)])
        document.card = try AAMVACard(bytes)
        let checks = document.checks(now: Self.now).filter { $0.sources == [.mrz, .barcode] }
        func verdict(_ name: DocumentCheck.Name) -> DocumentCheck.Verdict? {
            checks.first { $0.name == name }?.verdict
        }
        #expect(verdict(.sameFamilyName) == .passed && verdict(.sameGivenNames) == .passed)
        #expect(verdict(.sameBirth) == .passed && verdict(.sameCountry) == .passed)
        #expect(verdict(.sameNumber) == .failed && verdict(.sameExpiry) == .failed)
        #expect(verdict(.samePostalCode) == .notChecked(.missing))
    }

    @Test(arguments: [
        ("05091941", "03092032", "05012004", [DocumentCheck.Name]()),
        ("05091881", "03092032", "05012004", [.birth]),
        ("05092041", "03092032", "05012004", [.birth, .expiry, .issue]),
        ("05091941", "03092002", "05012004", [.issue, .notExpired]),
        ("05091941", "3203093", "05012004", [.expiry, .notExpired]),
        ("05091941", "13092032", "05012004", [.expiry, .notExpired]),
        ("05091941", "MIL1", "05012004", [.expiry, .notExpired]),
        ("05-09-1941", "3/9/2032", "2004-05-01", []),
        ("05001941", "00002032", "00002004", []),
        ("00001941", "10002011", "05002004", []),
        ("00001880", "00002010", "00002012", [.birth, .notExpired, .issue]),
    ])
    func `dates of cards`(
        birth: String, expiry: String, issue: String, failing: [DocumentCheck.Name]
    ) throws {
        var elements = AAMVACardTests.elements
        (elements[4].1, elements[5].1, elements[6].1) = (birth, expiry, issue)
        let card = try AAMVACard(AAMVACardTests.encoded([("DL", elements)]))
        let failed = IdentityDocument(card: card).checks(now: Self.now).filter {
            $0.verdict == .failed
        }.map(\.name)
        #expect(Set(failed) == Set(failing))
    }

    /// Cards of seniors and soldiers state no expiry. The standard has words for absent values.
    @Test(arguments: [
        "00000000", "99999999", "99/99/9999", "12319999", "99991231", "INDEF", "MIL", "NONE",
        "None", "unavl", "UNAVL ", "N/A", "Non-expiring", "XXXXXXXX", "--------", "",
    ])
    func `a card without an expiry is not expired`(expiry: String) throws {
        var elements = AAMVACardTests.elements
        elements[5].1 = expiry
        let document = IdentityDocument(
            card: try AAMVACard(AAMVACardTests.encoded([("ID", elements)])))
        let found = verdicts(document, now: Self.later)
        #expect(found[.expiry] == .notChecked(.missing))
        #expect(found[.notExpired] == .notChecked(.missing))
        #expect(!found.values.contains(.failed))
        #expect(document.card?.expiry == nil)
    }

    @Test(arguments: AAMVACardTests.elements.map(\.0), ["NONE", "UNAVL", "unavl", "None  "])
    func `an absent value in any element fails nothing, and is no value`(
        id: String, word: String
    ) throws {
        let elements = AAMVACardTests.elements.map { ($0.0, $0.0 == id ? word : $0.1) }
        for version in 1...10 {
            let card = try AAMVACard(
                AAMVACardTests.encoded(
                    version: version, own: version == 1 ? nil : 0, [("DL", elements)]))
            #expect(card[AAMVAElementID(rawValue: id)] == nil)
            let texts = [card.number, card.familyName, card.street, card.postalCode, card.country]
            #expect(!(texts + card.givenNames).contains { $0?.uppercased() == word.uppercased() })
            let found = verdicts(IdentityDocument(card: card), now: Self.later)
            #expect(!found.values.contains(.failed), "\(id)")
        }
    }

    /// A card that states the month only is valid up to a day of that month.
    @Test(arguments: [
        ("2011-09-30", DocumentCheck.Verdict.passed), ("2011-10-01", .passed),
        ("2011-10-02", .notChecked(.partial)), ("2011-10-31", .notChecked(.partial)),
        ("2011-11-01", .failed),
    ])
    func `the month of expiry decides outside of it`(
        day: String, verdict: DocumentCheck.Verdict
    ) throws {
        var elements = AAMVACardTests.elements
        elements[5].1 = "10002011"
        let card = try AAMVACard(AAMVACardTests.encoded([("DL", elements)]))
        let checks = card.checks(asOf: try #require(CalendarDate(day)))
        #expect(checks.first { $0.name == .notExpired }?.verdict == verdict)
    }
}

extension String {
    fileprivate func replacingCharacters(_ place: Index, with character: Character) -> String {
        String(self[..<place]) + String(character) + String(self[index(after: place)...])
    }
}
