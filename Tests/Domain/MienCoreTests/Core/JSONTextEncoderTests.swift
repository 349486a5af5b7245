import Foundation
import MienCore
import Testing

@Suite("Encoding values as JSON text")
struct JSONTextEncoderTests {
    private struct Order: Codable, Equatable {
        enum Kind: String, Codable { case small, large }
        enum Place: Codable, Equatable { case nowhere, at(AppID, row: Int) }
        struct Line: Codable, Equatable {
            let count: UInt8
            let note: String?
        }
        struct Nothing: Codable, Equatable {}

        var kind = Kind.large
        var at: Int64 = .min
        var most: UInt64 = .max
        var weight = 0.1 + 0.2
        var whole = 5.0
        var small: Float = 0.3
        var lines = [Line(count: 255, note: nil), Line(count: 0, note: "a\u{1}\n\"\\/é\u{2028}👩‍🚀")]
        var more: JSONValue = ["a": [nil, 1, 1.5, -0.0, ["b": true]], "“": .object([:]), "e": []]
        var names = ["x": [true, false], "y": []]
        var byNumber = [3: "three"]
        var places = [Place.nowhere, .at(AppID("shop")!, row: 2)]
        var nothing: Int?
        var empty = Nothing()
        var pair: [Int?] = [1, nil]
        var id = AppID("shop")!
    }

    /// Writes into containers within containers, and as its own superclass would.
    private struct Nested: Encodable {
        enum Key: String, CodingKey { case a, b, c }

        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Key.self)
            var list = outer.nestedUnkeyedContainer(forKey: .a)
            try list.encode(1)
            var inner = list.nestedContainer(keyedBy: Key.self)
            try inner.encode("x", forKey: .a)
            try inner.encodeNil(forKey: .b)
            try list.encode(2)
            try "up".encode(to: outer.superEncoder(forKey: .b))
            try outer.encode(3, forKey: .c)
        }
    }

    /// Goes on writing to a container that has ended.
    private struct Interleaved: Encodable {
        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Nested.Key.self)
            var first = outer.nestedUnkeyedContainer(forKey: .a)
            try first.encode(1)
            try outer.encode(2, forKey: .b)
            try first.encode(3)
        }
    }

    private func value(_ bytes: [UInt8]) throws -> JSONValue { try JSONText.parse(bytes) }

    @Test("the text means what Foundation's means, and decodes to the same value")
    func same() throws {
        let order = Order(), bytes = try JSONText.encode(order)
        #expect(try value(bytes) == value([UInt8](JSONEncoder().encode(order))))
        #expect(try JSONDecoder().decode(Order.self, from: Data(bytes)) == order)
        #expect(
            try value(JSONText.encode(Nested())) == value([UInt8](JSONEncoder().encode(Nested()))))
    }

    @Test("members keep the order in which they are encoded, and whole numbers have no fraction")
    func order() throws {
        #expect(
            String(decoding: try JSONText.encode(Nested()), as: UTF8.self)
                == #"{"a":[1,{"a":"x","b":null},2],"b":"up","c":3}"#)
        #expect(
            String(decoding: try JSONText.encode([5.0, -2, 1e300]), as: UTF8.self)
                == "[5,-2,1e+300]")
    }

    @Test("plain values are texts, too")
    func plain() throws {
        #expect(try JSONText.encode("a") == Array(#""a""#.utf8))
        #expect(try JSONText.encode(Int?.none) == Array("null".utf8))
        #expect(try JSONText.encode([String: Int]()) == Array("{}".utf8))
        #expect(try JSONText.encode(JSONValue.null) == Array("null".utf8))
    }

    @Test("a number that JSON lacks and a container used after its end are errors")
    func refused() {
        for number in [Double.nan, .infinity] {
            #expect(throws: EncodingError.self) { try JSONText.encode(["a": number]) }
            #expect(throws: EncodingError.self) { try JSONText.encode([Float(number)]) }
        }
        #expect(throws: EncodingError.self) { try JSONText.encode(Interleaved()) }
    }

    @Test("dictionaries are written by name, the same each time")
    func sorted() throws {
        struct Option: Encodable { var on: Bool }
        struct Answer: Encodable {
            var detail: [String: JSONValue], labels: [String: String], counts: [String: Int]
            var options: [String: Option] = [:], nested: [String: [String: [Bool]]]?
        }
        let names = (0..<40).map { "n\($0)" }, order = names.sorted()
        for _ in 0..<3 {
            let answer = Answer(
                detail: .init(uniqueKeysWithValues: names.shuffled().map { ($0, 1) }),
                labels: .init(uniqueKeysWithValues: names.shuffled().map { ($0, "x") }),
                counts: .init(uniqueKeysWithValues: names.shuffled().map { ($0, .max) }),
                options: .init(
                    uniqueKeysWithValues: names.shuffled().map { ($0, Option(on: true)) }),
                nested: [
                    "n": .init(uniqueKeysWithValues: names.shuffled().map { ($0, [true, false]) })
                ])
            func text(_ value: String) -> String {
                "{" + order.map { "\"\($0)\":\(value)" }.joined(separator: ",") + "}"
            }
            let written = String(decoding: try JSONText.encode(answer), as: UTF8.self)
            #expect(
                written
                    == #"{"detail":\#(text("1")),"labels":\#(text("\"x\"")),"counts":\#(text("\(Int.max)")),"#
                    + #""options":\#(text("{\"on\":true}")),"nested":{"n":\#(text("[true,false]"))}}"#
            )
        }
        let empty = Answer(detail: [:], labels: [:], counts: [:])
        #expect(
            String(decoding: try JSONText.encode([empty]), as: UTF8.self)
                == #"[{"detail":{},"labels":{},"counts":{},"options":{}}]"#)
    }
}
