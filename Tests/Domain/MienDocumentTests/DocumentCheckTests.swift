import MienCore
import Testing

@testable import MienDocument

@Suite struct DocumentCheckTests {
    static let now = Instant(seconds: 1_320_000_000)  // 2011-10-30

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
        #expect(verdicts(try zone { $0.birth = "74<<<<" })[.birth] == .notChecked(.partial))
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
        ("05091941", "NONE", "05012004", [.expiry, .notExpired]),
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
}
