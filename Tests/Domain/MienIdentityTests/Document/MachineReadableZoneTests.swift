import MienCore
import MienTesting
import Testing

@testable import MienDocument

@Suite struct MachineReadableZoneTests {
    static let passport = [
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
        "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
    ]
    static let card = [
        "I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6",
        "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
    ]
    static let td2 = [
        "I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6",
    ]
    /// ICAO Doc 9303 part 5, note j: a number of 12 characters.
    static let longNumber = [
        "I<UTOD23145890<7349<<<<<<<<<<<", "3407127M9507122UTO<<<<<<<<<<<2",
        "STEVENSON<<PETER<JOHN<<<<<<<<<",
    ]
    static let today = CalendarDate("2011-06-01")!

    @Test(arguments: [(passport, MRZFormat.td3), (card, .td1), (td2, .td2), (longNumber, .td1)])
    func `the standard's specimens have right check digits`(lines: [String], format: MRZFormat)
        throws
    {
        let zone = try MachineReadableZone(lines: lines)
        #expect(zone.format == format && zone.hasRightCheckDigits && zone.lines == lines)
        #expect(try MachineReadableZone(lines.joined(separator: "\r\n") + "\n") == zone)
    }

    @Test func `the fields of the standard's passport`() throws {
        let zone = try MachineReadableZone(lines: Self.passport)
        #expect(zone.documentCode == "P" && zone.number == "L898902C3")
        #expect(zone.issuer.text == "UTO" && zone.nationality?.text == "UTO")
        #expect(zone.birth?.birth(asOf: Self.today) == CalendarDate("1974-08-12"))
        #expect(zone.expiry?.expiry(asOf: Self.today) == CalendarDate("2012-04-15"))
        #expect(zone.sex == .female && zone.optionalData == ["ZE184226B"])
        #expect(zone.name.primary == ["ERIKSSON"] && zone.name.secondary == ["ANNA", "MARIA"])
        #expect(zone.checkDigits.map(\.field) == [.number, .birth, .expiry, .optional, .composite])
    }

    @Test func `a long number continues in the optional data`() throws {
        let zone = try MachineReadableZone(lines: Self.longNumber)
        #expect(zone.number == "D23145890734" && zone.optionalData == ["", ""])
    }

    @Test func `a check digit of an empty field may be a filler, but not of a filled one`() throws {
        var lines = Self.passport
        lines[1] = MadeZone.lines(.td3, MadeZone.Fields(optional: ""))[1]
        let digits = try MachineReadableZone(lines: lines).checkDigits
        #expect(digits[3].isEmpty && digits[3].isRight && digits.allSatisfy(\.isRight))
        lines[1] = Self.passport[1].prefix(42) + "<0"
        #expect(try !MachineReadableZone(lines: lines).checkDigits[3].isRight)
    }

    @Test(arguments: MRZFormat.allCases)
    func
        `made zones read back as they were made, and every altered character is noticed as far as the digits can`(
            format: MRZFormat
        ) throws
    {
        var random = TestSeed.generator(UInt64(MRZFormat.allCases.firstIndex(of: format)!))
        for _ in 0..<40 {
            let f = MadeZone.random(format, &random), lines = MadeZone.lines(format, f)
            let zone = try MachineReadableZone(lines: lines)
            try #require(zone.format == format && zone.lines == lines && zone.hasRightCheckDigits)
            #expect(zone.number == f.number && zone.issuer.text == f.issuer)
            #expect(zone.issuer.isKnown && zone.birth != nil)
            let layout = zone.layout
            for digit in layout.checkDigits {
                // Two ways to compute the digit of a long number are right.
                if digit.field == .number, layout.number.count > 1 { continue }
                // No filler is right once the field has a character, even one of value 0.
                if zone.checkDigits.contains(where: { $0.field == digit.field && $0.isEmpty }) {
                    continue
                }
                for span in digit.covers {
                    try alter(lines, zone, span, covered: digit.field)
                }
            }
        }
    }

    /// Replaces each character of the span by each other one.
    private func alter(
        _ lines: [String], _ zone: MachineReadableZone, _ span: MRZSpan,
        covered field: MRZCheckDigit.Field
    ) throws {
        let column = span.columns.lowerBound
        for other in Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<".utf8) {
            var rows = zone.characters
            let before = rows[span.line][column]
            guard other != before else { continue }
            rows[span.line][column] = other
            let difference = MRZCheckDigit.value(of: other)! - MRZCheckDigit.value(of: before)!
            let altered = MachineReadableZone(trusted: rows, zone.format)
            // A filler at the end of the number moves the fields of a long number.
            guard altered.layout.number == zone.layout.number else { continue }
            let digit = try #require(altered.checkDigits.first { $0.field == field })
            #expect(digit.isRight == difference.isMultiple(of: 10))
        }
    }

    @Test func `a check digit cannot tell 1 from B, L, and V`() {
        #expect(MRZCheckDigit.of("L898902C3") == 6 && MRZCheckDigit.of("740812") == 2)
        #expect(Set(["1", "B", "L", "V"].map { MRZCheckDigit.of("X\($0)") }).count == 1)
        #expect(MRZCheckDigit.of("l") == nil)
    }

    @Test(arguments: [
        ([String](), DocumentError.Code.zoneSize), (["P<UTO"], .zoneSize),
        ([passport[0], String(passport[1].dropLast())], .zoneSize),
        ([passport[0], passport[1], passport[1]], .zoneSize),
        ([passport[0].lowercased(), passport[1]], .zoneCharacter),
        (["Ñ" + passport[0].dropFirst(2), passport[1]], .zoneCharacter),
        (["X" + passport[0].dropFirst(), passport[1]], .zoneType),
        (["V" + card[0].dropFirst(), card[1], card[2]], .zoneType),
    ])
    func `malformed zones are rejected`(lines: [String], code: DocumentError.Code) {
        #expect(throws: DocumentError(code, "")) { try MachineReadableZone(lines: lines) }
    }

    @Test func `errors and values do not print what a document says`() throws {
        let zone = try MachineReadableZone(lines: Self.passport)
        var out = ""
        dump(zone, to: &out)
        dump(zone.name, to: &out)
        dump(DocumentFields(zone, asOf: Self.today), to: &out)
        #expect(!(out + "\(zone)").contains("ERIKSSON") && !out.contains("L898902C3"))
        var lines = Self.passport
        lines[0] = lines[0].replacing("ANNA", with: "ANÑ")
        do { _ = try MachineReadableZone(lines: lines) } catch {
            #expect(!error.reason.contains("ERIKSSON"))
        }
    }

    @Test(
        .enabled(
            if: !SharedDocuments.zones.isEmpty,
            "needs the specimens: ../shared/data/documents, or MIEN_SHARED"))
    func `transcribed specimens parse, and their check digits are as people found them`() throws {
        for (name, truth) in SharedDocuments.zones {
            let zone = try MachineReadableZone(lines: truth.lines)
            #expect(zone.lines == truth.lines)
            #expect(zone.hasRightCheckDigits == truth.isRight, "\(name)")
        }
        #expect(SharedDocuments.zones.count == 32)
    }
}
