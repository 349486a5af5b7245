import MienAPI
import MienCore
import Testing

@Suite("Filters of SCIM") struct SCIMFilterTests {
    private static let ada: JSONValue = [
        "id": "usr_1", "userName": "Ada@Example.org", "externalId": "A1", "active": true,
        "name": ["familyName": "Lovelace"],
        "emails": [
            ["value": "ada@example.org", "type": "work", "primary": true],
            ["value": "ada@home.example", "type": "home"],
        ],
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": ["department": "R&D"],
    ]

    @Test(
        "a filter finds what it says",
        arguments: [
            (#"userName eq "ada@example.org""#, true), (#"userName eq "bob""#, false),
            (#"USERNAME EQ "ADA@example.org""#, true), (#"userName ne "bob""#, true),
            (#"externalId eq "a1""#, false), (#"externalId eq "A1""#, true),
            (#"userName sw "ada@""#, true), (#"userName ew ".org""#, true),
            (#"userName co "EXAMPLE""#, true), (#"title pr"#, false),
            (#"name.familyName pr"#, true),
            (#"active eq true"#, true), (#"active eq false"#, false), (#"title eq null"#, true),
            (#"emails eq "ada@home.example""#, true), (#"emails.type eq "home""#, true),
            (#"emails[type eq "work" and value co "home"]"#, false),
            (#"emails[type eq "home" and value co "home"]"#, true),
            (#"userName eq "x" or active eq true and title pr"#, false),
            (#"(userName eq "x" or active eq true) and not (title pr)"#, true),
            (#"urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada""#, true),
            (
                #"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "r&d""#,
                true
            ),
            (#"userName eq "a\"b""#, false),
        ])
    func finds(text: String, isFound: Bool) throws {
        #expect(try SCIMFilter(text).matches(Self.ada) == isFound)
    }

    @Test(
        "what is no filter is refused as invalidFilter",
        arguments: [
            "", "userName", "userName eq", "userName eq ada", #"userName is "a""#,
            #"userName eq "a" and"#, #"userName eq "a" "b""#, #"(userName eq "a""#, "not title pr",
            #"emails[type eq "a""#, #"1 eq 2"#, #"userName eq "a"#, #"userName eq "\"#,
            String(repeating: "(", count: 20) + "title pr" + String(repeating: ")", count: 20),
            "title pr" + String(repeating: " or title pr", count: 200),
        ])
    func refuses(text: String) {
        #expect {
            _ = try SCIMFilter(text)
        } throws: {
            ($0 as? SCIMError)?.kind == .invalidFilter && ($0 as? SCIMError)?.status == 400
        }
    }
}
