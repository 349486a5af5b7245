import MienAPI
import MienCore
import Testing

/// The requests are those of RFC 7644 §3.5.2, and of the public documentation of Entra ID and Okta.
@Suite("Changes of SCIM") struct SCIMPatchTests {
    private static let ada: [String: JSONValue] = [
        "userName": "ada", "active": true, "name": ["givenName": "Ada", "familyName": "King"],
        "emails": [
            ["value": "ada@example.org", "type": "work", "primary": true],
            ["value": "ada@home.example", "type": "home"],
        ],
    ]
    private static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

    private static func changed(
        _ operations: String, _ schema: SCIMSchema = .user, of resource: [String: JSONValue]? = nil
    ) throws -> [String: JSONValue] {
        let body = try JSONText.parse(
            #"{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [\#(operations)]}"#
        )
        return try schema.clean(
            .object(SCIMPatch(body).applied(to: resource ?? ada, of: schema)), maxMembers: 100)
    }

    @Test("Entra ID suspends with a capital letter and a text, Okta without a path")
    func suspends() throws {
        #expect(
            try Self.changed(#"{"op": "Replace", "path": "active", "value": "False"}"#)["active"]
                == false)
        #expect(
            try Self.changed(#"{"op": "replace", "value": {"active": false}}"#)["active"] == false)
    }

    @Test("Entra ID names parts and extensions by paths, also as members")
    func paths() throws {
        let changed = try Self.changed(
            """
            {"op": "Add", "path": "name.familyName", "value": "Lovelace"},
            {"op": "Replace", "path": "emails[type eq \\"work\\"].value", "value": "new@example.org"},
            {"op": "Add", "path": "\(Self.enterprise):department", "value": "R&D"},
            {"op": "add", "value": {"name.givenName": "Augusta", "\(Self.enterprise):division": "A",
              "\(Self.enterprise)": {"costCenter": "7"}, "nobody": "knows"}}
            """)
        #expect(changed["name"] == ["givenName": "Augusta", "familyName": "Lovelace"])
        #expect(changed["emails"]?.arrayValue?.first?["value"] == "new@example.org")
        #expect(
            changed[Self.enterprise] == ["department": "R&D", "division": "A", "costCenter": "7"])
    }

    @Test("an added value of a type that is not there is made, a replaced one is not")
    func missing() throws {
        let changed = try Self.changed(
            #"{"op": "add", "path": "phoneNumbers[type eq \"work\"].value", "value": "1"}"#)
        #expect(changed["phoneNumbers"] == [["type": "work", "value": "1"]])
        #expect {
            _ = try Self.changed(
                #"{"op": "replace", "path": "phoneNumbers[type eq \"work\"].value", "value": "1"}"#)
        } throws: {
            ($0 as? SCIMError)?.kind == .noTarget
        }
    }

    @Test("a new primary address takes the place of the old one")
    func primary() throws {
        let emails = try #require(
            Self.changed(
                #"{"op": "add", "path": "emails", "value": [{"value": "c@example.org", "primary": true}]}"#
            )["emails"]?.arrayValue)
        #expect(emails.count == 3 && emails.filter { $0["primary"] == true }.count == 1)
    }

    @Test("members are added once, and removed by a filter or by name")
    func members() throws {
        let group: [String: JSONValue] = [
            "displayName": "Staff", "members": [["value": "a"], ["value": "b"], ["value": "c"]],
        ]
        func members(_ operation: String) throws -> [String] {
            try Self.changed(operation, .group, of: group)["members"]?.arrayValue?
                .compactMap { $0["value"]?.stringValue } ?? []
        }
        #expect(
            try members(
                #"{"op": "add", "path": "members", "value": [{"value": "a"}, {"value": "d"}]}"#)
                == ["a", "b", "c", "d"])
        #expect(
            try members(#"{"op": "remove", "path": "members[value eq \"b\"]"}"#) == ["a", "c"])
        #expect(
            try members(#"{"op": "Remove", "path": "members", "value": [{"value": "a"}]}"#)
                == ["b", "c"])
        #expect(try members(#"{"op": "remove", "path": "members"}"#).isEmpty)
        #expect(
            try members(#"{"op": "replace", "path": "members", "value": [{"value": "z"}]}"#) == [
                "z"
            ])
        #expect(
            try Self.changed(
                #"{"op": "replace", "value": {"id": "x", "displayName": "All"}}"#, .group, of: group
            )[
                "displayName"] == "All")
    }

    @Test("a part of every value is changed without a filter, and members are told apart by case")
    func everyValue() throws {
        let emails = try Self.changed(
            #"{"op": "replace", "path": "emails.type", "value": "other"}"#)["emails"]?.arrayValue
        #expect(emails?.count == 2 && emails?.allSatisfy { $0["type"] == "other" } == true)
        let group: [String: JSONValue] = [
            "displayName": "Staff", "members": [["value": "usr_a"], ["value": "usr_A"]],
        ]
        for path in [
            "members[value eq \\\"usr_a\\\"]", "members[value eq \\\"usr_a\\\" and value pr]",
        ] {
            #expect(
                try Self.changed(#"{"op": "remove", "path": "\#(path)"}"#, .group, of: group)[
                    "members"] == [["value": "usr_A"]])
        }
    }

    @Test("operations that look at very many values are refused, and thousands are quick")
    func large() throws {
        let members = (0..<10_000).map { JSONValue.object(["value": .string("usr_\($0)")]) }
        let group: [String: JSONValue] = ["displayName": "Staff", "members": .array(members)]
        func change(_ count: Int) throws -> Int? {
            let operations = (0..<count).map {
                JSONValue.object([
                    "op": "remove", "path": .string("members[value eq \"usr_\($0)\"]"),
                ])
            }
            let patch = try SCIMPatch([
                "schemas": [.string(SCIMPatch.schema)], "Operations": .array(operations),
            ])
            return try patch.applied(to: group, of: .group)["members"]?.arrayValue?.count
        }
        #expect(try change(50) == 9950)
        #expect {
            _ = try change(1000)
        } throws: {
            ($0 as? SCIMError)?.kind == .tooMany
        }
        let added = try SCIMPatch([
            "schemas": [.string(SCIMPatch.schema)],
            "Operations": [["op": "add", "path": "members", "value": .array(members)]],
        ]).applied(to: group, of: .group)
        #expect(added["members"]?.arrayValue?.count == 10_000)
    }

    @Test(
        "a change that is wrong is refused with its kind",
        arguments: [
            (#"{"op": "move", "path": "active", "value": 1}"#, SCIMError.Kind.invalidSyntax),
            (#"{"op": "remove"}"#, .noTarget), (#"{"op": "add", "path": "active"}"#, .invalidValue),
            (#"{"op": "replace", "path": "active", "value": "maybe"}"#, .invalidValue),
            (#"{"op": "replace", "path": "id", "value": "x"}"#, .mutability),
            (#"{"op": "replace", "path": "groups", "value": []}"#, .mutability),
            (#"{"op": "remove", "path": "userName"}"#, .mutability),
            (#"{"op": "replace", "path": "emails[", "value": 1}"#, .invalidPath),
            (#"{"op": "replace", "path": "emails[type is 1]", "value": 1}"#, .invalidPath),
            (#"{"op": "replace", "path": "", "value": 1}"#, .invalidPath),
            (#"{"op": "replace", "value": 1}"#, .invalidValue),
            (#"{"op": "replace", "path": "title", "value": ["a"]}"#, .invalidValue),
            ("", .invalidSyntax),
        ])
    func refuses(operation: String, kind: SCIMError.Kind) {
        #expect {
            _ = try Self.changed(operation)
        } throws: {
            ($0 as? SCIMError)?.kind == kind
        }
    }
}
