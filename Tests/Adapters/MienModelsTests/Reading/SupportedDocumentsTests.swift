import Foundation
import MienCore
import MienDocument
import MienIdentity
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

    @Test func `the page lists the table by which the server offers documents`() throws {
        var rows = [
            "| document | issuers | side | zone | barcode | portrait | printed fields | address |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for group in DocumentCoverage.groups(DocumentCoverage.table) {
            let issuers =
                group.issuers.count > 9
                ? "\(group.issuers.count) issuers"
                : group.issuers.map(\.rawValue).joined(separator: ", ")
            for side in DocumentCoverage.Side.allCases {
                guard let parts = group.sides[side] else { continue }
                let words = DocumentCoverage.Part.allCases.map { parts.contains($0) ? "yes" : "" }
                rows.append(
                    "| `\(group.type.rawValue)` | \(issuers) | \(side.rawValue) | "
                        + words.joined(separator: " | ") + " |")
            }
        }
        let codes = DocumentIssuer.all.map { "`\($0.rawValue)`" }
        try compare("coverage", rows + ["", "The issuers: \(codes.joined(separator: ", "))."])
    }

    @Test func `documents of every state are read`() throws {
        let kinds: [Specimen.Kind] = [.td3, .td1, .td2, .visaA, .visaB]
        var rows = ["| issuer | rules for numbers |", "|---|---|"]
        var missing: [String] = []
        for (index, issuer) in IssuerCode.known.sorted().enumerated() {
            // TD2 cards of France have a layout of their own.
            let found = kinds.map {
                Self.rules(
                    issuer == "FRA" && $0 == .td2 ? .frenchCard : $0, issuer, seed: 40 + index)
            }
            // The page would have to say so if one were not read.
            if found.contains(nil) { missing.append(issuer) }
            var rules: [String] = []
            for (kind, passed) in zip(["passport", "TD1", "TD2"], found) {
                if passed?.contains(.numberFormat) == true { rules.append("\(kind) number") }
            }
            if found.contains(where: { $0?.contains(.personalNumber) == true }) {
                rules.append("national number")
            }
            if !rules.isEmpty { rows.append("| `\(issuer)` | \(rules.joined(separator: ", ")) |") }
        }
        #expect(missing.isEmpty)
        try compare("rules", rows)
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
        var rules: [String] = [], others: [String] = []
        for number in Jurisdiction.knownNumbers {
            let jurisdiction = try #require(Jurisdiction(issuerNumber: number))
            for mode in AAMVACard.Mode.allCases {
                let read = (1...10).filter { Self.isRead(number, version: $0, mode).isRead }
                // The page would have to say so if a version were not read.
                #expect(read == Array(1...10), "\(jurisdiction.code) \(mode)")
            }
            let name = "\(jurisdiction.country)-\(jurisdiction.code)"
            if Self.isRead(number, version: 8, .strict).hasRule {
                rules.append(name)
            } else {
                others.append(name)
            }
        }
        try compare(
            "jurisdictions",
            [
                "- With a rule for numbers: \(rules.sorted().joined(separator: ", "))",
                "- Without: \(others.sorted().joined(separator: ", "))",
            ])
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
