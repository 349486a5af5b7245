import MienAPI
import Testing

@Suite("Forms with files")
struct MultipartFormTests {
    private static let type = "multipart/form-data; boundary=x1"
    private static func body(_ text: String) -> [UInt8] {
        Array(text.replacing("\n", with: "\r\n").utf8)
    }
    private static let good = body(
        """
        --x1
        Content-Disposition: form-data; name="image"; filename="a;b.png"
        Content-Type: image/png

        \u{0}--x2
        --x
        --x1  \("")
        content-disposition: form-data; name=country


        --x1--

        """)

    @Test("parts are slices of the body, whatever they contain and however it is quoted")
    func good() throws {
        for type in [Self.type, "Multipart/Form-Data;charset=utf-8 ; boundary=\"x1\""] {
            let form = try MultipartForm(parsing: Self.good, contentType: type)
            #expect(form.parts.map(\.name) == ["image", "country"])
            #expect(form["image"].map(Array.init) == Array("\u{0}--x2\r\n--x".utf8))
            #expect(form["country"].map(Array.init) == [] && form["other"] == nil)
            #expect(!String(reflecting: form).contains("country"))
        }
    }

    @Test("every prefix, and every form with another shape, is refused with a reason")
    func bad() throws {
        for count in 0..<(Self.good.count - 2) {
            #expect(throws: MultipartForm.Malformed.self, "\(count)") {
                try MultipartForm(
                    parsing: Array(Self.good.prefix(count)), contentType: Self.type)
            }
        }
        let part = "--x1\nContent-Disposition: form-data; name=\"a\"\n\n1\n"
        for text in [
            "", "\n--x1--", part, part + part + "--x1--", "\(part)--x1--\nmore",
            "--x1\nContent-Disposition: form-data\n\n1\n--x1--",
            "--x1\nContent-Disposition: attachment; name=a\n\n1\n--x1--",
            "--x1\nContent-Disposition: form-data; name=\"a b\"\n\n1\n--x1--",
            "--x1\nContent-Disposition: form-data; name=\"\"\n\n1\n--x1--",
            "--x1\nX: \(String(repeating: "y", count: 1100))\n\n1\n--x1--",
            (0...8).map { part.replacing("\"a\"", with: "\"a\($0)\"") }.joined() + "--x1--",
        ] {
            #expect(throws: MultipartForm.Malformed.self, "\(text.prefix(60))") {
                try MultipartForm(parsing: Self.body(text), contentType: Self.type)
            }
        }
        for type in [
            "", "multipart/form-data", "multipart/mixed; boundary=x1",
            "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
            "multipart/form-data; boundary=\(String(repeating: "x", count: 71))",
            "multipart/form-data; boundary=é",
        ] {
            #expect(throws: MultipartForm.Malformed.self, "\(type)") {
                try MultipartForm(parsing: Self.good, contentType: type)
            }
        }
    }
}
