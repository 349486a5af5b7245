import MienCore
import MienTesting
import Testing

@Suite struct ValidUTF8Tests {
    @Test(arguments: [
        "", "a", "é", "€", "😀", "e\u{301}", "\u{FFFD}", "\u{FEFF}a", "\u{0}", "a\u{FFFD}b",
    ])
    func `text is decoded as it is`(text: String) {
        let bytes = Array(text.utf8)
        #expect(String(validUTF8: bytes).map { Array($0.utf8) } == bytes)
        #expect(String(unrepairedUTF8: bytes).map { Array($0.utf8) } == bytes)
    }

    @Test(
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xFF], [0x61, 0xFE, 0x62], [0xEF, 0xBF, 0xBD, 0xC3],
        ] as [[UInt8]])
    func `other bytes are refused`(bytes: [UInt8]) {
        #expect(String(validUTF8: bytes) == nil)
        #expect(String(unrepairedUTF8: bytes) == nil)
    }

    @Test func `both ways agree about random bytes`() {
        var generator = TestSeed.generator(18)
        let parts: [UInt8] = [
            0x61, 0x80, 0xBF, 0xC3, 0xE2, 0x82, 0xED, 0xA0, 0xEF, 0xF0, 0x9F, 0xF4,
        ]
        for _ in 0..<20_000 {
            let count = generator.index(below: 7)
            let bytes = (0..<count).map { _ in parts[generator.index(below: parts.count)] }
            #expect(
                String(validUTF8: bytes).map { Array($0.utf8) }
                    == String(unrepairedUTF8: bytes).map { Array($0.utf8) }, "\(bytes)")
        }
    }
}
