import Foundation
import MienCore
import MienDocument
import MienTesting
import MienTools
import Testing

@testable import MienModels

/// `docs/supported-documents.md` is written by these tests: a document is in it because a specimen of
/// it was read and passed every check. `MIEN_UPDATE=1 scripts/test --filter SupportedDocumentsTests`
/// writes the page again.
@Suite struct SupportedDocumentsTests {
    private static let now = Instant(seconds: 1_790_000_000)  // 2026-09-21
    private static let page = Repository.root.appending(path: "docs/supported-documents.md")
    private static var isUpdating: Bool {
        ProcessInfo.processInfo.environment["MIEN_UPDATE"] == "1"
    }

    /// Compares a part of the page, between two comments, or writes it.
    private func compare(_ name: String, _ rows: [String]) throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let marks = ["<!-- \(name) -->\n", "<!-- end of \(name) -->"]
        let start = try #require(text.range(of: marks[0])).upperBound
        let end = try #require(text.range(of: marks[1])).lowerBound
        let table = "\n" + rows.joined(separator: "\n") + "\n\n"
        if Self.isUpdating {
            try (text[..<start] + table + text[end...]).write(
                to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(text[start..<end] == table, "MIEN_UPDATE=1 writes the page")
        }
    }

    // MARK: States

    private static func person(_ seed: Int) -> SpecimenPerson {
        var random = SeededGenerator(seed: UInt64(seed))
        return SpecimenPerson.ordinary(&random)
    }

    /// The person's own statement about the document.
    private static func input(_ person: SpecimenPerson, country: String?) -> DocumentFields {
        var fields = DocumentFields(.input)
        (fields.number, fields.familyName) = (person.number, person.familyName)
        fields.givenNames = person.givenNames
        (fields.birth, fields.expiry, fields.sex) = (person.birth, person.expiry, person.sex)
        (fields.country, fields.nationality) = (country, country)
        return fields
    }

    /// Whether the specimen passes, and an altered one does not.
    /// - Returns: The rules for numbers that applied; `nil` for a document that is not supported.
    private static func rules(_ kind: Specimen.Kind, _ issuer: String, seed: Int) -> Set<
        DocumentCheck.Name
    >? {
        var random = SeededGenerator(seed: UInt64(seed))
        var person = person(seed)
        let text = Specimen.text(kind, person, issuer: SpecimenIssuer(state: issuer), &random)
        guard let lines = text.zone, let zone = try? MachineReadableZone(lines: lines),
            zone.format == kind.zoneFormat, zone.hasRightCheckDigits
        else { return nil }
        person.number = zone.number
        let country = IssuerCode(issuer).country
        let document = IdentityDocument(zone: zone, input: input(person, country: country))
        let checks = document.checks(now: now)
        guard !checks.contains(where: { $0.verdict == .failed }) else { return nil }
        // A year of birth that differs by one is noticed by a check digit.
        var altered = lines
        let line = 1, column = kind == .td1 ? 1 : kind == .frenchCard ? 28 : 14
        var row = Array(altered[line].utf8)
        row[column] = row[column] == 57 ? 48 : row[column] + 1
        altered[line] = String(decoding: row, as: UTF8.self)
        guard let other = try? MachineReadableZone(lines: altered), !other.hasRightCheckDigits
        else { return nil }
        return Set(checks.filter { $0.verdict == .passed }.map(\.name))
    }

    @Test func `documents of every state are listed as they were read`() throws {
        let kinds: [Specimen.Kind] = [.td3, .td1, .td2, .visaA, .visaB]
        var rows = [
            "| issuer | country | passport | TD1 | TD2 | visas | rules for numbers |",
            "|---|---|---|---|---|---|---|",
        ]
        for (index, issuer) in IssuerCode.known.sorted().enumerated() {
            // TD2 cards of France have a layout of their own.
            let found = kinds.map {
                Self.rules(
                    issuer == "FRA" && $0 == .td2 ? .frenchCard : $0, issuer, seed: 40 + index)
            }
            let isSupported = found.map { $0 != nil }
            func word(_ supported: Bool) -> String { supported ? "yes" : "no" }
            var rules: [String] = []
            for (kind, passed) in zip(["passport", "TD1", "TD2"], found) {
                if passed?.contains(.numberFormat) == true { rules.append("\(kind) number") }
            }
            if found.contains(where: { $0?.contains(.personalNumber) == true }) {
                rules.append("national number")
            }
            rows.append(
                "| `\(issuer)` | \(IssuerCode(issuer).country ?? "–") | \(word(isSupported[0])) | "
                    + "\(word(isSupported[1])) | \(word(isSupported[2])) | "
                    + "\(word(isSupported[3] && isSupported[4])) | \(rules.joined(separator: ", ")) |"
            )
        }
        try #require(rows.count > 250)
        // All documents of the standard are supported; the page would say so if one were not.
        #expect(!rows.contains { $0.contains("| no |") })
        try compare("states", rows)
    }

    // MARK: Jurisdictions

    private static func isRead(_ number: String, version: Int, _ mode: AAMVACard.Mode) -> (
        isRead: Bool, hasRule: Bool
    ) {
        guard let issuer = SpecimenIssuer(issuerNumber: number, version: version) else {
            return (false, false)
        }
        var random = SeededGenerator(seed: UInt64(version))
        let person = person(version)
        let text = Specimen.text(.licenseBack, person, issuer: issuer, &random)
        guard let bytes = text.barcode, let card = try? AAMVACard(bytes, mode: mode),
            card.bytes == bytes, card.header.version == version
        else { return (false, false) }
        var input = input(person, country: card.jurisdiction?.country)
        (input.number, input.issue, input.nationality) = (card.number, person.issue, nil)
        let checks = IdentityDocument(card: card, input: input).checks(now: now)
        let names: [DocumentCheck.Name] = [
            .sameNumber, .sameFamilyName, .sameGivenNames, .sameBirth, .sameExpiry, .sameIssue,
            .sameSex, .sameCountry, .notExpired, .birth, .expiry, .issue, .issuer,
        ]
        let passed = Set(checks.filter { $0.verdict == .passed }.map(\.name))
        return (
            names.allSatisfy(passed.contains)
                && !checks.contains { $0.verdict == .failed },
            passed.contains(.numberFormat)
        )
    }

    @Test func `cards of every jurisdiction are listed as they were read`() throws {
        var rows = [
            "| jurisdiction | country | issuer number | strict | lenient | rule for numbers |",
            "|---|---|---|---|---|---|",
        ]
        for number in Jurisdiction.knownNumbers {
            let jurisdiction = try #require(Jurisdiction(issuerNumber: number))
            let columns = AAMVACard.Mode.allCases.map { mode in
                let read = (1...10).filter { Self.isRead(number, version: $0, mode).isRead }
                return read == Array(1...10)
                    ? "1–10" : read.map(String.init).joined(separator: ", ")
            }
            let hasRule = Self.isRead(number, version: 8, .strict).hasRule
            rows.append(
                "| \(jurisdiction.code) | \(jurisdiction.country) | \(number) | "
                    + columns.joined(separator: " | ") + " | \(hasRule ? "yes" : "") |")
        }
        #expect(rows.dropFirst(2).allSatisfy { $0.contains("| 1–10 | 1–10 |") })
        try compare("jurisdictions", rows)
    }

    // MARK: Pictures

    @Test func `kinds of documents are listed as pictures of them were read`() throws {
        let kinds: [Specimen.Kind] = [
            .td3, .td1, .td2, .visaA, .visaB, .frenchCard, .licenseBack,
        ]
        let names = [
            "passport", "TD1, back", "TD2", "visa A", "visa B", "French card of 1994–2021",
            "driver license, back",
        ]
        var rows = ["| document | a drawn photo is read |", "|---|---|"]
        var reader = try DocumentReader(Reading.network.get())
        for (kind, name) in zip(kinds, names) {
            let (specimen, scene) = DrawnSpecimens.scene(
                .good, seed: kind == .licenseBack ? 1003 : 7, kind: kind,
                issuer: kind == .frenchCard ? "FRA" : nil)
            let reading = try reader.read(scene.image)
            let isRead =
                kind == .licenseBack
                ? reading.barcode?.bytes == specimen.barcode
                : reading.zone?.status == .valid && reading.zone?.zone.lines == specimen.zone
            rows.append("| \(name) | \(isRead ? "yes" : "no") |")
        }
        #expect(!rows.contains { $0.hasSuffix("| no |") })
        try compare("pictures", rows)
    }
}
