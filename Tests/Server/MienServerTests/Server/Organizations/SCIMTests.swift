import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

/// Directories of organizations, which manage people by SCIM.
@Suite("SCIM", .enabled(if: Installed.isThere, Installed.reason), .timeLimit(.minutes(10)))
struct SCIMTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("a directory creates, changes, suspends, and deletes the people that it owns")
    func owned() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(
                server, "Northwind", domains: ["northwind.example"])
            let id = try await office.create(
                "Ada@northwind.example",
                ["externalId": "A1", "name": ["givenName": "Ada", "familyName": "King"]])
            let found = try #require(try await server.admin.findUser("ada@northwind.example"))
            #expect(found.id == id && found.emailVerified == true)
            #expect(found.attributes["given_name"] == "Ada")
            let user = try #require(UserID(id))
            #expect(
                try await server.admin.members(of: office.organization).items.map(\.id) == [id])

            let twice = try await office.send(
                .post, "Users", ["schemas": [], "userName": "ADA@northwind.example"])
            #expect(twice.status == 409 && twice.body["scimType"] == "uniqueness")
            for filter in [
                #"userName eq "ada@NORTHWIND.example""#, #"externalId eq "A1""#,
                #"name.familyName sw "k" and active eq true"#,
            ] {
                let query = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
                let list = try await office.send(.get, "Users?filter=\(query)")
                #expect(list.body["totalResults"] == 1, "\(filter)")
            }
            let form = try await office.send(
                .get, "Users?filter=userName+eq+%22ada@northwind.example%22+and+active+eq+true")
            #expect(form.body["totalResults"] == 1)
            let wrong = try await office.send(.get, "Users?filter=userName%20is%201")
            #expect(wrong.status == 400 && wrong.body["scimType"] == "invalidFilter")

            // Entra ID's request.
            let off = try await office.patch(
                "Users/\(id)", [["op": "Replace", "path": "active", "value": "False"]])
            #expect(off.status == 200 && off.body["active"] == false)
            #expect(try await server.admin.user(user).state.rawValue == "suspended")
            let on = try await office.patch(
                "Users/\(id)", [["op": "replace", "value": ["active": true]]])
            #expect(on.body["active"] == true)
            #expect(try await server.admin.user(user).state.rawValue == "active")

            #expect(try await office.send(.delete, "Users/\(id)").status == 204)
            #expect(try await office.send(.get, "Users/\(id)").status == 404)
            #expect(try await server.admin.findUser("ada@northwind.example") == nil)
        }
    }

    @Test("a directory neither suspends, changes, nor deletes an account that it did not create")
    func foreign() async throws {
        try await TestServer.run(in: scratch) { server in
            let ada = try await server.makeUser()
            let office = try await SCIMDirectory(server, "Example", domains: ["example.org"])
            let id = try await office.create(
                "ada@example.org", ["name": ["givenName": "Mallory"]])
            #expect(id == ada.text)
            let off = try await office.patch(
                "Users/\(id)", [["op": "replace", "path": "active", "value": false]])
            #expect(off.body["active"] == false)
            let kept = try await server.admin.user(ada)
            #expect(kept.state.rawValue == "active" && kept.attributes.isEmpty)
            #expect(kept.username == "ada")
            #expect(try await server.admin.members(of: office.organization).items.isEmpty)
            #expect(try await office.send(.delete, "Users/\(id)").status == 204)
            #expect(try await server.admin.user(ada).id == id)
        }
    }

    @Test("an address that the directory may not vouch for names nobody")
    func vouching() async throws {
        try await TestServer.run(in: scratch) { server in
            let ada = try await server.makeUser()
            let office = try await SCIMDirectory(server, "Other", domains: ["other.example"])
            let id = try await office.create("ada@example.org")
            #expect(id != ada.text)
            let made = try await server.admin.user(#require(UserID(id)))
            #expect(made.emailVerified == false)
            // Nor does a subdomain, or a text that only ends like one.
            for name in ["eve@sub.other.example", "eve@another.example"] {
                let id = try await office.create(name)
                #expect(
                    try await server.admin.user(#require(UserID(id))).emailVerified == false)
            }
        }
    }

    @Test("groups are roles in the organization, and never make its administrators")
    func groups() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Northwind")
            let ada = try await office.create("ada"), bob = try await office.create("bob")
            func roles() async throws -> [[String]] {
                let members = try await server.admin.members(of: office.organization).items
                return [ada, bob].map { id in members.first { $0.id == id }?.roles ?? ["nobody"] }
            }
            let made = try await office.send(
                .post, "Groups",
                [
                    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"],
                    "displayName": "Sales Team", "members": [["value": .string(ada)]],
                ])
            #expect(made.status == 201)
            let id = try #require(made.body["id"]?.stringValue)
            #expect(try await roles() == [["sales-team"], []])
            _ = try await office.patch(
                "Groups/\(id)",
                [["op": "Add", "path": "members", "value": [["value": .string(bob)]]]])
            #expect(try await roles() == [["sales-team"], ["sales-team"]])
            _ = try await office.patch(
                "Groups/\(id)",
                [["op": "replace", "value": ["displayName": "Sellers"]]])
            #expect(try await roles() == [["sellers"], ["sellers"]])
            _ = try await office.patch(
                "Groups/\(id)",
                [["op": "Remove", "path": .string("members[value eq \"\(ada)\"]")]])
            #expect(try await roles() == [[], ["sellers"]])
            #expect(
                try await office.send(.get, "Users/\(bob)").body["groups"]?.arrayValue?.count == 1)
            for name in ["Admin", "ADMIN", " admin "] {
                let refused = try await office.send(
                    .post, "Groups", ["displayName": .string(name)])
                #expect(refused.status == 400 && refused.body["scimType"] == "invalidValue")
            }
            let stranger = try await server.makeUser("stranger")
            let refused = try await office.patch(
                "Groups/\(id)",
                [["op": "add", "path": "members", "value": [["value": .string(stranger.text)]]]])
            #expect(refused.status == 400)
            #expect(try await office.send(.delete, "Groups/\(id)").status == 204)
            #expect(try await roles() == [[], []])
        }
    }

    @Test("a directory sees nothing of another one, and a revoked token nothing at all")
    func isolation() async throws {
        try await TestServer.run(in: scratch) { server in
            let one = try await SCIMDirectory(server, "One"),
                two = try await SCIMDirectory(server, "Two")
            let id = try await one.create("ada")
            for method in [HTTPTransportRequest.Method.get, .delete] {
                #expect(try await two.send(method, "Users/\(id)").status == 404)
            }
            #expect(try await two.send(.get, "Users").body["totalResults"] == 0)
            // The same name is free in the other directory.
            #expect(try await two.create("ada") != id)
            let tokens = try await server.admin.scimTokens(of: one.organization)
            #expect(tokens.count == 1 && tokens[0].token == nil && tokens[0].usedAt != nil)
            let token = try #require(SCIMTokenID(tokens[0].id))
            await #expect(throws: MienError.self) {
                try await server.admin.revokeSCIMToken(token, of: two.organization)
            }
            try await server.admin.revokeSCIMToken(token, of: one.organization)
            let refused = try await one.send(.get, "Users")
            #expect(refused.status == 401)
            #expect(
                refused.body["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"])
            #expect(!server.logs.text.contains(one.token))
        }
    }

    @Test(
        "scim2-tester finds nothing wrong", .enabled(if: Peer.isThere, Peer.reason))
    func outside() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(
                server, "Northwind", domains: ["northwind.example"])
            let checks = try await Peer(
                "directory",
                ["server": .string("\(server.address)/scim/v2"), "token": .string(office.token)]
            ).rest()
            #expect(checks.count > 20)
            for check in checks where check["status"] != "SUCCESS" {
                #expect(
                    check["status"] == "SKIPPED" || check["status"] == "ACCEPTABLE",
                    "\(check)")
            }
        }
    }
}
