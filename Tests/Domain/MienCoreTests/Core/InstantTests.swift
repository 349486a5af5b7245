import Foundation
import MienCore
import Testing

@Suite("Instant")
struct InstantTests {
    @Test(
        "an instant survives encoding and decoding with its milliseconds",
        arguments: [0, 1, 1_700_000_000_000, Int64.max])
    func coding(milliseconds: Int64) throws {
        let data = try JSONEncoder().encode(Instant(milliseconds: milliseconds))
        #expect(String(decoding: data, as: UTF8.self) == #"{"milliseconds":\#(milliseconds)}"#)
        #expect(try JSONDecoder().decode(Instant.self, from: data).milliseconds == milliseconds)
    }

    @Test("the later instant is the greater")
    func order() {
        #expect(Instant(milliseconds: 1) < Instant(milliseconds: 2))
        #expect(!(Instant(milliseconds: 2) < Instant(milliseconds: 2)))
        #expect(
            [3, 1, 2].map { Instant(milliseconds: $0) }.sorted().map(\.milliseconds) == [1, 2, 3])
    }

    @Test("sums saturate")
    func saturation() {
        #expect(Instant(milliseconds: .max) + .seconds(1) == Instant(milliseconds: .max))
        #expect(Instant(milliseconds: .min) - .seconds(1) == Instant(milliseconds: .min))
        #expect(Instant(milliseconds: 0) + .seconds(.max as Int64) == Instant(milliseconds: .max))
        #expect(Instant(seconds: 5) + .milliseconds(1500) == Instant(milliseconds: 6500))
        #expect(Instant(seconds: 5) - Instant(seconds: 2) == .seconds(3))
    }
}
