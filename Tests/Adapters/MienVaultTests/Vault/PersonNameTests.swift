import MienVault
import Testing

@Suite struct PersonNameTests {
    @Test func `a name is trimmed and composed`() throws {
        #expect(try PersonName("  Zoë \n").text == "Zoë")
        #expect(Array(try PersonName("Zoe\u{308}").text.utf8) == Array("Zo\u{EB}".utf8))
    }

    @Test(arguments: [
        ("Ana", "ANA"), ("ZOË", "zoe\u{308}"), ("Straße", "STRASSE"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("Ａ", "ａ"), ("Weiß", "WEIẞ"),
    ])
    func `names that differ in case or composition are equal`(a: String, b: String) throws {
        #expect(try PersonName(a) == PersonName(b))
        #expect(try PersonName(a).hashValue == PersonName(b).hashValue)
    }

    @Test(arguments: [("Ana", "Anna"), ("Zoe", "Zoë"), ("A B", "A  B")])
    func `names with other differences are not equal`(a: String, b: String) throws {
        #expect(try PersonName(a) != PersonName(b))
    }

    @Test func `a name has 1 to 64 characters and at most 256 bytes`() throws {
        #expect(try PersonName("x").text == "x")
        #expect(try PersonName(String(repeating: "界", count: 64)).text.count == 64)
        #expect(throws: PersonNameError.empty) { try PersonName(" \t ") }
        #expect(throws: PersonNameError.tooLong) {
            try PersonName(String(repeating: "x", count: 65))
        }
        #expect(throws: PersonNameError.tooLong) {
            try PersonName("e" + String(repeating: "\u{301}", count: 130))
        }
    }

    @Test(arguments: [
        "a\nb", "a\u{0}b", "a\u{1B}[31mb", "a\u{7F}b", "a\u{85}b", "a\u{2028}b", "a\u{202E}b",
        "a\u{2066}b",
    ])
    func `characters that could forge terminal output are rejected`(text: String) {
        #expect(throws: PersonNameError.forbiddenCharacter) { try PersonName(text) }
    }

    @Test(arguments: ["O'Brien-Núñez", "نیلوفر", "می\u{200C}خواهم", "👩‍👩‍👧", "王小明", "R2-D2"])
    func `names in many scripts are accepted`(text: String) throws {
        #expect(try PersonName(text).text == text)
    }

    @Test func `a name is not printed`() throws {
        var dumped = ""
        dump(ana, to: &dumped)
        #expect(
            "\(ana)" == "‹name›" && String(reflecting: ana) == "‹name›" && dumped == "- ‹name›\n")
    }
}
