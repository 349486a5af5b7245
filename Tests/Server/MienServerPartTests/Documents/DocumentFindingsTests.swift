import MienCore
import MienDocument
import MienIdentity
import MienTools
import Testing

@testable import MienModels
@testable import MienServer

@Suite("Assessing documents")
struct DocumentFindingsTests {
    typealias Made = MadeReading

    private static func assess(
        _ readings: [DocumentReading], as type: IdentityDocumentType = .passport,
        of country: Country = .de, looksForCopies: Bool = false
    ) -> DocumentFindings {
        let sides = zip([DocumentPicture.front, .back], readings).map { ($0, $1) }
        return DocumentFindings(
            sides, as: type, of: country, looksForCopies: looksForCopies, now: Made.today)
    }

    @Test("a passport passes each check, and states its holder without an address")
    func passport() throws {
        let found = Self.assess([try Made.zone()])
        #expect(
            found.checks.results
                == [
                    .documentType: .passed, .documentNotExpired: .passed,
                    .documentConsistent: .passed,
                ])
        #expect(found.recapture.isEmpty && found.data == nil)
        #expect(
            found.stated
                == StatedPerson(
                    familyName: "SMITH", givenNames: "JOHN",
                    dateOfBirth: CalendarDate(year: 1975, month: 2, day: 28)))
    }

    @Test("another country or type fails, and a visa is no passport")
    func type() throws {
        let page = try Made.zone()
        #expect(Self.assess([page], of: .fr).checks[.documentType] == .failed)
        #expect(Self.assess([page, page], as: .idCard).checks[.documentType] == .failed)
        #expect(Self.assess([try Made.zone(.visaA)]).checks[.documentType] == .failed)
        #expect(
            Self.assess([Made.license(), Made.license()], as: .idCard, of: .us)
                .checks[.documentType] == .failed)
    }

    @Test("an expired document, an altered digit, and two different zones fail")
    func failures() throws {
        let expired = Made.person {
            $0.issue = CalendarDate(year: 2014, month: 5, day: 4)!
            $0.expiry = CalendarDate(year: 2024, month: 5, day: 3)!
        }
        let old = Self.assess([try Made.zone(.td3, expired)]).checks
        #expect(old[.documentNotExpired] == .failed && old[.documentConsistent] == .passed)
        let altered = try Made.zone(.td3, Made.person(), .invalid) { lines in
            var line = Array(lines[1])
            line[14] = line[14] == "6" ? "1" : "6"
            return [lines[0], String(line)]
        }
        #expect(Self.assess([altered]).checks[.documentConsistent] == .failed)
        let other = Made.person { $0.familyName = "MILLER" }
        #expect(
            Self.assess([try Made.zone(.td2), try Made.zone(.td2, other)], as: .idCard)
                .checks[.documentConsistent] == .failed)
    }

    @Test("a back alone proves nothing about the front beside it")
    func links() throws {
        let front = Made.reading()
        let card = Self.assess([front, try Made.zone(.td1)], as: .idCard)
        #expect(card.checks[.documentConsistent] == .inconclusive)
        #expect(
            Self.assess([try Made.zone(.td1), front], as: .idCard).checks[.documentConsistent]
                == .passed)
    }

    @Test("a license states an address, which personal data can be taken from")
    func license() {
        let found = Self.assess(
            [Made.reading(), Made.license()], as: .driverLicense, of: .us)
        #expect(found.checks[.documentType] == .passed)
        #expect(
            found.data?.postalCode.hasPrefix("30318") == true
                && found.data?.address == "222333 PEACHTREE PLACE"
                && found.data?.dateOfBirth == "1975-02-28")
    }

    @Test("a zone that is not sure is not read, and asks for another picture")
    func unsure() throws {
        let found = Self.assess([try Made.zone(.td3, Made.person(), .unsure)])
        #expect(found.recapture == [DocumentRecapture(.front, .documentDamaged)])
        #expect(found.checks.results.isEmpty && found.stated == nil)
    }

    @Test(
        "a sign of a copy is never more than inconclusive, and nothing is reported if it is off",
        arguments: [
            (CopyMeasurements(colorSpread: 0.1, brightnessPattern: 1, colorPattern: 1), true, true),
            (
                CopyMeasurements(colorSpread: 0.001, brightnessPattern: 1, colorPattern: 1), false,
                true
            ),
            (
                CopyMeasurements(colorSpread: 0.1, brightnessPattern: 9, colorPattern: 1), true,
                false
            ),
            (CopyMeasurements(), false, false),
        ])
    func copies(_ measured: CopyMeasurements, hasColor: Bool, hasNoPattern: Bool) throws {
        var reading = try Made.zone()
        reading.copyMeasurements = measured
        let checks = Self.assess([reading], looksForCopies: true).checks
        #expect(checks[.documentNotPhotocopy] == (hasColor ? .passed : .inconclusive))
        #expect(checks[.documentNotScreen] == (hasNoPattern ? .passed : .inconclusive))
        #expect(!checks.results.values.contains(.failed))
        #expect(
            RecommendationRules.standard.answer(to: checks)
                == (hasColor && hasNoPattern ? .allow : .challenge))
        let off = Self.assess([reading]).checks
        #expect(off[.documentNotPhotocopy] == nil && off[.documentNotScreen] == nil)
    }

    @Test("signs of a copy are those of the portrait's side")
    func copiedBack() throws {
        var front = try Made.zone(.td2), back = Made.reading()
        front.copyMeasurements = CopyMeasurements(
            colorSpread: 0.1, brightnessPattern: 1, colorPattern: 1)
        back.copyMeasurements = CopyMeasurements(
            colorSpread: 0, brightnessPattern: 9, colorPattern: 9)
        let checks = Self.assess([front, back], as: .idCard, looksForCopies: true).checks
        #expect(checks[.documentNotPhotocopy] == .passed && checks[.documentNotScreen] == .passed)
    }
}
