import MienCore
import MienDocument
import MienTesting
import MienTools
import Testing

@testable import MienModels

@Suite struct ZoneDecoderTests {
    /// Scores of a clear line: each character near 0, all others near −14.
    private func cells(_ lines: [String], _ random: inout SeededGenerator, noise: Double = 1)
        -> [[[Float]]]
    {
        lines.map { line in
            line.utf8.map { byte in
                var cell = (0..<37).map { _ in Float(-14 + noise * random.normal()) }
                cell[CharacterMask.index(of: byte)] = 0
                return cell
            }
        }
    }

    static let zones: [(MRZFormat, [String])] = [
        (.td3, DrawnZoneTests.td3), (.td1, DrawnZoneTests.td1), (.td2, DrawnZoneTests.td2),
        (
            .td1,
            [
                "I<UTOD23145890<7349<<<<<<<<<<<", "3407127M9507122UTO<<<<<<<<<<<2",
                "STEVENSON<<PETER<JOHN<<<<<<<<<",
            ]
        ),
        // A TD2 card whose number continues in the optional data.
        (
            .td2,
            ["I<UTOSTEVENSON<<PETER<JOHN<<<<<<<<<<", "D23145890<UTO3407127M95071227349<<<8"]
        ),
        (.visaB, ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<"]),
        (
            .frenchCard,
            ["IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858CORINNE<<<<<<<6512068F6"]
        ),
    ]

    private func best(_ lines: [String], _ cells: [[[Float]]]) -> ZoneReading? {
        let line = TextLine(start: Vector(x: 0, y: 0), end: Vector(x: 100, y: 0))
        let aligned = cells.map {
            AlignedLine(score: -0.01, frames: [], cells: $0, line: line, pitch: 10)
        }
        return ZoneGrammar.all(lineLength: lines[0].utf8.count).map {
            ZoneReading(DecodedZone($0, cells), aligned)
        }.max { $0.rank < $1.rank }
    }

    @Test(arguments: zones)
    func `clear zones of every format are valid`(format: MRZFormat, lines: [String]) throws {
        var random = TestSeed.generator(31)
        let reading = try #require(best(lines, cells(lines, &random)))
        #expect(reading.zone.lines == lines && reading.zone.format == format)
        #expect(reading.status == .valid)
    }

    /// People with one name, which states write as the given name or as the family name.
    @Test(arguments: MRZFormat.allCases, [false, true])
    func `zones of people with one name are valid`(format: MRZFormat, isFamilyName: Bool) throws {
        var random = TestSeed.generator(36)
        let kind = try #require(Specimen.Kind.allCases.first { $0.zoneFormat == format })
        var person = SpecimenPerson.ordinary(&random)
        (person.familyName, person.givenNames) =
            isFamilyName ? ("LAKSHMI", []) : ("", ["PRIYA", "LAKSHMI"])
        let issuer = SpecimenIssuer(state: format == .frenchCard ? "FRA" : "IND")
        let lines = try #require(Specimen.text(kind, person, issuer: issuer, &random).zone)
        let reading = try #require(best(lines, cells(lines, &random)))
        #expect(reading.zone.lines == lines && reading.zone.format == format)
        #expect(reading.status == .valid)
        let name = reading.zone.name
        #expect(name.primary.joined(separator: " ") == person.familyName)
        #expect(name.secondary == person.givenNames)
    }

    @Test(arguments: zones)
    func `a clear wrong digit is never repaired`(format: MRZFormat, lines: [String]) throws {
        var random = TestSeed.generator(32)
        for digit in ["8", "3", "0"] {
            var altered = lines
            // The second digit of the year of birth.
            let line = format == .td1 ? 1 : 1,
                column = format == .td1 ? 1 : format == .frenchCard ? 28 : 14
            var text = Array(altered[line])
            guard String(text[column]) != digit else { continue }
            text[column] = Character(digit)
            altered[line] = String(text)
            let reading = try #require(best(altered, cells(altered, &random)))
            #expect(reading.status != .valid, "\(format)")
            #expect(reading.zone.lines == altered || reading.status == .unsure)
        }
    }

    /// Clear scores for one zone, but some characters that checked fields have look like others.
    @Test(arguments: zones)
    func `of characters that look like others, none becomes a wrong valid one`(
        format: MRZFormat, lines: [String]
    ) throws {
        var random = TestSeed.generator(35)
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<".utf8)
        var valid = 0
        for _ in 0..<30 {
            var scores = cells(lines, &random, noise: 2)
            for _ in 0...random.index(below: 2) {
                let line = random.index(below: lines.count)
                let column = random.index(below: lines[0].utf8.count)
                let other = CharacterMask.index(of: alphabet[random.index(below: 37)])
                let own = CharacterMask.index(of: Array(lines[line].utf8)[column])
                guard other != own else { continue }
                // From a slight doubt to a clear preference for the wrong character.
                scores[line][column][own] = Float.random(in: -6...0, using: &random)
                scores[line][column][other] = Float.random(in: -1.5...0, using: &random)
            }
            let reading = try #require(best(lines, scores))
            guard reading.status == .valid else { continue }
            valid += 1
            let read = reading.zone.lines.map { Array($0.utf8) }
            let truth = lines.map { Array($0.utf8) }
            let printed = scores.map { row in
                row.map { cell in alphabet[cell.indices.max { cell[$0] < cell[$1] }!] }
            }
            for (line, row) in read.enumerated() {
                for (column, character) in row.enumerated()
                where character != printed[line][column] {
                    // What is corrected is right. What is printed clearly, and that no digit can tell
                    // from what was meant, remains.
                    #expect(character == truth[line][column], "\(format): \(line), \(column)")
                }
            }
        }
        // Most doubts are refused; not all.
        #expect(valid > 0)
    }

    @Test func `an unclear character is decided by the check digit, or not at all`() throws {
        var random = TestSeed.generator(33)
        let lines = DrawnZoneTests.td3
        // 8 or B at the fifth place: B and 8 differ in the sum, so the digit decides.
        var scores = cells(lines, &random)
        scores[1][1][CharacterMask.index(of: UInt8(ascii: "8"))] = -0.7
        scores[1][1][CharacterMask.index(of: UInt8(ascii: "B"))] = -0.6
        let decided = try #require(best(lines, scores))
        #expect(decided.zone.lines == lines && decided.status == .valid)
        // 1 and L cannot be told apart by any digit.
        scores = cells(lines, &random)
        scores[1][0][CharacterMask.index(of: UInt8(ascii: "L"))] = -0.7
        scores[1][0][CharacterMask.index(of: UInt8(ascii: "1"))] = -0.7
        #expect(try #require(best(lines, scores)).status == .unsure)
    }

    @Test func `a chain is decoded exactly`() {
        var random = TestSeed.generator(34)
        let masks: [CharacterMask] = [
            CharacterMask("01AB<"), CharacterMask("27CZ"), CharacterMask("59<Q"),
        ]
        var slots: [ZoneGrammar.Slot] = masks.enumerated().map { k, mask in
            ZoneGrammar.Slot(
                place: .init(line: 0, column: k), mask: mask,
                role: .field([7, 3, 1][k], composite: [7, 3, 1][k]))
        }
        slots.append(
            .init(place: .init(line: 0, column: 3), mask: .digits, role: .checkDigit(composite: 7)))
        slots.append(.init(place: .init(line: 0, column: 4), mask: .digits, role: .compositeDigit))
        for _ in 0..<50 {
            let scores = (0..<5).map { _ in (0..<37).map { _ in Float(random.normal() * 3) } }
            let solved = CheckedChain(slots, scores)
            // Every string with right digits.
            var all: [(score: Float, characters: [Int])] = []
            func members(_ mask: CharacterMask) -> [Int] { (0..<37).filter { mask.contains($0) } }
            func value(_ c: Int) -> Int { c == 36 ? 0 : c % 10 }
            for a in members(masks[0]) {
                for b in members(masks[1]) {
                    for c in members(masks[2]) {
                        let sum = 7 * value(a) + 3 * value(b) + value(c)
                        let digit = sum % 10, composite = (sum + 7 * digit) % 10
                        let string = [a, b, c, digit, composite]
                        all.append((zip(scores, string).reduce(0) { $0 + $1.0[$1.1] }, string))
                    }
                }
            }
            let best = all.max { $0.score < $1.score }!
            #expect(solved.characters == best.characters && abs(solved.score - best.score) < 1e-3)
            for place in 0..<5 {
                let other = all.filter { $0.characters[place] != best.characters[place] }.map(
                    \.score
                ).max()!
                #expect(abs(solved.margins[place] - (best.score - other)) < 1e-3)
            }
        }
    }

    @Test(arguments: zones)
    func `grammars tie the places that the document's layout names`(
        format: MRZFormat, lines: [String]
    ) {
        let isLong = lines.joined().contains("7349<")
        let layout = MRZLayout(format, continued: isLong ? 3 : 0)
        let grammars = ZoneGrammar.all(lineLength: lines[0].utf8.count).filter {
            $0.format == format
        }
        let digits = Set(
            layout.checkDigits.map { ZoneGrammar.Place(line: $0.line, column: $0.column) })
        #expect(
            grammars.contains { grammar in
                let found = Set(
                    grammar.chains.joined().filter {
                        if case .field = $0.role { return false }
                        return true
                    }.map(\.place))
                // The composite digit of French cards is read, but does not take part in decoding.
                return found == digits
                    || format == .frenchCard && found.isSubset(of: digits)
                        && digits.count == found.count + 1
            })
    }
}
