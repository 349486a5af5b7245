import MienCore
import Testing

@Suite("JSON as text")
struct JSONTextTests {
    @Test("parsed values are written with sorted keys")
    func roundTrip() throws {
        let text =
            #"{"a":[1,2.5,"x\n\"\\\u0001é😀",true,null,{}],"b":-3,"c":9007199254740991,"d":1e-07,"e":[]}"#
        #expect(JSONText.write(try JSONText.parse(text)) == text)
        #expect(
            JSONText.write(try JSONText.parse(#"{ "b" : 1 , "a" : [ ] }"#)) == #"{"a":[],"b":1}"#)
        #expect(
            JSONText.write(["a": [1, [:]], "b": "c"], pretty: true)
                == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"c\"\n}")
    }

    @Test(
        "escapes",
        arguments: [
            (#""\u00e9""#, "é"), (#""\ud83d\ude00""#, "😀"), (#""\/\b\f\r\t""#, "/\u{8}\u{c}\r\t"),
        ])
    func escapes(text: String, value: String) throws {
        #expect(try JSONText.parse(text) == .string(value))
    }

    @Test(
        "malformed JSON is rejected with its position",
        arguments: [
            ("", 1), ("{", 2), (#"{"a":1,}"#, 8), ("[1 2]", 4), ("01", 2), ("1.", 3), ("+1", 1),
            (".5", 1), ("1e999", 1), ("nul", 1), ("'a'", 1),
            (#""a"#, 1), ("\"\n\"", 2), (#""\x""#, 2), (#""\ud800""#, 2), (#""\u12g4""#, 2),
            (#"{"a":1,"a":2}"#, 8), ("[] []", 4), ("{a:1}", 2),
            ("NaN", 1), ("[1,]", 4), ("// x", 1), (#""\ud800\u0041""#, 2), ("\u{feff}1", 1),
        ])
    func refused(text: String, column: Int) {
        let error = #expect(throws: JSONTextError.self) { try JSONText.parse(text) }
        #expect(
            error?.line == 1 && error?.column == column, "\(text): \(String(describing: error))")
    }

    @Test("an error has its line")
    func line() {
        #expect(throws: JSONTextError(line: 3, column: 3, reason: "expected a value")) {
            try JSONText.parse("{\n\"a\":\n  ?}")
        }
    }

    @Test("depth and size are limited")
    func limits() throws {
        let limits = JSONText.Limits(maxBytes: 100, maxDepth: 3)
        #expect(try JSONText.parse("[[[1]]]", limits: limits).depth == 3)
        #expect(throws: JSONTextError.self) { try JSONText.parse("[[[[1]]]]", limits: limits) }
        #expect(throws: JSONTextError.self) {
            try JSONText.parse(String(repeating: " ", count: 100) + "1", limits: limits)
        }
        #expect(throws: JSONTextError.self) {
            try JSONText.parse(String(repeating: "[", count: 200_000))
        }
    }

    @Test("text that is not UTF-8 is rejected")
    func encoding() {
        for bytes: [UInt8] in [
            [0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0xff],
        ] {
            #expect(throws: JSONTextError.self) { try JSONText.parse(bytes) }
        }
    }

    @Test("a damaged document is parsed or rejected, and never crashes")
    func damage() {
        let document = Array(#"{"a":[1,2.5e3,"x\u00e9",true,null,{"b":{}}],"c":-0.1}"#.utf8)
        for index in document.indices {
            for byte in UInt8.min...UInt8.max {
                var damaged = document
                damaged[index] = byte
                _ = try? JSONText.parse(damaged)
            }
            _ = try? JSONText.parse(Array(document[..<index]))
        }
    }

    @Test(
        "a key longer than its limit, in bytes with resolved escapes, is rejected before it is compared"
    )
    func keyLimit() throws {
        let fits = String(repeating: "é", count: 128)
        #expect(try JSONText.parse("{\"\(fits)\": 1}").objectValue?.count == 1)
        for key in [
            fits + "x", String(repeating: "\\u00e9", count: 129),
            String(repeating: "\u{301}\u{316}", count: 16_000),
        ] {
            let error = #expect(throws: JSONTextError.self) {
                try JSONText.parse("{\"a\": {\"\(key)\": 1}}")
            }
            #expect(error?.reason == "a key has more than 256 bytes" && error?.column == 8)
        }
        #expect(throws: JSONTextError.self) {
            try JSONText.parse(#"{"abcd": 1}"#, limits: .init(maxKeyBytes: 3))
        }
    }

    @Test(
        "a key that occurs twice in different normalizations is rejected, as is one that Swift takes for ASCII; a single key stays unchanged"
    )
    func equivalentKeys() throws {
        #expect(throws: JSONTextError.self) {
            try JSONText.parse("{\"caf\u{e9}\": 1, \"cafe\u{301}\": 2}")
        }
        #expect(throws: JSONTextError.self) {
            try JSONText.parse(#"{"cafe\u0301": 1, "caf\u00e9": 2}"#)
        }
        #expect(throws: JSONTextError.self) { try JSONText.parse(#"{"\u212aey": 1}"#) }
        for key in ["caf\u{e9}", "cafe\u{301}"] {
            let value = try JSONText.parse("{\"\(key)\": 1}")
            #expect(
                try #require(value.objectValue?.keys.first).utf8.elementsEqual(key.utf8),
                "the key stays as it was sent")
        }
    }

    @Test(
        "a string with more than thirty combining marks in a row is rejected as a key and as a value"
    )
    func marks() throws {
        let allowed = String(repeating: "\u{301}\u{316}", count: 15)
        #expect(try JSONText.parse("{\"\(allowed)\": \"\(allowed)\"}").objectValue?.count == 1)
        for text in [
            "\"\(allowed)\u{301}\"", "[\"a\(allowed)\u{316}\"]", "{\"\(allowed)\u{301}\": 1}",
            "\"" + String(repeating: "\\u0301", count: 31) + "\"",
        ] {
            #expect(throws: JSONTextError.self) { try JSONText.parse(text) }
        }
    }
}
