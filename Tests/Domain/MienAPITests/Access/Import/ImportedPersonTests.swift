import MienAPI
import MienCore
import Testing

@Suite("People of an import") struct ImportedPersonTests {
    private static func records(_ text: String, _ format: PeopleRecords.Format, part: Int = 1)
        -> [PeopleRecords.Record]
    {
        var reader = PeopleRecords(format), records: [PeopleRecords.Record] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: part) {
            records += reader.read(Array(bytes[start..<min(bytes.count, start + part)]))
        }
        return records + reader.finish()
    }

    private static func people(csv text: String) throws -> [ImportedPerson] {
        let rows = try records(text, .csv).map { try CSVRow($0.bytes ?? []) }
        let header = try ImportColumns(rows[0])
        return try rows.dropFirst().map { try ImportedPerson($0, header: header) }
    }

    @Test("lines are found however the file arrives", arguments: [1, 2, 7, 1000])
    func lines(part: Int) {
        let found = Self.records(
            "\u{feff}{\"a\":1}\r\n\n  \n{\"b\":2}\n{\"c\":3}", .jsonLines, part: part)
        #expect(found.map(\.line) == [1, 4, 5])
        #expect(
            found.map { String(decoding: $0.bytes ?? [], as: UTF8.self) } == [
                "{\"a\":1}", "{\"b\":2}", "{\"c\":3}",
            ])
    }

    @Test("quoted cells may have line ends, commas, and quotes")
    func quotes() throws {
        let people = try Self.people(
            csv:
                "\u{feff}username,attributes.note,groups,email,email_verified\r\n\"ada\",\"a \"\"b\"\",\r\nc\",\"staff,admins\",ada@example.org,TRUE\r\nbob,,,,\r\n"
        )
        #expect(people.map(\.username) == ["ada", "bob"])
        #expect(people[0].attributes == ["note": "a \"b\",\r\nc"])
        #expect(people[0].groups?.words == ["admins", "staff"] && people[0].isEmailVerified)
        #expect(people[1].groups == nil && people[1].email == nil)
        #expect(Self.records("username\n\"a\nb\"\nc", .csv).map(\.line) == [1, 2, 4])
    }

    private static let members =
        "external_id, username, email, email_verified, state, attributes, groups, password_hash, otp"

    @Test(
        "an unknown member is named where its name is short and printable",
        arguments: [
            ("user_name", true), ("", false), ("user name", false), ("é", false),
            ("a\u{9}b", false), ("a\"b", false), (String(repeating: "x", count: 40), true),
            (String(repeating: "x", count: 41), false),
        ])
    func unknown(name: String, isShown: Bool) {
        let line = JSONText.write(.object([name: true])), shown = isShown ? ", “\(name)”" : ""
        #expect {
            _ = try ImportedPerson(json: Array(line.utf8))
        } throws: {
            ($0 as? ImportFault)?.message
                == "has an unknown member\(shown); allowed are \(Self.members)"
        }
    }

    @Test("a record that is too long is named, and the next one is read")
    func long() throws {
        let huge = String(repeating: "x", count: PeopleRecords.maxBytes + 1)
        let found = Self.records("\(huge)\n{}\n\(huge)\(huge)\n{}", .jsonLines, part: 100_000)
        #expect(found.map(\.line) == [1, 2, 3, 4])
        #expect(found.map { $0.bytes == nil } == [true, false, true, false])
        // A quote that is not closed takes all that follows.
        let open = Self.records("username\n\"ada\n\(huge)\nbob\n", .csv, part: 100_000)
        #expect(open.map(\.line) == [1, 2] && open[1].bytes == nil)
    }

    @Test(
        "no more records are made than asked for, however many follow", arguments: [1, 7, 1000])
    func limit(part: Int) {
        for format in PeopleRecords.Format.allCases {
            let bytes = Array(String(repeating: "a\n\n", count: 500).utf8)
            var reader = PeopleRecords(format, atMost: 3), found: [PeopleRecords.Record] = []
            for start in stride(from: 0, to: bytes.count, by: part) {
                found += reader.read(Array(bytes[start..<min(bytes.count, start + part)]))
            }
            found += reader.read(Array("b".utf8)) + reader.finish()
            #expect(found.map(\.line) == [1, 3, 5])
        }
        var reader = PeopleRecords(.jsonLines, atMost: 2)
        let huge = String(repeating: "x", count: PeopleRecords.maxBytes + 1)
        let found = reader.read(Array("\(huge)\na\n\(huge)\n".utf8)) + reader.finish()
        #expect(found.map { $0.bytes == nil } == [true, false])
    }

    @Test(
        "malformed rows are refused",
        arguments: ["a\"b", "\"a\"b", "\"a", "a\0b", "\"a\"\"", "\"a\" ,b"])
    func rows(text: String) {
        #expect(throws: ImportFault.self) { _ = try CSVRow(Array(text.utf8)) }
    }

    @Test("text that is not UTF-8 is refused")
    func encoding() {
        #expect(throws: ImportFault.self) { _ = try CSVRow([0x61, 0xff]) }
        #expect(throws: ImportFault.self) {
            _ = try ImportedPerson(
                json: Array(#"{"username":""#.utf8) + [0xff] + Array(#""}"#.utf8))
        }
    }

    @Test("a person has all that a line says")
    func person() throws {
        let person = try ImportedPerson(
            json: Array(
                #"{"external_id":"7","username":"ada","email":"ada@example.org","email_verified":true,"state":"suspended","attributes":{"plan":{"a":1}},"groups":["staff"],"password_hash":"$2b$…","otp":["JBSWY3DPEHPK3PXP"]}"#
                    .utf8))
        #expect(person.names.map(\.kind) == [.externalID, .username, .email])
        #expect(person.isSuspended == true && person.attributes == ["plan": ["a": 1]])
        #expect(person.passwordHash?.use { $0 } == "$2b$…" && person.otp.count == 1)
        let unverified = try ImportedPerson(
            json: Array(#"{"username":"a","email":"ada@example.org","email_verified":false}"#.utf8))
        #expect(unverified.names.map(\.kind) == [.username])
    }

    @Test(
        "a line that is wrong is refused by the name of its field",
        arguments: [
            (#"[]"#, nil), (#"{"#, nil), (#"{"username":"a","user":1}"#, nil),
            (#"{"username":"a","username":"b"}"#, nil),
            (#"{}"#, "username"), (#"{"username":1}"#, "username"),
            (#"{"username":"a b"}"#, "username"), (#"{"username":"a\u0000"}"#, "username"),
            (#"{"email":"a@example.org"}"#, "email_verified"),
            (#"{"email":"a@example.org","email_verified":"yes"}"#, "email_verified"),
            (#"{"email":"a@example.org","email_verified":false}"#, "username"),
            (#"{"username":"a","email":"nobody","email_verified":false}"#, "email"),
            (#"{"username":"a","state":"gone"}"#, "state"),
            (#"{"username":"a","attributes":[]}"#, "attributes"),
            (#"{"username":"a","groups":["a,b"]}"#, "groups"),
            (#"{"username":"a","groups":[1]}"#, "groups"),
            (#"{"username":"a","otp":["1","2","3","4","5","6"]}"#, "otp"),
        ])
    func faults(text: String, field: String?) {
        #expect {
            _ = try ImportedPerson(json: Array(text.utf8))
        } throws: {
            ($0 as? ImportFault)?.field == field
        }
    }

    @Test(
        "a first row that does not name columns is refused",
        arguments: ["name", "username,username", "username,", "attributes", "attributes."])
    func columns(text: String) {
        #expect(throws: ImportFault.self) {
            _ = try ImportColumns(CSVRow(Array(text.utf8)))
        }
    }
}
