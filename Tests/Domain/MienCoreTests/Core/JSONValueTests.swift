import Foundation
import MienCore
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("parsed values are written with whole numbers without a fraction")
    func roundTrip() throws {
        let text = #"{"a":[1,2.5,"x",true,null,{}],"b":-3,"c":9007199254740991}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
        #expect(value["a"] == [1, 2.5, "x", true, nil, [:]])
    }

    @Test("depth and size include all nested values")
    func measures() {
        #expect(JSONValue.null.depth == 0 && JSONValue.null.size == 1)
        let value: JSONValue = ["a": [1, [2]], "b": "c"]
        #expect(value.depth == 3)
        #expect(value.size == 6)
    }
}
