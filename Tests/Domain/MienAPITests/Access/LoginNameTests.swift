import MienAPI
import Testing

@Suite struct LoginNameTests {
    @Test(arguments: [
        (LoginName.Kind.username, "Ana", "ana"), (.username, "  Ana\n", "ana"),
        (.username, "ＡＮＡ", "ana"), (.username, "e\u{301}va", "\u{E9}va"),
        (.username, "ﬁnn", "finn"), (.username, "ΟΔΟΣ", "οδοσ"), (.username, "οδος", "οδοσ"),
        (.username, "Weiß", "weiss"), (.username, "WEIẞ", "weiss"), (.username, "ſ\u{212A}", "sk"),
        (.username, "ᾳ", "αι"), (.username, "İIıi", "iiii"),
        (.username, "I\u{307}\u{301}", "í"), (.username, "Ꭰ", "\u{AB70}"),
        (.username, "a\u{200B}d\u{200D}a\u{FEFF}", "ada"),
        (.username, "می\u{200C}خواهم", "میخواهم"),
        (.username, "a\u{E0041}\u{FE0F}\u{3164}b", "ab"), (.username, "e\u{AD}\u{301}", "é"),
        (.email, "Ana@BÜCHER.example", "ana@xn--bcher-kva.example"),
        (.email, "ana@XN--Bcher-KVA.example", "ana@xn--bcher-kva.example"),
        (.email, "ana@bu\u{308}cher。example", "ana@xn--bcher-kva.example"),
        (.email, "ana@παράδειγμα.δοκιμή", "ana@xn--hxajbheg2az3al.xn--jxalpdlp"),
        (.email, "ana@例え.テスト", "ana@xn--r8jz45g.xn--zckzah"),
        (.email, "ana@مثال.إختبار", "ana@xn--mgbh0fb.xn--kgbechtv"),
        (.email, "ana@i❤.example", "ana@xn--i-7iq.example"),
        // Other owners than those of fass.de and of xn--nxasmq6b.com.
        (.email, "ana@faß.de", "ana@xn--fa-hia.de"), (.email, "ana@FAẞ.de", "ana@xn--fa-hia.de"),
        (.email, "ana@βόλος.com", "ana@xn--nxasmm1c.com"),
        // Another mailbox than weiss@example.org.
        (.email, "Weiß@example.org", "weiß@example.org"),
        (.email, "ΟΔΟΣ@example.org", "οδοσ@example.org"),
        (.email, "οδος@example.org", "οδοσ@example.org"),
        (.email, "Ana@Example.ORG", "ana@example.org"),
        (.email, "ana＠example.org", "ana@example.org"), (.externalID, " CRM-4711 ", "CRM-4711"),
        (.externalID, "ﬁ", "ﬁ"),
    ])
    func `names are normalized for comparison`(kind: LoginName.Kind, text: String, normal: String)
        throws
    {
        let found = try LoginName(text, kind: kind).normal
        // Compared by scalars, because Swift's own comparison would hide differences in
        // normalization.
        #expect(Array(found.unicodeScalars) == Array(normal.unicodeScalars), "\(found)")
    }

    @Test(arguments: [
        (LoginName.Kind.username, "", LoginNameError.empty(.username)),
        (.externalID, " \t ", .empty(.externalID)), (.email, "\n", .empty(.email)),
        (.username, "a b", .character(.username)), (.username, "a\u{0}b", .character(.username)),
        (.username, "ana@home", .character(.username)),
        (.username, "ana＠home", .character(.username)),
        (.username, "a\u{A0}b", .character(.username)),
        (.username, "\u{FDFA}", .character(.username)),
        (.username, "a\u{202E}b", .character(.username)),
        (.username, "a\u{200F}b", .character(.username)),
        (.username, "a\u{2066}b", .character(.username)),
        (.username, "a\u{2800}b", .character(.username)),
        (.username, "a\u{FFF9}b", .character(.username)),
        (.username, "\u{200B}\u{3164}", .empty(.username)),
        (.username, "a\u{200B}＠b", .character(.username)),
        (.username, "\u{430}dmin", .mixedScripts), (.username, "admin\u{3BF}", .mixedScripts),
        (.username, "иван\u{3BF}", .mixedScripts),
        (.externalID, "a\u{202E}b", .character(.externalID)),
        (.email, "a\u{202E}na@example.org", .character(.email)),
        (.email, "ana\u{200B}@example.org", .character(.email)),
        (.externalID, "a\u{2028}b", .character(.externalID)),
        (.email, "ana", .notAnAddress), (.email, "@example.org", .notAnAddress),
        (.email, "ana@", .notAnAddress), (.email, "ana@host", .notAnAddress),
        (.email, "ana@.org", .notAnAddress), (.email, "ana@example.", .notAnAddress),
        (.email, "a@b@c.org", .notAnAddress),
        (.email, String(repeating: "a", count: 65) + "@example.org", .notAnAddress),
        (.username, String(repeating: "a", count: 255), .tooLong(.username)),
        (.externalID, String(repeating: "é", count: 128), .tooLong(.externalID)),
    ])
    func `an invalid name is rejected, and the error does not repeat it`(
        kind: LoginName.Kind, text: String, error: LoginNameError
    ) throws {
        let thrown = #expect(throws: LoginNameError.self) { try LoginName(text, kind: kind) }
        #expect(thrown == error)
        #expect(
            try !#require(thrown).description.replacing("name@example.org", with: "").contains(text)
                || text.count < 2)
        // Callers put the field's name before it.
        #expect(LoginName.Kind.allCases.allSatisfy { !"\(error)".contains($0.rawValue) })
    }

    @Test func `the longest names are accepted`() throws {
        #expect(
            try LoginName(String(repeating: "a", count: 254), kind: .username).normal.utf8.count
                == 254)
        #expect(
            try LoginName(String(repeating: "a", count: 64) + "@example.org", kind: .email).normal
                .utf8.count == 76)
    }

    /// Otherwise a name could be taken twice, or never be found again.
    @Test func `normalizing every letter's normal form changes nothing`() {
        var letters = 0
        for value in UInt32(0x21)...0x2_FFFF {
            guard let scalar = Unicode.Scalar(value),
                let name = try? LoginName("a\(scalar)b", kind: .username)
            else { continue }
            letters += 1
            let again = try? LoginName(name.normal, kind: .username)
            if again?.normal.unicodeScalars.elementsEqual(name.normal.unicodeScalars) != true {
                Issue.record("U+\(String(value, radix: 16)) becomes “\(name.normal)”")
            }
        }
        #expect(letters > 100_000)
    }

    @Test(arguments: [
        ("иван", true), ("Δημήτρης", true), ("Zoë", true), ("王mei", true), ("ivan-иван", false),
        ("نیلوفر7", true), ("иван_2", true), ("αdmin", false),
    ])
    func `a user name may not mix scripts that look alike`(text: String, isAccepted: Bool) {
        #expect(((try? LoginName(text, kind: .username)) != nil) == isAccepted)
    }

    @Test(arguments: [
        ("CRM-1", "crm-1"), ("Ana@BÜCHER.example", "ana@xn--bcher-kva.example"), ("ana@", "ana@"),
        ("Weiß", "weiss"),
    ])
    func `an external ID has the identifier of the name that it looks like`(
        text: String, identifier: String
    ) throws {
        #expect(try LoginName(text, kind: .externalID).identifier == identifier)
    }

    @Test func `an identifier is looked up as the kind it looks like, then as an external ID`() {
        #expect(LoginName.candidates("Ana").map(\.kind) == [.username, .externalID])
        #expect(LoginName.candidates("Ana").map(\.normal) == ["ana", "Ana"])
        #expect(LoginName.candidates("Ana@Example.org").map(\.kind) == [.email, .externalID])
        #expect(
            LoginName.candidates("ana＠example.org").map(\.normal) == [
                "ana@example.org", "ana＠example.org",
            ])
        #expect(LoginName.candidates("ana@").map(\.kind) == [.externalID])
        #expect(
            LoginName.candidates("\u{202A}An\u{200B}a\u{202C}").map(\.normal) == ["ana"],
            "characters that nobody sees come along when a name is copied")
        #expect(
            LoginName.candidates("ana\u{200B}@example.org").map(\.normal) == [
                "ana@example.org", "ana\u{200B}@example.org",
            ])
        #expect(LoginName.candidates("").isEmpty && LoginName.candidates("a b").isEmpty)
    }

    @Test
    func
        `a text too long for a name is rejected before normalization and has no lookup candidates`()
    {
        for text in [
            String(repeating: "a", count: 1025), String(repeating: " ", count: 1024) + "a",
            String(repeating: "\u{301}\u{316}", count: 32_000),
            "ada" + String(repeating: "\u{301}", count: 31),
        ] {
            #expect(LoginName.candidates(text).isEmpty)
            for kind in LoginName.Kind.allCases {
                #expect(throws: LoginNameError.tooLong(kind)) { try LoginName(text, kind: kind) }
            }
        }
        #expect(
            LoginName.candidates("  ada\n").map(\.normal) == ["ada", "ada"],
            "spaces around a name do not count")
    }
}
