import MienAPI
import Testing

@Suite struct FormFieldsTests {
    @Test func `fields come in order, also empty ones and the same twice`() throws {
        let fields = try FormFields(parsing: "b=2&a=1&b=&c&&d=x=y&e=%26+%3D")
        #expect(fields.pairs == [.init("b", "2"), .init("a", "1"), .init("b", ""), .init("c", ""), .init("d", "x=y"), .init("e", "& =")])
        #expect(try FormFields(parsing: fields.text) == fields)
        #expect(try FormFields(parsing: "").pairs.isEmpty)
    }

    @Test(arguments: ["a=%", "%zz=1", "a=%FF", "a=\0", (0...64).map { "f\($0)=1" }.joined(separator: "&")])
    func `what is no form is refused`(text: String) { #expect(throws: FormFields.Malformed.self) { try FormFields(parsing: text) } }

    @Test func `as many as allowed are taken`() throws {
        let text = (1...64).map { "f\($0)=1" }.joined(separator: "&")
        #expect(try FormFields(parsing: text).pairs.count == 64)
    }

    @Test func `a form does not print what it holds`() throws {
        let fields = try FormFields(parsing: "password=a-secret")
        var dumped = ""
        dump(fields, to: &dumped)
        #expect(!"\(fields) \(String(reflecting: fields)) \(dumped)".contains("secret"))
    }
}
