import Foundation
import MienCore
import Testing

@Suite struct StreamSafeTextTests {
    private static let everyScalar = (0...UInt32(0x10FFFF)).compactMap { Unicode.Scalar($0) }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.canonicalCombiningClass != .notReordered
    }

    @Test func `thirty marks in a row are allowed anywhere, thirty-one are not`() {
        for mark in ["\u{301}", "\u{316}", "\u{1D165}", "\u{FF9E}"] {
            for (before, after) in [("", ""), ("a", ""), ("", "b"), ("日本", "語")] {
                let allowed = before + String(repeating: mark, count: 30) + after
                #expect(
                    allowed.isStreamSafe
                        && !(allowed + String(repeating: mark, count: 31)).isStreamSafe)
            }
        }
        #expect(
            (String(repeating: "\u{301}", count: 30) + "a" + String(repeating: "\u{316}", count: 30))
                .isStreamSafe)
        #expect(
            String(repeating: "plain text, Grüße, 日本語, 한국어, हिन्दी, ", count: 1000).isStreamSafe
                && "".isStreamSafe)
    }

    @Test func `a character that decomposes only to marks counts as that many marks`() {
        var miscounted: [Unicode.Scalar] = []
        for scalar in Self.everyScalar
        where scalar.value >= 0x300
            && (Self.isMark(scalar) || scalar.properties.changesWhenNFKCCaseFolded
                || scalar.value < 0x1000)
        {
            let parts = String(scalar).decomposedStringWithCompatibilityMapping.unicodeScalars
            guard parts.allSatisfy(Self.isMark) else { continue }
            let fitting = String(
                repeating: String(scalar), count: StreamSafeText.maxMarks / parts.count)
            if !fitting.isStreamSafe || (fitting + String(scalar)).isStreamSafe {
                miscounted.append(scalar)
            }
        }
        #expect(miscounted.isEmpty)
    }

    @Test
    func `no character below the first mark is a mark, and marks have distinct bytes`() {
        #expect(
            Self.everyScalar.prefix(0x300).allSatisfy {
                !Self.isMark($0) && String($0).utf8.allSatisfy { $0 < 0xCC }
            })
        #expect(
            Self.everyScalar.dropFirst(0x300).allSatisfy { String($0).utf8.contains { $0 >= 0xCC } }
        )
    }

    @Test func `all characters that equal ASCII are known`() {
        let ascii = Set((0..<128).map { String(Unicode.Scalar(UInt8($0))) })
        let wrong = Self.everyScalar.dropFirst(128).filter {
            String($0).hasASCIIEquivalents != ascii.contains(String($0))
        }
        #expect(wrong.isEmpty)
        #expect(
            !"Key".hasASCIIEquivalents && "\u{212A}ey".hasASCIIEquivalents && "\u{212A}ey" == "Key")
    }
}
