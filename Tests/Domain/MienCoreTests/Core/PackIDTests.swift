import MienCore
import Testing

@Suite struct PackIDTests {
    @Test(arguments: [
        "a", "7", "default-1", "mobile.v2", "a..b", String(repeating: "z", count: 64),
    ])
    func `a valid pack name is accepted`(text: String) throws {
        #expect(try PackID(text).text == text)
    }

    @Test func `an invalid pack name is rejected with the position`() {
        #expect(throws: PackIDError.length(0)) { try PackID("") }
        #expect(throws: PackIDError.length(65)) { try PackID(String(repeating: "a", count: 65)) }
        #expect(throws: PackIDError.character(at: 1)) { try PackID("aB") }
        #expect(throws: PackIDError.character(at: 1)) { try PackID("a/b") }
        #expect(throws: PackIDError.character(at: 2)) { try PackID("abé") }
        #expect(throws: PackIDError.character(at: 1)) { try PackID("a\0") }
    }

    @Test(arguments: [".", "..", ".a", "-a"])
    func `a pack's name is safe as a file name`(text: String) {
        #expect(throws: PackIDError.character(at: 0)) { try PackID(text) }
    }
}
