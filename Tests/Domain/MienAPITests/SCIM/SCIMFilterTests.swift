import MienAPI
import MienCore
import Testing

@Suite("Filters of SCIM") struct SCIMFilterTests {
    private static let ada: JSONValue = [
        "id": "usr_1", "userName": "Ada@Example.org", "externalId": "A1", "active": true,
        "meta": ["created": "2026-01-01T00:00:00Z"],
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
            (#"userName eq "a\"b""#, false), (#"userName co "aaab""#, false),
            (#"userName co "a@ex""#, true), (#"userName gt "acb""#, true),
            (#"userName lt "acb""#, false), (#"userName ge "ADA@EXAMPLE.ORG""#, true),
            (#"meta.created ge "2026-01-01T00:00:00.000Z""#, true),
            (#"meta.created gt "2026-01-01T00:00:00Z""#, false),
        ])
    func finds(text: String, isFound: Bool) throws {
        #expect(try SCIMFilter(text).matches(Self.ada) == isFound)
    }

    @Test("a filter tells what an index can find, whatever else it asks for")
    func required() throws {
        let filter = try SCIMFilter(#"active eq true and (id eq "usr_1" and members eq "usr_2")"#)
        #expect(filter.required("ID") == "usr_1" && filter.required("userName") == nil)
        #expect(filter.mentions("members") && !filter.mentions("emails"))
        for text in [#"id eq "a" or id eq "b""#, #"not (id eq "a")"#, #"id sw "a""#, "id eq 1"] {
            #expect(try SCIMFilter(text).required("id") == nil)
        }
    }

    @Test(
        "a malformed filter is refused as invalidFilter",
        arguments: [
            "", "userName", "userName eq", "userName eq ada", #"userName is "a""#,
            #"userName eq "a" and"#, #"userName eq "a" "b""#, #"(userName eq "a""#, "not title pr",
            #"emails[type eq "a""#, #"1 eq 2"#, #"userName eq "a"#, #"userName eq "\"#,
            String(repeating: "(", count: 20) + "title pr" + String(repeating: ")", count: 20),
            "title pr" + String(repeating: " or title pr", count: 200),
            "a pr" + String(repeating: " or a pr", count: 40),
        ])
    func refuses(text: String) {
        #expect {
            _ = try SCIMFilter(text)
        } throws: {
            ($0 as? SCIMError)?.kind == .invalidFilter && ($0 as? SCIMError)?.status == 400
        }
    }
}
