import MienCore
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("abc-._~", "abc-._~"), ("a b", "a%20b"), ("a+b&c=d/é", "a%2Bb%26c%3Dd%2F%C3%A9"),
        ("%", "%25"), ("\n", "%0A"),
        ("漢", "%E6%BC%A2"),
    ])
    func `known answers match`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decodeForm(encoded) == text)
    }

    @Test func `a form's plus is a space, and lower-case hexadecimal is accepted`() {
        #expect(PercentEncoding.decodeForm("a+b%2bc%c3%a9") == "a b+cé")
    }

    @Test(arguments: ["%", "%4", "%4g", "a%", "%%41", "%C3", "%FF", "%00", "\0", "%ED%A0%80"])
    func `an invalid encoding is rejected`(text: String) {
        #expect(PercentEncoding.decodeForm(text) == nil)
    }

    @Test func `every scalar survives encoding and decoding`() {
        var seen = 0
        for code in stride(from: UInt32(1), through: 0x10_FFFF, by: 97) {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let text = "x\(String(Character(scalar)))y"
            #expect(PercentEncoding.decodeForm(PercentEncoding.encode(text)) == text)
            seen += 1
        }
        #expect(seen > 11_000)
    }
}
