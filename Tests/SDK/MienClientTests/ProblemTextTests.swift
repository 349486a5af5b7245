import MienAPI
import MienCore
import Testing

@testable import MienClient

@Suite("The words of a server in errors")
struct ProblemTextTests {
    private func error(_ problem: JSONValue) throws -> MienError {
        try #require(
            MienError(
                response: HTTPTransportResponse(
                    status: 400, headers: [:], body: Array(JSONText.write(problem).utf8))))
    }

    private static func problem(_ detail: String, message: String = "m", count: Int = 1)
        -> JSONValue
    {
        [
            "type": "about:blank", "title": "The request is invalid\u{1B}[2J", "status": 400,
            "code": "invalid_request", "detail": .string(detail),
            "errors": .array(
                Array(
                    repeating: ["field": "data\n.name", "message": .string(message)], count: count)),
        ]
    }

    @Test("control characters and characters that turn the text's direction are replaced")
    func controls() throws {
        let error = try error(
            Self.problem("red \u{1B}[31m\r\nline\u{202E} \u{0}", message: "bell \u{7}"))
        #expect(error.reason == "red �[31m��line� �")
        #expect(error.fields == [.init(field: "data�.name", message: "bell �")])
        #expect("\(error)".isPrintable && error.problem?.title.isPrintable == true)
    }

    @Test(
        "texts are cut, also ones of a single character with many marks, and so is the list of fields"
    )
    func length() throws {
        for text in [
            String(repeating: "x", count: 100_000),
            "x" + String(repeating: "\u{301}", count: 100_000),
        ] {
            let error = try error(Self.problem(text, message: text, count: 1000))
            #expect(error.reason.unicodeScalars.count == 2000)
            #expect(error.fields.count == 100)
            #expect(error.fields.allSatisfy { $0.message.unicodeScalars.count == 2000 })
        }
    }

    @Test("ordinary words stay as they are, in every script")
    func ordinary() throws {
        for text in ["The name is too long: at most 254 characters.", "الاسم طويل جدا", "“ñ” – 👩🏽‍🚀"] {
            #expect(try error(Self.problem(text)).reason == text)
        }
    }
}
