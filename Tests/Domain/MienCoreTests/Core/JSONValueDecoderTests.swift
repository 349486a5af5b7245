import Foundation
import MienCore
import Testing

@Suite("Decoding JSON values")
struct JSONValueDecoderTests {
    private struct Order: Codable, Equatable {
        enum Kind: String, Codable { case small, large }

        struct Line: Codable, Equatable {
            let count: UInt8
            let note: String?
        }

        let kind: Kind
        let at: Int64
        let weight: Double
        let lines: [Line]
        let more: JSONValue
        let names: [String: [Bool]]
        let nothing: Int?
        let id: AppID
    }

    private static let text = """
        {"kind":"large","at":1790000000123,"weight":0.5,"lines":[{"count":255},{"count":0,"note":"é"}],"more":{"a":[null,1,{"b":true}]},
         "names":{"x":[true,false],"y":[]},"nothing":null,"id":"shop"}
        """

    @Test("values decode as Foundation decodes the same text")
    func same() throws {
        let order: Order = try JSONText.parse(Self.text).decoded()
        #expect(order == (try JSONDecoder().decode(Order.self, from: Data(Self.text.utf8))))
        #expect(order.at == 1_790_000_000_123)
        #expect(order.more == ["a": [nil, 1, ["b": true]]])
        #expect(order.nothing == nil)
    }

    @Test("plain values, arrays, and dictionaries decode")
    func plain() throws {
        #expect(try JSONValue.string("a").decoded(as: String.self) == "a")
        #expect(try JSONValue.number(1.5).decoded(as: Float.self) == 1.5)
        #expect(try JSONValue.array([1, nil, 3]).decoded(as: [Int?].self) == [1, nil, 3])
        #expect(try JSONValue.object(["a": 1]).decoded(as: [String: UInt16].self) == ["a": 1])
        #expect(try JSONValue.object(["a": [1]]).decoded(as: JSONValue.self) == ["a": [1]])
        #expect(try JSONValue.null.decoded(as: Int?.self) == nil)
    }

    @Test(
        "a value that does not fit is rejected with its path",
        arguments: [
            (#""large""#, #""huge""#, "kind", false), ("255", "256", "lines.Index 0.count", false),
            ("255", "-1", "lines.Index 0.count", false),
            ("255", "1.5", "lines.Index 0.count", false), ("0.5", #""0.5""#, "weight", false),
            ("[true,false]", "[true,0]", "names.x.Index 1", false),
            (#""y":[]"#, #""y":{}"#, "names.y", false), (#","weight":0.5"#, "", "weight", true),
            (#""shop""#, #""a shop""#, "id", false),
        ])
    func refused(old: String, new: String, expected: String, isMissing: Bool) throws {
        let value = try JSONText.parse(Self.text.replacing(old, with: new, maxReplacements: 1))
        let error = try #require(throws: DecodingError.self) { try value.decoded(as: Order.self) }
        func path(_ context: DecodingError.Context, _ last: [any CodingKey] = []) -> String {
            (context.codingPath + last).map(\.stringValue).joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context):
            #expect(isMissing && path(context, [key]) == expected)
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            #expect(!isMissing && path(context) == expected)
        @unknown default: Issue.record("another error: \(error)")
        }
    }
}
