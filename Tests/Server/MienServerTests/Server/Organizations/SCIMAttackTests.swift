import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

/// Directories that reach for what is not theirs, or for the server's time and memory.
@Suite(
    "Attacks by SCIM", .enabled(if: Installed.isThere, Installed.reason), .timeLimit(.minutes(10)))
struct SCIMAttackTests {
    private let scratch: ScratchFolder
    private static let off: JSONValue = [["op": "replace", "path": "active", "value": false]]
    private static let on: JSONValue = [["op": "replace", "path": "active", "value": true]]

    init() throws { scratch = try ScratchFolder() }

    private static func state(of user: UserID, _ server: TestServer) async throws -> String {
        try await server.admin.user(user).state.rawValue
    }

    @Test("an account that another organization has, too, is no longer the directory's to change")
    func shared() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office", domains: ["office.example"])
            let id = try await office.create("ada@office.example", ["displayName": "Ada"])
            let ada = try #require(UserID(id))
            let other = try await server.makeOrganization("Other", [id: ["admin"]])

            // Another name and an address that somebody else reads.
            let changed = try await office.patch(
                "Users/\(id)",
                [
                    ["op": "replace", "path": "displayName", "value": "Mallory"],
                    [
                        "op": "replace", "path": "emails",
                        "value": [["value": "mallory@office.example", "primary": true]],
                    ],
                ])
            #expect(changed.status == 200)
            let kept = try await server.admin.user(ada)
            #expect(kept.email == "ada@office.example" && kept.attributes["name"] == "Ada")

            #expect(try await office.patch("Users/\(id)", Self.off).body["active"] == false)
            #expect(try await Self.state(of: ada, server) == "active")
            #expect(try await server.admin.members(of: office.organization).items.isEmpty)
            #expect(try await server.admin.members(of: other).items.map(\.roles) == [["admin"]])
            _ = try await office.patch("Users/\(id)", Self.on)
            #expect(try await server.admin.members(of: office.organization).items.count == 1)

            #expect(try await office.send(.delete, "Users/\(id)").status == 204)
            #expect(try await office.send(.get, "Users/\(id)").status == 404)
            let left = try await server.admin.user(ada)
            #expect(left.emailVerified == false && left.externalID == nil)
            #expect(try await server.admin.members(of: other).items.count == 1)
            // Somebody else who gets the address is somebody else.
            #expect(try await office.create("ada@office.example") != id)
        }
    }

    @Test("a directory lifts no suspension but its own")
    func suspensions() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office", domains: ["office.example"])
            let id = try await office.create("ada@office.example"), ada = try #require(UserID(id))
            _ = try await server.admin.updateUser(ada, UserRequest(state: .suspended))
            _ = try await office.patch("Users/\(id)", Self.off)
            _ = try await office.patch("Users/\(id)", Self.on)
            #expect(try await Self.state(of: ada, server) == "suspended")
            _ = try await server.admin.updateUser(ada, UserRequest(state: .active))
            _ = try await office.patch("Users/\(id)", Self.off)
            #expect(try await Self.state(of: ada, server) == "suspended")
            _ = try await office.patch("Users/\(id)", Self.on)
            #expect(try await Self.state(of: ada, server) == "active")
            // An administrator decides while the directory's suspension holds.
            for states in [[.suspended], [.active, .suspended]] as [[UserRequest.State]] {
                _ = try await office.patch("Users/\(id)", Self.off)
                for state in states {
                    _ = try await server.admin.updateUser(
                        ada, UserRequest(state: state))
                }
                _ = try await office.patch("Users/\(id)", Self.on)
                #expect(try await Self.state(of: ada, server) == "suspended")
                _ = try await server.admin.updateUser(ada, UserRequest(state: .active))
            }
            // Silence lifts nothing.
            _ = try await office.patch("Users/\(id)", Self.off)
            _ = try await office.patch(
                "Users/\(id)", [["op": "replace", "value": ["active": .null]]])
            #expect(try await Self.state(of: ada, server) == "suspended")
        }
    }

    @Test("a person who is suspended is signed out everywhere at once, and signs in nowhere")
    func signOut() async throws {
        try await TestServer.run(in: scratch) { server in
            try await PagesTests.makeApp("shop", on: server)
            let office = try await SCIMDirectory(server, "Office", domains: ["office.example"])
            let id = try await office.create("ada@office.example"), ada = try #require(UserID(id))
            _ = try await server.admin.updateUser(
                ada, UserRequest(username: "ada", password: "a password nobody has"))
            let client = TokenClient(server: server)
            let tokens = try await client.signIn(
                "ada", [("scope", "openid offline_access")])
            #expect(try await client.userInfo(tokens["access_token"]).status == 200)
            let browser = PageBrowser(server.address)
            _ = try await browser.signIn("/signin")
            #expect(try await browser.open("/account").text.contains("ada"))

            _ = try await office.patch("Users/\(id)", Self.off)
            #expect(try await client.userInfo(tokens["access_token"]).status == 401)
            #expect(try await client.refresh(tokens["refresh_token"]).error == "invalid_grant")
            let page = try await browser.get("/account")
            #expect(page.location?.hasPrefix("/signin") == true, "\(page.status)")
            await #expect(throws: (any Error).self) { _ = try await client.signIn() }
        }
    }

    @Test("names that look the same are the same, in a directory and in its filters")
    func names() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office")
            let id = try await office.create("Stra\u{DF}e\u{301}")
            for name in ["STRASSE\u{301}", "strass\u{E9}", "stra\u{200B}sse\u{301}"] {
                let twice = try await office.send(
                    .post, "Users", ["schemas": [], "userName": .string(name)])
                #expect(twice.status == 409, "\(name)")
                let found = try await office.send(
                    .post, "Users/.search",
                    [
                        "schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
                        "filter": .string("userName eq \"\(name)\""),
                    ])
                #expect(found.body["Resources"]?.arrayValue?.first?["id"] == .string(id))
            }
        }
    }

    @Test("a filter cannot leave its directory, whatever it says")
    func filters() async throws {
        try await TestServer.run(in: scratch) { server in
            let one = try await SCIMDirectory(server, "One"),
                two = try await SCIMDirectory(server, "Two")
            let ada = try await one.create("ada")
            for filter in [
                "id eq \"\(ada)\"", "userName pr", "userName eq \"ada\" or id pr",
                #"userName eq "' OR '1'='1""#, #"userName sw "%""#, #"externalId eq "x' --""#,
                "organization_id pr", #"groups.value eq "1; DROP TABLE scim_user""#,
                "not (id eq \"x\")",
            ] {
                let found = try await two.send(
                    .post, "Users/.search",
                    [
                        "schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
                        "filter": .string(filter),
                    ])
                #expect(found.status == 200 && found.body["totalResults"] == 0, "\(filter)")
            }
            // Nor does a person of another directory come into a group.
            let refused = try await two.send(
                .post, "Groups",
                ["displayName": "Staff", "members": [["value": .string(ada)]]])
            #expect(refused.status == 400)
            #expect(try await two.send(.get, "Groups").body["totalResults"] == 0, "undone")
            let group = try await one.send(.post, "Groups", ["displayName": "Staff"])
            let address = "Groups/\(group.body["id"]?.stringValue ?? "")"
            #expect(try await two.send(.get, address).status == 404)
            #expect(try await two.send(.delete, address).status == 404)
            #expect(
                try await two.patch(address, [["op": "remove", "path": "members"]]).status == 404)
            #expect(try await one.send(.get, address).status == 200)
        }
    }

    @Test("huge filters, changes, bodies, and lists are refused or bounded")
    func giants() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office")
            let id = try await office.create("ada")
            let long = String(repeating: "a", count: 2000)
            let filter = try await office.send(.get, "Users?filter=userName%20eq%20%22\(long)%22")
            #expect(filter.status == 400 && filter.body["scimType"] == "invalidFilter")
            let operation: JSONValue = ["op": "replace", "path": "title", "value": "x"]
            let many = try await office.patch(
                "Users/\(id)", .array(Array(repeating: operation, count: 1001)))
            #expect(many.status == 400)
            let text = try await office.patch(
                "Users/\(id)", [["op": "replace", "path": "title", "value": .string(long)]])
            #expect(text.status == 400 && text.body["scimType"] == "invalidValue")
            let body = try await office.send(
                .put, "Users/\(id)",
                ["userName": "ada", "nothing": .string(String(repeating: "a", count: 1_100_000))])
            #expect(body.status == 413 && body.body["status"] == "413")
            let values = (0..<30).map { JSONValue.object(["value": .string("\($0)@x.example")]) }
            let emails = try await office.send(
                .put, "Users/\(id)", ["userName": "ada", "emails": .array(values)])
            #expect(emails.status == 400)
            let page = try await office.send(.get, "Users?count=100000&startIndex=-7")
            #expect(page.body["startIndex"] == 1 && page.body["itemsPerPage"] == 1)
            #expect(try await office.send(.get, "Users?startIndex=999999999").status == 200)
            #expect(try await office.send(.get, "Users?count=many").status == 400)
        }
    }

    @Test("errors are SCIM's own, also where there is nothing")
    func errors() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office")
            let id = try await office.create("ada")
            func check(
                _ status: Int, _ method: HTTPTransportRequest.Method, _ path: String,
                _ body: String = "", _ type: String = "application/scim+json",
                token: String? = nil
            ) async throws {
                let answer = try await AsyncHTTPTransport().send(
                    HTTPTransportRequest(
                        method: method, url: "\(server.address)/scim/v2/\(path)",
                        headers: [
                            "content-type": type,
                            "authorization": "Bearer \(token ?? office.token)",
                        ], body: Array(body.utf8)))
                #expect(answer.status == status, "\(path)")
                #expect(answer.headers["content-type"] == "application/scim+json", "\(path)")
                let value = try JSONText.parse(answer.body)
                #expect(
                    value["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"], "\(path)")
                #expect(value["status"] == .string("\(status)"), "\(path)")
            }
            try await check(401, .get, "Users", token: "nothing")
            try await check(401, .get, "Users", token: server.credential.use { $0 })
            try await check(404, .get, "Users/usr_nobody")
            try await check(404, .get, "Nothing")
            try await check(405, .put, "Users", "{}")
            try await check(400, .post, "Users", "{")
            try await check(400, .post, "Users", "{}")
            try await check(415, .post, "Users", "{}", "text/plain")
            try await check(501, .get, "Me")
            try await check(501, .post, "Bulk", "{}")
            try await check(400, .patch, "Users/\(id)", #"{"schemas": [], "Operations": []}"#)
            // The organization is suspended.
            _ = try await server.admin.updateOrganization(
                office.organization, OrganizationRequest(state: .suspended))
            try await check(403, .get, "Users")
        }
    }

    @Test("changes meet the version that they were based on, also of a person's groups")
    func versions() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office")
            let id = try await office.create("ada")
            func send(
                _ method: HTTPTransportRequest.Method, _ header: (String, String),
                _ title: String = "x"
            ) async throws -> (status: Int, version: String?) {
                let body: JSONValue = [
                    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ada",
                    "title": .string(title),
                ]
                let answer = try await AsyncHTTPTransport().send(
                    HTTPTransportRequest(
                        method: method, url: "\(server.address)/scim/v2/Users/\(id)",
                        headers: [
                            "content-type": "application/scim+json", header.0: header.1,
                            "authorization": "Bearer \(office.token)",
                        ], body: method == .get ? [] : Array(JSONText.write(body).utf8)))
                return (answer.status, answer.headers["etag"])
            }
            let first = try #require(try await send(.get, ("accept", "*/*")).version)
            #expect(try await send(.get, ("if-none-match", first)).status == 304)
            #expect(try await send(.put, ("if-match", first)).status == 200)
            #expect(try await send(.put, ("if-match", first), "y").status == 412)
            #expect(try await send(.put, ("if-match", "*"), "y").status == 200)
            let second = try #require(try await send(.get, ("accept", "*/*")).version)
            _ = try await office.send(
                .post, "Groups", ["displayName": "Staff", "members": [["value": .string(id)]]])
            #expect(try await send(.get, ("if-none-match", second)).status == 200)
            #expect(try await send(.delete, ("if-match", second)).status == 412)
        }
    }

    @Test("neither tokens nor what a directory says of people is logged")
    func logs() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office", domains: ["office.example"])
            let id = try await office.create(
                "grace.hopper@office.example", ["title": "Rear Admiral", "externalId": "E-4711"])
            _ = try await office.send(.get, "Users?filter=userName%20eq%20%22grace.hopper%22")
            _ = try await office.patch("Users/\(id)", [["op": "replace", "path": "nickname"]])
            _ = try await office.send(.post, "Users", ["userName": "grace hopper"])
            let secret = office.token.split(separator: ".").last.map(String.init) ?? ""
            let audit = try await server.admin.audit().items
            let logged = server.logs.text + "\(audit)"
            for word in [secret, "hopper", "Rear Admiral", "E-4711"] {
                #expect(!logged.contains(word), "\(word)")
            }
            #expect(audit.contains { $0.event == "organization.scim-user-created" })
        }
    }

    @Test("a large group is changed and listed in bounded time")
    func largeGroup() async throws {
        try await TestServer.run(in: scratch) { server in
            let office = try await SCIMDirectory(server, "Office")
            var members: [JSONValue] = []
            for index in 0..<300 {
                members.append(["value": .string(try await office.create("person\(index)"))])
            }
            let made = try await office.send(
                .post, "Groups", ["displayName": "All", "members": .array(members)])
            let id = made.body["id"]?.stringValue ?? ""
            #expect(made.status == 201)
            #expect(made.body["members"]?.arrayValue?.count == 300)
            let operations = members.map { member in
                JSONValue.object([
                    "op": "remove",
                    "path": .string("members[value eq \"\(member["value"]?.stringValue ?? "")\"]"),
                ])
            }
            let gone = try await office.patch("Groups/\(id)", .array(operations))
            #expect(gone.status == 200 && gone.body["members"] == nil)
            let all = try await office.send(.get, "Users?count=200&startIndex=201")
            #expect(all.body["totalResults"] == 300 && all.body["itemsPerPage"] == 100)
        }
    }
}
