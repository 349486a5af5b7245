import MienCore
import Testing

@testable import MienIdentity

@Suite struct FoldedTextTests {
    @Test func `ASCII is folded as any other text is`() {
        var chance = SeededGenerator(seed: 15)
        let often = Array("aZ09 .'#-`/,".utf8)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...24, using: &chance)).map { _ in
                Bool.random(using: &chance)
                    ? often.randomElement(using: &chance)!
                    : UInt8.random(in: 0..<128, using: &chance)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(FoldedText(text) == FoldedText(anyText: text), "\(bytes)")
        }
        for byte in UInt8(0)..<128 {
            let text = "a\(Character(Unicode.Scalar(byte)))b"
            #expect(FoldedText(text) == FoldedText(anyText: text), "\(byte)")
        }
    }
}
