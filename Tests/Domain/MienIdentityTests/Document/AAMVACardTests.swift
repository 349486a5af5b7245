import MienCore
import MienTesting
import Testing

@testable import MienDocument

@Suite struct AAMVACardTests {
    /// Encodes a card as the standard says.
    static func encoded(
        issuer: String = "636010", version: Int = 10, own: Int? = 1,
        _ subfiles: [(String, [(String, String)])]
    ) -> [UInt8] {
        func padded(_ number: Int, _ width: Int) -> String {
            String(("0000" + String(number)).suffix(width))
        }
        let bodies = subfiles.map { type, elements in
            type + elements.map { $0.0 + $0.1 }.joined(separator: "\n") + "\r"
        }
        var text =
            "@\n\u{1e}\rANSI " + issuer + padded(version, 2) + (own.map { padded($0, 2) } ?? "")
            + padded(subfiles.count, 2)
        var offset = text.utf8.count + 10 * subfiles.count
        for (subfile, body) in zip(subfiles, bodies) {
            text += subfile.0 + padded(offset, 4) + padded(body.utf8.count, 4)
            offset += body.utf8.count
        }
        return Array((text + bodies.joined()).utf8)
    }

    static let elements = [
        ("DAQ", "H574712510891"), ("DCS", "TESTER"), ("DAC", "JOEY"), ("DAD", "MIDLAND"),
        ("DBB", "05091941"), ("DBA", "03092032"), ("DBD", "05012024"), ("DBC", "1"),
        ("DAU", "071 IN"), ("DAG", "1234 PARK ST"), ("DAK", "330400504  "), ("DCG", "USA"),
    ]

    @Test(arguments: 1...10, AAMVACard.Mode.allCases)
    func `a card as the standard says reads back, in every version`(
        version: Int, mode: AAMVACard.Mode
    ) throws {
        let bytes = Self.encoded(
            version: version, own: version == 1 ? nil : 0,
            [("DL", Self.elements), ("ZF", [("ZFA", ""), ("ZFB", "x")])])
        let card = try AAMVACard(bytes, mode: mode)
        #expect(card.bytes == bytes && card.header.version == version)
        #expect(card.header.jurisdictionVersion == (version == 1 ? nil : 0))
        #expect(card.subfiles.map(\.type) == ["DL", "ZF"] && card.isDriverLicense)
        #expect(
            card.elements.map { $0.id.rawValue } == Self.elements.map(\.0) + ["ZFA", "ZFB"]
                && card.elements.map(\.value) == Self.elements.map(\.1) + ["", "x"])
        #expect(card.familyName == "TESTER" && card.givenNames == ["JOEY", "MIDLAND"])
        #expect(
            card.birth == CalendarDate("1941-05-09") && card.expiry == CalendarDate("2032-03-09"))
        #expect(card.sex == .male && card.country == "US" && card.jurisdiction?.code == "FL")
        #expect(card.postalCode == "33040-0504")
        #expect(card.heightCentimeters.map { abs($0 - 180.34) < 1e-9 } == true)
    }

    @Test func `strict mode rejects what lenient mode repairs`() throws {
        let good = Self.encoded([("DL", Self.elements)])
        let text = String(decoding: good, as: UTF8.self)
        let broken: [(String, DocumentError.Code)] = [
            (String(text.dropFirst(1)), .cardHeader), ("\u{feff}" + text, .cardHeader),
            (text.replacing("\u{1e}", with: ""), .cardHeader),
            (text.replacing("ANSI 636010100101", with: "ANSI 636010100102"), .cardHeader),
            (text.replacing("DL0031", with: "DL0032"), .cardSubfile),
            (text + " ", .cardSubfile), (text.replacing("\nDCS", with: "\nxCS"), .cardElement),
            (text.replacing("DAQ", with: "DAR"), .cardElement),
            (text.replacing("DAD", with: "DAC"), .cardElement),
        ]
        for (text, code) in broken {
            #expect(throws: DocumentError(code, ""), "\(code)") {
                try AAMVACard(Array(text.utf8), mode: .strict)
            }
            if text.contains("@") {
                let card = try AAMVACard(Array(text.utf8))
                #expect(card.bytes == Array(text.utf8))
            }
        }
        #expect(throws: DocumentError(.cardSize, "")) {
            try AAMVACard([UInt8](repeating: 65, count: 4097))
        }
        for text in ["", "@", "@ANSI ", "@\nANSI 636010", "@\n\u{1e}\rANSI 63601001DL", "hello"] {
            #expect(throws: DocumentError.self) { try AAMVACard(Array(text.utf8)) }
        }
    }

    @Test func `an element that continues on another line keeps it`() throws {
        let text = "@\n\u{1e}\rANSI 636010010101DL00310000DLDAQ1\nDAG12 MAIN ST\nAPT 4\nDAIX\r"
        let card = try AAMVACard(Array(text.utf8))
        #expect(card[.street] == "12 MAIN ST\nAPT 4" && card[.city] == "X")
        #expect(card.bytes == Array(text.utf8))
    }

    private static func card(named full: String, issuer: String = "636010") throws -> AAMVACard {
        try AAMVACard(
            encoded(
                issuer: issuer, version: 1, own: nil, [("DL", [("DAA", full), ("DAQ", "1")])]))
    }

    @Test func `full names of old cards`() throws {
        func names(_ full: String, issuer: String = "636010") throws -> [String] {
            let card = try Self.card(named: full, issuer: issuer)
            #expect(card.unorderedNames.isEmpty)
            return [card.familyName ?? "-"] + card.givenNames
        }
        #expect(try names("CORTEZ,PABLO,,JR") == ["CORTEZ", "PABLO"])
        #expect(try names("TESTER,JOEY, MIDLAND") == ["TESTER", "JOEY", "MIDLAND"])
        #expect(try names("DOE@JANE@ANN") == ["DOE", "JANE", "ANN"])
        #expect(try names("NONE,JOEY,NONE") == ["-", "JOEY"])
        #expect(try names("TESTER,NONE") == ["TESTER"] && names("TESTER") == ["TESTER"])
        // Pennsylvania's cards separate names by spaces, the family name last.
        #expect(
            try names("JOHN ROBERT LEE SMITH", issuer: "636025")
                == ["SMITH", "JOHN", "ROBERT", "LEE"])
    }

    @Test func `of a full name with spaces only, no word is taken for the family name`() throws {
        for full in ["JOHN ROBERT SMITH", "SMITH JOHN ROBERT"] {
            let card = try Self.card(named: full)
            #expect(card.familyName == nil && card.givenNames.isEmpty)
            #expect(card.unorderedNames == full.split(separator: " ").map(String.init))
            var input = DocumentFields(.input)
            (input.familyName, input.givenNames) = ("Smith", ["John"])
            let document = IdentityDocument(card: card, input: input)
            let today = try #require(CalendarDate("2026-11-29"))
            #expect(document.fields(asOf: today).first?.unorderedNames == card.unorderedNames)
            let names: Set = [DocumentCheck.Name.sameFamilyName, .sameGivenNames]
            let checks = document.checks(now: Instant(seconds: 1_795_910_400)).filter {
                names.contains($0.name)
            }
            #expect(checks.count == 2)
            #expect(checks.allSatisfy { $0.verdict == .notChecked(.missing) })
        }
    }

    /// Headers of old cards: without the issuer's first digit, the indicator, or some numbers.
    @Test(arguments: [
        ("@\n\nAAMVA36004001DL00280200", 1), ("@\n\u{1e}\rAAMVA36004001DL", 1),
        ("@\n\u{1e}\rAAMVA6360040101DL00390188", 1), ("@\n\u{1e}\rANSI 63600401DL", 1),
        ("@\n\u{1e}\rANSI 636004DL", 0), ("ANSI 636004030001DL00410188", 3),
        ("@\n\u{1e}\rANSI636004030001DL00410188", 3), ("AAMVA36004", 0),
    ])
    func `old headers`(header: String, version: Int) throws {
        let bytes = Array(
            (header + """
                DLDABSAMPLE
                DACPATRICIA
                DADLOEB
                DAL310 ADDR DR
                DANRALEIGH
                DAONC
                DAP27614-0000
                DAQ27475304
                DATNone
                DBA06-05-2031
                DBB06-05-1951
                DBCF
                DBD07-18-2023

                """).utf8)
        let card = try AAMVACard(bytes)
        #expect(card.bytes == bytes && card.header.version == version)
        #expect(
            card.jurisdiction?.code == "NC" && card.country == "US" && card.number == "27475304")
        #expect(card.familyName == "SAMPLE" && card.givenNames == ["PATRICIA", "LOEB"])
        #expect(card.birth == CalendarDate("1951-06-05") && card.sex == .female)
        #expect(card.street == "310 ADDR DR" && card.city == "RALEIGH" && card.state == "NC")
        #expect(card.postalCode == "27614" && card[AAMVAElementID(rawValue: "DAT")] == nil)
        let today = try #require(CalendarDate("2026-11-29"))
        #expect(!card.checks(asOf: today).contains { $0.verdict == .failed })
        #expect(throws: DocumentError.self) { try AAMVACard(bytes, mode: .strict) }
    }

    private static let thirdTrack =
        "_%0AV8V8V8                     F163 55BRNBRN9012345678                00000000000000?"

    /// The three tracks of a magnetic stripe, in a barcode.
    @Test(arguments: [
        (
            "%BCVICTORIA^SAMPLE,$JANE Q^123 ANY ST$VICTORIA BC  V8V 8V8^?;6360281234567=310119900115=?",
            "1234567", "VICTORIA", ["JANE", "Q"], nil as String?
        ),
        (
            "%BCNORTHVANCOUVESAMPLE$JANE$Q^123 ANY ST^?\n;6360281234567=309919900115=?",
            "1234567", "NORTHVANCOUVE", ["JANE", "Q"], "2030-01-15"
        ),
        (
            "%BCVICTORIA^SAMPLE$JANE^123 ANY ST^?;6360281234567890123=3177199001154567?",
            "12345678901234567", "VICTORIA", ["JANE"], nil
        ),
    ])
    func `tracks of a magnetic stripe`(
        text: String, number: String, city: String, given: [String], expiry: String?
    ) throws {
        let bytes = Array((text + Self.thirdTrack).utf8), card = try AAMVACard(bytes)
        #expect(card.bytes == bytes && card.jurisdiction?.code == "BC" && card.country == "CA")
        #expect(card.number == number && card.givenNames == given)
        #expect(card.city?.hasPrefix(city) == true && card.street == "123 ANY ST")
        #expect(card.birth == CalendarDate("1990-01-15") && card.sex == .female)
        #expect(card.postalCode == "V8V8V8" && card.heightCentimeters == 163)
        #expect(card.expiry == expiry.flatMap { CalendarDate($0) })
        let today = try #require(CalendarDate("2026-11-29"))
        #expect(!card.checks(asOf: today).contains { $0.verdict == .failed })
    }

    @Test func `a stripe writes a number's letter as two digits, and months for its expiry`() throws
    {
        func card(_ track: String) throws -> AAMVACard { try AAMVACard(Array(track.utf8)) }
        #expect(try card(";636014041234567=310119900115?").number == "D1234567")
        let today = try #require(CalendarDate("2026-11-29"))
        func verdict(_ expiry: String) throws -> DocumentCheck.Verdict? {
            try card(";6360281234567=\(expiry)19900115=?").checks(asOf: today).first {
                $0.name == .notExpired
            }?.verdict
        }
        #expect(try verdict("2612") == .passed && verdict("2610") == .failed)
        #expect(try verdict("2611") == .notChecked(.partial) && verdict("2613") == .failed)
        #expect(try verdict("2688") == .passed && verdict("2588") == .failed)
        #expect(try verdict("2777") == .notChecked(.missing) && verdict("9901") == .failed)
    }

    /// Barcodes that are no card: a bank card's track, a boarding pass, a vehicle, and others.
    @Test(arguments: [
        ";4000001234567899=30122010000012345?", "M1SAMPLE/JANE         EABC123 YVRSEA",
        "@\n\u{1e}\rANSI 636028050001RG00310010RGRAAX\nRBBY\r", "\u{0}\u{1}\u{2}", "[)>\u{1e}06",
        "%BCVICTORIA^SAMPLE,$JANE Q^123 ANY ST^?", ";6360281234567=31?", ";636028=310119900115=?",
        "@\n\u{1e}\rANSI 636028050001DL00310010DLDCGCAN\nDAQNONE\r",
    ])
    func `other barcodes are no cards`(text: String) {
        #expect(throws: DocumentError.self) { try AAMVACard(Array(text.utf8)) }
    }

    @Test func `dates of both orders are told apart`() {
        for text in ["12102008", "20081210", "12-10-2008", "12/10/2008", "2008-12-10"] {
            #expect(CardDate(text).day == CalendarDate("2008-12-10"), "\(text)")
        }
        #expect(CardDate("03092110").day == CalendarDate("2110-03-09"))
        for text in ["13102008", "2008", "121008", "12102008X", "12-10", "20001332"] {
            #expect(CardDate(text) == .invalid, "\(text)")
        }
        // No date of the years 1900–2099 can be read in both orders.
        for year in 1900..<2100 {
            #expect(CalendarDate(year: 2000, month: year / 100, day: 1) == nil)
        }
    }

    @Test func `issuer numbers`() {
        #expect(Jurisdiction.knownNumbers.count == 62 + 9)
        #expect(Jurisdiction(issuerNumber: "636012")?.country == "CA")
        #expect(Jurisdiction(issuerNumber: "636056")?.country == "MX")
        #expect(Jurisdiction(issuerNumber: "636062")?.code == "VI")
        #expect(Jurisdiction(issuerNumber: "604434")?.code == "NT")
        #expect(Jurisdiction(issuerNumber: "636027") == nil)
    }

    @Test func `a random change never loses a byte`() throws {
        var random = TestSeed.generator(7)
        let good = Self.encoded([("DL", Self.elements), ("ZF", [("ZFA", "1")])])
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0...random.index(below: 4) {
                let at = random.index(below: bytes.count)
                switch random.index(below: 3) {
                case 0: bytes[at] = UInt8(random.index(below: 256))
                case 1: bytes.remove(at: at)
                default: bytes.insert([10, 13, 30, 68, 90][random.index(below: 5)], at: at)
                }
            }
            for mode in AAMVACard.Mode.allCases {
                if let card = try? AAMVACard(bytes, mode: mode) { #expect(card.bytes == bytes) }
            }
        }
    }

    private static let skip: Comment =
        "needs the recorded barcodes: ../shared/data/documents, or MIEN_SHARED"

    @Test(.enabled(if: !SharedDocuments.cards.isEmpty, skip))
    func `recorded barcodes parse without loss`() throws {
        for (name, bytes) in SharedDocuments.cards {
            let card = try AAMVACard(bytes)
            #expect(card.bytes == bytes, "\(name)")
            // Every line of the body is an element, or the name of a subfile.
            let lines = bytes.split { [10, 13, 30].contains($0) }.filter { $0.count > 4 }.count
            #expect(card.elements.filter { $0.value.utf8.count > 1 }.count <= lines)
            #expect(card.elements.allSatisfy { !$0.value.contains("\n") }, "\(name)")
            // New York's states its number as “NONE”.
            #expect((card.number != nil) != (name == "NY.txt"), "\(name)")
            #expect(card.birth != nil && card.expiry != nil, "\(name)")
            #expect(card.sex != nil && card.country != nil, "\(name)")
            // Alberta states no date of issue.
            #expect(card.issue != nil || name == "AB.txt", "\(name)")
            #expect(card.familyName != nil && !card.givenNames.isEmpty, "\(name)")
            if let jurisdiction = card.jurisdiction {
                #expect(card[.state] == jurisdiction.code, "\(name)")
            }
        }
        #expect(SharedDocuments.cards.count == 32)
    }
}
