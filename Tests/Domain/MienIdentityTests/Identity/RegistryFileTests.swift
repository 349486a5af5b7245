import MienCore
import MienIdentity
import Testing

@Suite("Registry files")
struct RegistryFileTests {
    static let header =
        "id,first_name,last_name,address,city,state,postal_code,country,date_of_birth,deceased,fraud"

    static func rows(_ text: String, piece: Int = .max) throws -> [RegistryRow] {
        var file = RegistryFile()
        var rows: [RegistryRow] = []
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            rows += try file.read(bytes.prefix(piece))
            bytes = bytes.dropFirst(piece)
        }
        if let last = try file.finish() { rows.append(last) }
        return rows
    }

    static let ada = RegistryRow(
        id: "7",
        input: PersonalDataInput(
            firstName: "Ada", lastName: "Love, \"lock\"", address: "12 Saint\r\nJames Street",
            city: "", state: "GA", postalCode: "30318", country: "US", dateOfBirth: "1985-12-10"),
        marks: [.deceased])

    static let row =
        "7,Ada,\"Love, \"\"lock\"\"\",\"12 Saint\r\nJames Street\",,GA,30318,US,1985-12-10,TRUE,0"

    @Test("quotes, commas, and line breaks are read, in pieces of any size, with any line ends")
    func pieces() throws {
        for end in ["\n", "\r\n", "\r"] {
            for last in ["", end, end + end] {
                let text = Self.header + end + end + Self.row + end + Self.row + last
                for piece in [1, 2, 3, 7, .max] {
                    #expect(try Self.rows(text, piece: piece) == [Self.ada, Self.ada])
                }
            }
        }
        #expect(try Self.rows("\u{FEFF}" + Self.header + "\n").isEmpty)
    }

    /// A file as programs write it, and the rows it has.
    private static func written(_ text: String, utf16 isBigEndian: Bool?, mark: Bool = true)
        -> [UInt8]
    {
        guard let isBigEndian else { return (mark ? [0xEF, 0xBB, 0xBF] : []) + Array(text.utf8) }
        return ("\u{FEFF}" + text).utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test(arguments: [",", ";", "\t", "|"])
    func `files of spreadsheets, PowerShell, and databases are read`(separator: String) throws {
        let names = Self.header.split(separator: ",").map(String.init)
        let values = [
            "7", "Zoë 🚀", "O’Brien; Lee, Jr.", "1 Elm \"Road\"", "\\N", "NULL", "30318", "US",
            "1985-12-10 00:00:00.000", "t", "FALSCH",
        ]
        func line(_ fields: [String], isQuoted: Bool) -> String {
            fields.map { field in
                let isSpecial = field.contains { ",;\t|\"".contains($0) }
                return isQuoted || isSpecial
                    ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
            }.joined(separator: separator)
        }
        let empty = String(repeating: separator, count: names.count - 1)
        for before in ["", "sep=\(separator)\r\n", "#TYPE System.Data.DataRow\r\n", "\r\n"] {
            for isQuoted in [true, false] {
                let header = line(
                    isQuoted ? names : names.map { $0.uppercased().replacing("_", with: " ") },
                    isQuoted: isQuoted)
                let row = line(values, isQuoted: isQuoted)
                let text =
                    "\(before)\(header)\r\n\(row)\r\n\(empty)\r\n\(row)\(separator)\(separator)\r\n"
                for (encoding, mark) in [(nil, true), (nil, false), (true, true), (false, true)]
                    as [(Bool?, Bool)]
                {
                    let bytes = Self.written(text, utf16: encoding, mark: mark)
                    for piece in [1, 3, bytes.count] {
                        var file = RegistryFile(), rows: [RegistryRow] = []
                        for start in stride(from: 0, to: bytes.count, by: piece) {
                            rows += try file.read(bytes[start..<min(bytes.count, start + piece)])
                        }
                        if let last = try file.finish() { rows.append(last) }
                        #expect(rows.count == 2 && rows.first == rows.last)
                        let read = try #require(rows.first), first = before.isEmpty ? 2 : 3
                        #expect(rows.map(\.fileLine) == [first, first + 2])
                        #expect(read.input.firstName == values[1] && read.marks == [.deceased])
                        #expect(read.input.lastName == values[2] && read.input.address == values[3])
                        #expect(read.input.city == "" && read.input.state == "")
                        #expect(read.input.dateOfBirth == "1985-12-10")
                    }
                }
            }
        }
    }

    @Test("columns come in any order, and optional ones may be missing")
    func columns() throws {
        let text =
            "country,id,date_of_birth,postal_code,address,last_name,first_name\nUS,1,1985-12-10,30318,1 Elm Road,Moss,Eve\n"
        let rows = try Self.rows(text)
        #expect(rows.map(\.id) == ["1"] && rows[0].input.city == nil && rows[0].marks.isEmpty)
        #expect(rows[0].input.firstName == "Eve" && rows[0].input.address == "1 Elm Road")
    }

    static let wrong: [(String, Int, String)] = [
        ("", 1, "empty"), ("\n\n", 3, "empty"), ("id,name\n", 1, "unknown name"),
        ("id,frist_name", 1, "did you mean “first_name”?"), (header + ",id\n", 1, "occurs twice"),
        ("id\n", 1, "“first_name” is missing"), (header + "\n1,2\n", 2, "2 fields"),
        (header + "\n\n\"a\nb\n", 3, "does not end"),
        (header + "\na\"b\n", 2, "quotation mark"), (header + "\n\"a\"b\n", 2, "quoted field"),
        (header + "\n,A,B,C,,,1,US,1985-12-10,,\n", 2, "id must have"),
        (header + "\n1,A,B,C,,,1,US,1985-12-10,maybe,\n", 2, "deceased must be"),
        (header + "\n" + String(repeating: "a", count: 9000), 2, "more than 8192 bytes"),
    ]

    @Test("an error names the line and repeats nothing of a row")
    func errors() {
        for (text, line, part) in Self.wrong {
            let error = #expect(throws: RegistryFileError.self) { try Self.rows(text) }
            #expect(
                error?.line == line && error?.reason.contains(part) == true,
                "\(part): \(String(describing: error))")
            #expect(error?.reason.contains("maybe") == false)
        }
        var file = RegistryFile()
        #expect(throws: RegistryFileError.self) {
            _ = try file.read(Array((Self.header + "\n1,").utf8) + [0xFF, 0x0A])
        }
    }

    /// Reads a file that is stated to be Windows-1252.
    private static func readWindows1252(_ bytes: [UInt8], piece: Int = .max) throws -> (
        rows: [RegistryRow], letters: RegistryLetters
    ) {
        var file = RegistryFile(.windows1252), rows: [RegistryRow] = [], rest = bytes[...]
        while !rest.isEmpty {
            rows += try file.read(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        if let last = try file.finish() { rows.append(last) }
        return (rows, file.letters)
    }

    /// A file with a last name.
    private static func named(_ name: [UInt8]) -> [UInt8] {
        Array("\(header)\r\n1,Ada,".utf8) + name
            + Array(",1 Elm Road,,,30318,US,1985-12-10,,\r\n2,Eve,Moss,,,,,US,,,\r\n".utf8)
    }

    @Test("every character of Windows-1252 is read where that is stated, and noted")
    func windows1252() throws {
        // The bytes 0x80 to 0xFF that have a character.
        let bytes = (UInt8(0x80)...0xFF).filter { ![0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) }
        let special = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
        let text =
            special
            + String(
                String.UnicodeScalarView((UInt8(0xA0)...0xFF).map { Unicode.Scalar($0) }))
        let file = Self.named(bytes.flatMap { [$0, UInt8(ascii: "a")] })
        for piece in [1, 7, file.count] {
            let (rows, letters) = try Self.readWindows1252(file, piece: piece)
            #expect(
                rows.map(\.input.lastName) == [
                    text.unicodeScalars.map { "\($0)a" }.joined(), "Moss",
                ])
            #expect(letters.rows == 1 && letters.all == Set(text.unicodeScalars))
        }
    }

    @Test("a file of another encoding than stated is refused with the line")
    func wrongEncoding() {
        for byte in [0x81, 0x8D, 0x8F, 0x90, 0x9D] as [UInt8] {
            let error = #expect(throws: RegistryFileError.self) {
                try Self.readWindows1252(Self.named([byte]))
            }
            #expect(error?.line == 2 && error?.reason.contains("does not have") == true)
        }
        for (bytes, line) in [
            (Self.named(Array("Zoë".utf8)), 2), ([0xEF, 0xBB, 0xBF] + Self.named([]), 1),
        ] {
            let error = #expect(throws: RegistryFileError.self) { try Self.readWindows1252(bytes) }
            #expect(error?.line == line && error?.reason.contains("is UTF-8") == true)
            #expect(error?.isOfEncoding == false)
        }
        let error = #expect(throws: RegistryFileError.self) {
            var file = RegistryFile()
            _ = try file.read(Self.named([UInt8(ascii: "Z"), 0xEB]))
        }
        #expect(error?.line == 2 && error?.isOfEncoding == true)
    }

    @Test("rows without quotes, which are read at once, give what their bytes give one by one")
    func plainRows() throws {
        var generator = SeededGenerator(seed: 27)
        let fields = ["", "A", "É", "1", "true", "x\"", "\"a,b\"", "\"\n\"", "30318", "\r"]
        let ends = ["\n", "\r\n", "\r", "\n\n"]
        var accepted = 0
        for _ in 0..<400 {
            var text = "\(Self.header)\(ends.randomElement(using: &generator)!)"
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let count = Int.random(in: 0..<20, using: &generator) == 0 ? 10 : 11
                let isPlain = Int.random(in: 0..<8, using: &generator) > 0
                text += (0..<count).map { index in
                    if index == 0 { return "7" }
                    if isPlain { return index < 9 ? fields[index % 5] : "" }
                    return fields.randomElement(using: &generator)!
                }.joined(separator: ",")
                text += ends.randomElement(using: &generator)!
            }
            let whole = Result { try Self.rows(text) }
            let single = Result { try Self.rows(text, piece: 1) }
            let pieces = Result { try Self.rows(text, piece: 50) }
            switch (whole, single, pieces) {
            case (.success(let a), .success(let b), .success(let c)):
                #expect(a == b && b == c)
                accepted += 1
            case (.failure(let a), .failure(let b), .failure(let c)):
                #expect("\(a)" == "\(b)" && "\(b)" == "\(c)")
            default: Issue.record("pieces change the result")
            }
        }
        #expect(accepted > 100)
        // The longest row of either kind, and one byte more.
        for end in ["\n", "\r\n"] {
            for (count, isAccepted) in [(0, true), (1, false)] {
                let fixed = "7,A,B,,,,1,US,1985-12-10,,"
                let street = String(
                    repeating: "a", count: RegistryFile.maxRowBytes - fixed.count - 1 + count)
                let row = "7,A,B,\(street),,,1,US,1985-12-10,,\(end)"
                for piece in [1, .max] {
                    let rows = try? Self.rows("\(Self.header)\n\(row)", piece: piece)
                    #expect((rows?.count == 1) == isAccepted)
                }
            }
        }
    }

    @Test("random bytes are read or refused")
    func random() {
        var generator = SeededGenerator(seed: 26)
        let alphabet = Array(",\"\n\r a1".utf8) + [0xC3, 0xA9]
        for _ in 0..<500 {
            let noise = (0..<60).map { _ in alphabet.randomElement(using: &generator)! }
            var whole = RegistryFile(), parts = RegistryFile()
            let text = Array((Self.header + "\n").utf8) + noise
            let first = Result { try whole.read(text) + [whole.finish()].compactMap { $0 } }
            let second = Result {
                try text.flatMap { try parts.read([$0]) } + [parts.finish()].compactMap { $0 }
            }
            switch (first, second) {
            case (.success(let a), .success(let b)): #expect(a == b)
            case (.failure(let a), .failure(let b)): #expect("\(a)" == "\(b)")
            default: Issue.record("pieces change the result")
            }
        }
    }
}

@Suite("Circuit breakers")
struct CircuitBreakerTests {
    @Test("every sequence of eight steps agrees with an oracle")
    func smallWorld() {
        visit([], CircuitBreaker(failures: 2, pause: .seconds(10)), 0)
    }

    /// Steps: a request that succeeds, one that fails, and 6 seconds.
    private func visit(_ steps: [Character], _ breaker: CircuitBreaker, _ depth: Int) {
        guard depth < 8 else { return }
        for step in "sfw" {
            var next = breaker
            let now = Self.time(steps)
            if step == "w" {
                visit(steps + [step], next, depth + 1)
                continue
            }
            let expected = Self.isAllowed(steps)
            let isAllowed = next.begin(at: now)
            #expect(isAllowed == expected, "\(String(steps))")
            guard isAllowed == expected else { return }
            if isAllowed { if step == "s" { next.succeed() } else { next.fail(at: now) } }
            visit(steps + [isAllowed ? step : "-"], next, depth + 1)
        }
    }

    private static func time(_ steps: [Character]) -> Instant {
        Instant(seconds: Int64(steps.count { $0 == "w" } * 6))
    }

    /// Computed again from the history: closed unless the last two results failed, the last of them
    /// less than 10 seconds ago.
    private static func isAllowed(_ steps: [Character]) -> Bool {
        let results = steps.indices.filter { steps[$0] == "s" || steps[$0] == "f" }
        guard let last = results.last, results.suffix(2).count == 2,
            results.suffix(2).allSatisfy({ steps[$0] == "f" })
        else { return true }
        return time(steps) >= time(Array(steps[..<last])) + .seconds(10)
    }

    @Test("at the end of a pause one request may try, and another if its result never arrives")
    func one() {
        var breaker = CircuitBreaker(failures: 1, pause: .seconds(10))
        let start = Instant(seconds: 1000)
        breaker.fail(at: start)
        let isEarly = breaker.begin(at: start + .milliseconds(9999))
        #expect(!isEarly)
        let tries = (0..<5).filter { _ in breaker.begin(at: start + .seconds(10)) }
        #expect(tries.count == 1)
        let isSecond = breaker.begin(at: start + .seconds(19))
        #expect(!isSecond)
        let isAllowed = breaker.begin(at: start + .seconds(20))
        #expect(isAllowed)
        breaker.succeed()
        let isClosed = (0..<5).allSatisfy { _ in breaker.begin(at: start + .seconds(20)) }
        #expect(isClosed)
    }
}
