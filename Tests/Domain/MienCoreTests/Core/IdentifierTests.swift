import Foundation
import MienCore
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("a random identifier has its kind's prefix and 128 bits")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        let id = UserID.random(using: &generator)
        #expect(id.text.hasPrefix("usr_"))
        #expect(Base64URL.decode(id.text.dropFirst(4))?.count == 16)
        #expect(UserID(id.text) == id)
    }

    @Test(
        "invalid identifiers are rejected",
        arguments: ["", "a b", "ä", "a/b", "a\n", String(repeating: "x", count: 65)])
    func refused(text: String) {
        #expect(UserID(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([UserID].self, from: JSONEncoder().encode([text]))
        }
    }
}
