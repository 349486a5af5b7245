import MienAPI
import Testing

@Suite struct FormFieldsTests {
    @Test func `fields keep their order, including empty and repeated ones`() throws {
        let fields = try FormFields(parsing: "b=2&a=1&b=&c&&d=x=y&e=%26+%3D")
        #expect(
            fields.pairs == [
                .init("b", "2"), .init("a", "1"), .init("b", ""), .init("c", ""), .init("d", "x=y"),
                .init("e", "& ="),
            ])
        #expect(try FormFields(parsing: fields.text) == fields)
        #expect(try FormFields(parsing: "").pairs.isEmpty)
    }

    @Test(arguments: [
        "a=%", "%zz=1", "a=%FF", "a=\0", (0...64).map { "f\($0)=1" }.joined(separator: "&"),
    ])
    func `malformed forms are rejected`(text: String) {
        #expect(throws: FormFields.Malformed.self) { try FormFields(parsing: text) }
    }

    @Test func `the maximum number of fields is accepted`() throws {
        let text = (1...64).map { "f\($0)=1" }.joined(separator: "&")
        #expect(try FormFields(parsing: text).pairs.count == 64)
    }

    @Test func `a form does not print its values`() throws {
        let fields = try FormFields(parsing: "password=a-secret")
        var dumped = ""
        dump(fields, to: &dumped)
        #expect(!"\(fields) \(String(reflecting: fields)) \(dumped)".contains("secret"))
    }

    @Test func `a long name is rejected, encoded or not; a long value is accepted`() throws {
        let name = String(repeating: "é", count: 64)
        #expect(
            try FormFields(parsing: "\(name)=1&a=\(String(repeating: "b", count: 50_000))").pairs
                .count == 2)
        for name in [
            name + "x", String(repeating: "%C3%A9", count: 65),
            String(repeating: "\u{301}\u{316}", count: 16_000),
        ] {
            #expect(throws: FormFields.Malformed.self) { try FormFields(parsing: "\(name)=1") }
            #expect(throws: FormFields.Malformed.self) { try FormFields(parsing: name) }
        }
    }

    @Test func `separators are bytes: a mark after one belongs to what follows`() throws {
        let fields = try FormFields(parsing: "a=1&\u{301}b=\u{301}2")
        #expect(
            fields.pairs.map(\.name.unicodeScalars.count) == [1, 2]
                && fields.pairs.map(\.value.unicodeScalars.count) == [1, 2])
    }

    @Test func `a value with more than thirty combining marks in a row is rejected`() throws {
        #expect(
            try FormFields(parsing: "a=" + String(repeating: "%CC%81", count: 30)).pairs.count == 1)
        for mark in ["%CC%81", "\u{301}"] {
            #expect(throws: FormFields.Malformed.self) {
                try FormFields(parsing: "a=" + String(repeating: mark, count: 31))
            }
        }
    }
}
