import MienAPI
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
        of country: String = "DE", looksForCopies: Bool = false, mayAskAgain: Bool = true
    ) -> DocumentFindings {
        let sides = zip([DocumentPicture.front, .back], readings).map { ($0, $1) }
        return DocumentFindings(
            sides, as: type, of: DocumentIssuer(rawValue: country)!,
            looksForCopies: looksForCopies, mayAskAgain: mayAskAgain, now: Made.today)
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

    @Test("another country or type is asked for again, or fails; a visa is no passport")
    func type() throws {
        let page = try Made.zone(), visa = try Made.zone(.visaA)
        let wrong: [([DocumentReading], IdentityDocumentType, String, String)] = [
            ([page], .passport, "FR", "other_country"),
            ([page, page], .idCard, "DE", "other_type"),
            ([visa], .passport, "DE", "other_type"),
            ([Made.reading(), Made.license()], .idCard, "US", "other_type"),
            ([Made.reading(), Made.license()], .driverLicense, "CA", "other_country"),
        ]
        for (readings, type, country, hint) in wrong {
            let found = Self.assess(readings, as: type, of: country)
            #expect(!found.isReadable && found.checks.results.isEmpty)
            #expect(
                found.recapture
                    == zip([DocumentPicture.front, .back], readings).map { picture, _ in
                        DocumentRecapture(picture, .documentNotSupported, hints: [hint])
                    })
            let last = Self.assess(readings, as: type, of: country, mayAskAgain: false)
            #expect(last.isReadable && last.checks[.documentType] == .failed)
        }
    }

    @Test("two pictures of one side ask for the other one")
    func sameSide() throws {
        let card = try Made.zone(.td1), license = Made.license()
        for (readings, type, country) in [
            ([card, card], IdentityDocumentType.idCard, "DE"), ([card], .idCard, "DE"),
            ([license, license], .driverLicense, "US"),
        ] {
            #expect(
                Self.assess(readings, as: type, of: country).recapture
                    == [DocumentRecapture(.front, .imageMissing, hints: ["same_side"])])
        }
        // The same picture was sent as both sides.
        #expect(
            Self.assess([Made.reading()], as: .driverLicense, of: "US").recapture
                == [DocumentRecapture(.back, .imageMissing, hints: ["same_side"])])
    }

    @Test("a poor picture of the portrait's side is asked for again where it does not agree")
    func poorFront() throws {
        let blurred = Made.reading(
            CaptureMeasurements(documents: 1, width: 1000, sharpness: 0.1, brightness: 200))
        var found = Self.assess([blurred, Made.license()], as: .driverLicense, of: "US")
        #expect(found.isReadable && found.checks[.documentConsistent] == .inconclusive)
        found.askAgain(for: blurred, as: .front)
        #expect(!found.isReadable)
        #expect(
            found.recapture
                == [DocumentRecapture(.front, .poorImageQuality, hints: ["blurred"])])
        // What agrees in spite of the fault was read well.
        found = Self.assess([blurred, Made.license()], as: .driverLicense, of: "US")
        (found.checks[.documentConsistent], found.checks[.faceMatch]) = (.passed, .passed)
        found.askAgain(for: blurred, as: .front)
        #expect(found.isReadable)
        found.checks[.faceMatch] = .failed
        found.askAgain(for: blurred, as: .front)
        #expect(!found.isReadable)
        // A good picture is judged.
        found = Self.assess([Made.reading(), Made.license()], as: .driverLicense, of: "US")
        found.checks[.faceMatch] = .failed
        found.askAgain(for: Made.reading(), as: .front)
        #expect(found.isReadable)
    }

    @Test("printed text that resembles nothing is inconclusive, and a reviewer sees it")
    func misread() throws {
        var page = try Made.zone()
        func word(_ text: String, _ top: Int, _ confidence: Double) -> PrintedWord {
            PrintedWord(
                text, left: 300, top: top, right: 300 + 10 * text.count, bottom: top + 20,
                confidence: confidence)
        }
        for (text, confidence, result, reason) in [
            ("FOUPE", 95, IdentityCheckResult.inconclusive, "doubtful"),
            ("YO", 95, .inconclusive, "doubtful"), ("SMXXH", 60, .inconclusive, "doubtful"),
            ("SMXXH", 95, .failed, "failed"), ("SMITH", 60, .passed, nil),
        ] as [(String, Double, IdentityCheckResult, String?)] {
            page.text = [word("Surname", 60, 95), word(text, 90, confidence)]
            let found = Self.assess([page])
            #expect(found.checks[.documentConsistent] == result, "\(text)")
            #expect(
                found.comparison.reasons
                    == (reason.map {
                        [
                            ReviewReason(
                                check: "document_consistent", detail: "same_family_name",
                                result: $0, sources: ["mrz", "visual_zone"])
                        ]
                    } ?? []))
            #expect(found.comparison.sources.map(\.name) == ["mrz", "visual_zone"])
            #expect(found.comparison.sources[0].fields["family_name"] == "SMITH")
            #expect(found.comparison.sources[1].fields["family_name"] == text)
            #expect(found.comparison.sources[1].unsure == (confidence < 80 ? ["family_name"] : nil))
        }
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
            [Made.reading(), Made.license()], as: .driverLicense, of: "US")
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
