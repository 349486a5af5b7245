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
        of country: String = "DE", among offered: [DocumentCoverage] = DocumentCoverage.table,
        looksForCopies: Bool = false
    ) -> DocumentFindings {
        let sides = zip([DocumentPicture.front, .back], readings).map { ($0, $1) }
        return DocumentFindings(
            sides, as: type, of: DocumentIssuer(rawValue: country)!,
            among: offered, looksForCopies: looksForCopies, now: Made.today)
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

    @Test("another country or type is asked for again, with a hint if it can be chosen")
    func type() throws {
        let page = try Made.zone(), visa = try Made.zone(.visaA)
        let wrong: [([DocumentReading], IdentityDocumentType, String, String?)] = [
            ([page], .passport, "FR", "other_country"),
            ([page, page], .idCard, "DE", "other_type"),
            // A visa is no passport, and cannot be chosen.
            ([visa], .passport, "DE", nil),
            ([Made.reading(), Made.license()], .idCard, "US", "other_type"),
            ([Made.reading(), Made.license()], .driverLicense, "CA", "other_country"),
        ]
        for (readings, type, country, hint) in wrong {
            let found = Self.assess(readings, as: type, of: country)
            #expect(!found.isReadable && found.checks.results.isEmpty)
            #expect(
                found.recapture
                    == zip([DocumentPicture.front, .back], readings).map { picture, _ in
                        DocumentRecapture(
                            picture, .documentNotSupported, hints: hint.map { [$0] } ?? [])
                    })
            // A deployment may not offer it.
            let hidden = Self.assess(readings, as: type, of: country, among: [])
            #expect(!hidden.isReadable && hidden.recapture.allSatisfy(\.hints.isEmpty))
        }
    }

    @Test("a territory's document is that of its state")
    func territory() throws {
        let page = try Made.zone(.td3, Made.person(), .valid) { lines in
            [lines[0].replacing("D<<", with: "BMU"), lines[1]]
        }
        #expect(Self.assess([page], of: "GB").checks[.documentType] == .passed)
        #expect(Self.assess([page], of: "BM").checks[.documentType] == .passed)
        #expect(!Self.assess([page], of: "US").isReadable)
    }

    @Test("one picture as both sides needs a zone or a barcode in it")
    func sameSide() throws {
        // A card may have everything on one side, or be one scan of both.
        let card = try Made.zone(.td1)
        #expect(Self.assess([card], as: .idCard).isReadable)
        #expect(card.isOfBack && Made.license().isOfBack && !Made.reading().isOfBack)
        #expect(try !Made.zone().isOfBack && !Made.zone(.td2).isOfBack)
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
        #expect(!found.isReadable && found.data == nil && found.stated == nil)
        #expect(
            found.recapture
                == [DocumentRecapture(.front, .poorImageQuality, hints: ["blurred"])])
        // What was found stays, as evidence.
        #expect(found.checks[.documentConsistent] == .inconclusive)
        #expect(found.checks[.documentReadable] == .failed)
        // What agrees in spite of the fault was read well.
        found = Self.assess([blurred, Made.license()], as: .driverLicense, of: "US")
        (found.checks[.documentConsistent], found.checks[.faceMatch]) = (.passed, .passed)
        found.askAgain(for: blurred, as: .front)
        #expect(found.isReadable)
        found.checks[.faceMatch] = .inconclusive
        found.askAgain(for: blurred, as: .front)
        #expect(!found.isReadable)
        // A good picture is judged.
        found = Self.assess([Made.reading(), Made.license()], as: .driverLicense, of: "US")
        found.checks[.faceMatch] = .inconclusive
        found.askAgain(for: Made.reading(), as: .front)
        #expect(found.isReadable)
    }

    @Test("a poor picture gives nobody another try with another face, or hides a contradiction")
    func refusals() throws {
        let blurred = Made.reading(
            CaptureMeasurements(documents: 1, width: 1000, sharpness: 0.1, brightness: 200))
        // Another face, compared well.
        var found = Self.assess([blurred, Made.license()], as: .driverLicense, of: "US")
        #expect(!found.isRefused && found.checks[.documentConsistent] == .inconclusive)
        found.checks[.faceMatch] = .failed
        found.askAgain(for: blurred, as: .front)
        #expect(found.isReadable && found.isRefused)
        // A wrong check digit, and two zones.
        let altered = try Made.zone(.td1, Made.person(), .invalid) { lines in
            var line = Array(lines[1])
            line[0] = line[0] == "6" ? "1" : "6"
            return [lines[0], String(line), lines[2]]
        }
        let other = try Made.zone(.td2, Made.person { $0.familyName = "MILLER" })
        for readings in [[blurred, altered], [try Made.zone(.td2), other]] {
            found = Self.assess(readings, as: .idCard)
            #expect(found.checks[.documentConsistent] == .failed && found.isRefused)
            found.askAgain(for: blurred, as: .front)
            #expect(found.isReadable && found.checks[.documentConsistent] == .failed)
        }
        // Print that contradicts may be misread in a poor picture.
        found.comparison.reasons = [
            ReviewReason(
                check: "document_consistent", detail: "same_birth", result: "failed",
                sources: ["mrz", "visual_zone"])
        ]
        #expect(!found.isRefused)
        found.askAgain(for: blurred, as: .front)
        #expect(!found.isReadable && found.checks[.documentConsistent] == .failed)
    }

    @Test("a reviewer sees why each check did not pass, and nothing about those that passed")
    func reasons() throws {
        func details(_ readings: [DocumentReading], copies: Bool = false) -> [String] {
            Self.assess(readings, as: .idCard, looksForCopies: copies).comparison.reasons.map {
                "\($0.check) \($0.detail) \($0.result)"
            }
        }
        let zone = try Made.zone(.td2)
        let other = try Made.zone(.td2, Made.person { $0.familyName = "MILLER" })
        #expect(details([zone]) == [])
        #expect(details([zone, other]) == ["document_consistent two_zones failed"])
        #expect(
            details([Made.reading(), try Made.zone(.td1)])
                == ["document_consistent not_linked inconclusive"])
        #expect(
            Set(details([zone], copies: true)) == [
                "document_not_photocopy not_measured inconclusive",
                "document_not_screen not_measured inconclusive",
            ])
        var copied = zone
        copied.copyMeasurements = CopyMeasurements(
            colorSpread: 0.001, brightnessPattern: 1, colorPattern: 1)
        #expect(
            details([copied], copies: true) == ["document_not_photocopy copy_signs inconclusive"])
        // The name has a letter that OCR may have misread, and the zone beside it is right.
        var unclear = try Made.zone()
        unclear.text = [("Surname", 60), ("SMITK", 90)].map { text, top in
            PrintedWord(
                text, left: 300, top: top, right: 300 + 10 * text.count, bottom: top + 20,
                confidence: 95)
        }
        let passed = Self.assess([unclear])
        #expect(passed.checks[.documentConsistent] == .passed && passed.comparison.reasons.isEmpty)
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
