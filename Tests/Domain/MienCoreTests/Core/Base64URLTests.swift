import MienCore
import Testing

@Suite("Base64url")
struct Base64URLTests {
    /// RFC 4648 §10, without padding, and the two characters that differ from plain Base64.
    @Test(
        "known answers",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ])
    func knownAnswers(plain: String, encoded: String) {
        #expect(Base64URL.encode(plain.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    }

    @Test(
        "other spellings of the same bytes are rejected",
        arguments: ["Zg==", "Zh", "Zm9", "A", "Zm9v\n", "+_8", "-/8", "Zm 9v"])
    func otherSpellings(text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test("any bytes survive encoding and decoding")
    func roundTrip() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<70 {
            let bytes = generator.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
