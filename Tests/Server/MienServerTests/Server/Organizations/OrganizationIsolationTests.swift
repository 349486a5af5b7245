import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Every route below `/organization/api`, sent by everybody who could send it.
@Suite("Isolation of organizations", .enabled(if: Installed.isThere, Installed.reason))
struct OrganizationIsolationTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// A sender of requests about the organization North.
    private enum Sender: String, CaseIterable {
        case ownAdmin, ownMember, otherAdmin, nobodysMember, stranger
    }

    private struct World: Sendable {
        let server: TestServer
        let north, south: OrganizationID
        /// A member of North about whom requests are.
        let member: UserID
        let authenticator: String
        let senders: [String: OrganizationVisitor]

        init(_ server: TestServer) async throws {
            self.server = server
            try await PagesTests.makeApp("shop", on: server)
            for name in ["nora", "ned", "nina", "sara", "una"] { try await server.makeUser(name) }
            north = try await server.makeOrganization(
                "North", ["nora": ["admin"], "ned": ["admin"], "nina": ["billing"]])
            south = try await server.makeOrganization("South", ["sara": ["admin"]])
            member = try await server.userID("nina")
            authenticator = try #require(
                try await server.admin.authenticators(of: member).first {
                    $0.type.rawValue == "password"
                }
            ).id
            senders = [
                Sender.ownAdmin.rawValue: try await OrganizationVisitor("nora", server),
                Sender.ownMember.rawValue: try await OrganizationVisitor("nina", server),
                Sender.otherAdmin.rawValue: try await OrganizationVisitor("sara", server),
                Sender.nobodysMember.rawValue: try await OrganizationVisitor("una", server),
                Sender.stranger.rawValue: OrganizationVisitor(strangerTo: server),
            ]
        }

        func visitor(_ sender: Sender) -> OrganizationVisitor { senders[sender.rawValue]! }

        /// Both organizations, as administrators of the server see them.
        func state() async throws -> [String] {
            var lines: [String] = []
            for id in [north, south] {
                let organization = try await server.admin.organization(id)
                lines.append("\(organization)")
                lines += try await server.admin.members(of: id).items.map { "\($0)" }
                lines += try await server.admin.invitations(of: id).map { "\($0)" }
            }
            return lines
        }
    }

    /// The routes about one organization, from the API's description.
    private static func routes() throws -> [(method: String, path: String)] {
        let text = try Data(contentsOf: Repository.root.appending(path: "docs/openapi.json"))
        let document = try JSONText.parse(
            Array(text), limits: .init(maxBytes: 16 << 20, maxDepth: 64))
        var routes: [(method: String, path: String)] = []
        for (path, item) in try #require(document["paths"]?.objectValue) {
            guard path.hasPrefix(OrganizationVisitor.api) else { continue }
            for method in item.objectValue?.keys.sorted() ?? []
            where ["get", "put", "post", "delete"].contains(method) {
                routes.append(
                    (
                        method.uppercased(),
                        String(path.dropFirst(OrganizationVisitor.api.count))
                    ))
            }
        }
        return routes.sorted { $0 < $1 }
    }

    private static func body(_ method: String, _ path: String) -> JSONValue? {
        if path.hasSuffix("/roles") { return ["roles": ["billing", "stock"]] }
        if method == "POST", path.hasSuffix("{organization}/invitations") {
            return ["identifier": "new@example.org"]
        }
        return nil
    }

    @Test(
        "each route answers the organization's own administrators only, and changes nothing for others"
    )
    func everyCell() async throws {
        try await TestServer.run(in: scratch) { server in
            let world = try await World(server)
            let invitation = try await server.admin.invite("ned2@example.org", to: world.north)
            let own = try await server.admin.invite("una", to: world.north).id
            let routes = try Self.routes()
            #expect(routes.count == 15, "\(routes)")
            let inOrganization = routes.filter { $0.path.contains("{organization}") }
            #expect(inOrganization.count == 11)

            func send(
                _ sender: Sender, _ method: String, _ path: String,
                in organization: OrganizationID, headers: [String: String]? = nil
            ) async throws -> Int {
                let address = path.replacing("{organization}", with: organization.text)
                    .replacing("{user}", with: world.member.text)
                    .replacing("{authenticator}", with: world.authenticator)
                    .replacing("{invitation}", with: invitation.id)
                let visitor = world.visitor(sender)
                let method = try #require(HTTPTransportRequest.Method(rawValue: method))
                let body = Self.body(method.rawValue, path)
                if let headers {
                    return try await visitor.send(method, address, body, headers: headers).status
                }
                return try await visitor.status(method, address, body)
            }

            let before = try await world.state()
            for (method, path) in inOrganization {
                let isOwn = path.hasSuffix("/membership")
                for (sender, expected) in [
                    (Sender.ownMember, 403), (.otherAdmin, 404), (.nobodysMember, 404),
                    (.stranger, 401),
                ] where !(isOwn && sender == .ownMember) {
                    let status = try await send(sender, method, path, in: world.north)
                    #expect(status == expected, "\(sender) \(method) \(path): \(status)")
                }
                // An ID that names nothing, and one that is guessed.
                for guessed in ["org_none", "crm-1", world.member.text] {
                    let status = try await send(
                        .ownAdmin, method, path, in: try #require(OrganizationID(guessed)))
                    #expect(status == 404, "\(guessed) \(method) \(path): \(status)")
                }
                // Another origin's page, and a form.
                for headers in [
                    [:], ["mien-portal": "1", "sec-fetch-site": "cross-site"],
                    ["mien-portal": "1", "sec-fetch-site": "same-site"], ["mien-portal": "0"],
                ] {
                    let status = try await send(
                        .ownAdmin, method, path, in: world.north, headers: headers)
                    #expect(status == 403, "\(headers) \(method) \(path): \(status)")
                }
            }
            for (method, path) in routes where path.hasPrefix("/invitations") {
                for sender in [Sender.ownAdmin, .ownMember, .otherAdmin, .nobodysMember] {
                    let status = try await send(sender, method, path, in: world.north)
                    #expect(status == 404, "not invited: \(sender) \(method) \(path)")
                }
                #expect(try await send(.stranger, method, path, in: world.north) == 401)
            }
            for (method, path) in routes where path == "/me" || path == "/session" {
                #expect(try await send(.stranger, method, path, in: world.north) == 401)
            }
            #expect(try await world.state() == before, "refused requests change nothing")

            // Members of other organizations are not found in one's own.
            let admin = world.visitor(.ownAdmin), sara = try await server.userID("sara")
            for (method, path) in inOrganization where path.contains("{user}") {
                let address = path.replacing("{organization}", with: world.north.text)
                    .replacing("{user}", with: sara.text)
                    .replacing("{authenticator}", with: world.authenticator)
                let status = try await admin.status(
                    try #require(HTTPTransportRequest.Method(rawValue: method)), address,
                    Self.body(method, path))
                #expect(status == 404, "\(method) \(path): \(status)")
            }
            for name in ["sara", "sara@example.org", sara.text, "una", "nobody"] {
                let found = try await admin.send(
                    .get,
                    "/organizations/\(world.north.text)/members?identifier=\(name.replacing("@", with: "%40"))"
                )
                #expect(found.status == 200 && found.body["items"] == [], "\(name)")
            }
            #expect(try await world.state() == before)

            // The organization's own administrator may do all of it. Removals come last.
            let ordered = inOrganization.sorted { one, two in
                (one.method == "DELETE" ? 1 : 0, one.path.count) < (
                    two.method == "DELETE" ? 1 : 0, two.path.count
                )
            }.filter { !$0.path.hasSuffix("/membership") }
            let removals = ordered.filter { $0.method == "DELETE" }.sorted {
                $0.path.count > $1.path.count
            }
            for (method, path) in ordered.filter({ $0.method != "DELETE" }) + removals {
                let status = try await send(.ownAdmin, method, path, in: world.north)
                #expect((200..<300).contains(status), "\(method) \(path): \(status)")
            }
            #expect(
                Set(try await server.admin.members(of: world.north).items.map(\.username))
                    == ["ned", "nora"])
            // The invited person accepts, others could not.
            let una = world.visitor(.nobodysMember)
            #expect(try await una.invitations() == [own])
            #expect(try await una.status(.post, "/invitations/\(own)") == 200)
            #expect(try await una.organizations() == ["North"])
            #expect(
                try await una.status(.delete, "/organizations/\(world.north.text)/membership")
                    == 204)
            #expect(try await una.organizations() == [])
            let south = try await world.state().filter {
                $0.contains("South") || $0.contains("sara")
            }
            #expect(before.filter { $0.contains("South") || $0.contains("sara") } == south)
        }
    }

    @Test("what an administrator lost a moment ago counts no longer, while signed in")
    func lost() async throws {
        try await TestServer.run(in: scratch) { server in
            let world = try await World(server)
            let admin = world.visitor(.ownAdmin), nora = try await server.userID("nora")
            let members = "/organizations/\(world.north.text)/members"
            #expect(try await admin.status(.get, members) == 200)
            // Demoted.
            _ = try await server.admin.changeRoles(of: nora, in: world.north, to: ["billing"])
            #expect(try await admin.status(.get, members) == 403)
            #expect(
                try await admin.status(.delete, "\(members)/\(world.member.text)") == 403)
            _ = try await server.admin.changeRoles(of: nora, in: world.north, to: ["admin"])
            #expect(try await admin.status(.get, members) == 200)
            // Suspended organization.
            _ = try await server.admin.updateOrganization(
                world.north, OrganizationRequest(state: .suspended))
            #expect(try await admin.status(.get, members) == 403)
            _ = try await server.admin.updateOrganization(
                world.north, OrganizationRequest(state: .active))
            // Removed.
            try await server.admin.removeMember(nora, from: world.north)
            #expect(try await admin.status(.get, members) == 404)
            _ = try await server.admin.addMember("nora", to: world.north, roles: ["admin"])
            #expect(try await admin.status(.get, members) == 200)
            // The member left while the administrator looked at the page.
            try await server.admin.removeMember(world.member, from: world.north)
            #expect(try await admin.status(.get, "\(members)/\(world.member.text)") == 404)
            #expect(
                try await admin.status(
                    .put, "\(members)/\(world.member.text)/roles", ["roles": ["admin"]]) == 404)
            // The sign-in has ended.
            try await server.admin.markCompromised(nora)
            #expect(try await admin.status(.get, members) == 401)
            // Suspended account.
            let ned = try await OrganizationVisitor("ned", server)
            #expect(try await ned.status(.get, members) == 200)
            _ = try await server.admin.updateUser(
                server.userID("ned"), UserRequest(state: .suspended))
            #expect(try await ned.status(.get, members) == 401)
            // Deleted organization.
            let sara = world.visitor(.otherAdmin)
            try await server.admin.deleteOrganization(world.south)
            #expect(
                try await sara.status(.get, "/organizations/\(world.south.text)/members") == 404)
            #expect(try await sara.organizations() == [])
        }
    }

    @Test("giving somebody access needs a sign-in of the last ten minutes; one's own roles stay")
    func fresh() async throws {
        try await TestServer.run(in: scratch) { server in
            let world = try await World(server)
            let admin = world.visitor(.ownAdmin), own = "/organizations/\(world.north.text)"
            let nora = try await server.userID("nora")
            #expect(
                try await admin.status(.put, "\(own)/members/\(nora.text)/roles", ["roles": []])
                    == 409)
            #expect(try await admin.status(.delete, "\(own)/members/\(nora.text)") == 409)
            server.time.advance(.seconds(601))
            let roles = "\(own)/members/\(world.member.text)/roles"
            let refused = try await admin.send(.put, roles, ["roles": ["admin"]])
            #expect(
                refused.status == 401
                    && refused.body["code"] == "insufficient_user_authentication")
            #expect(
                try await admin.status(
                    .post, "\(own)/invitations", ["identifier": "x@example.org"]) == 401)
            #expect(try await admin.status(.get, "\(own)/members") == 200, "reading goes on")
            // Another organization's administrator is told nothing new.
            #expect(
                try await world.visitor(.otherAdmin).status(.put, roles, ["roles": ["admin"]])
                    == 404)
            // The page leads to a new sign-in and back.
            let again = try await admin.browser.get(
                "/organization/sign-in?back=/organization/\(world.north.text)")
            let flow = try #require(again.location)
            #expect(flow.hasPrefix("/signin/"))
            let back = try await admin.browser.submit(
                admin.browser.get(flow),
                ["option": "password", "f_username": "nora", "f_password": "a password nobody has"])
            #expect(back.location == "/organization/\(world.north.text)")
            #expect(try await admin.status(.put, roles, ["roles": ["admin"]]) == 200)
            for elsewhere in [
                "//evil.example", "/account", "/organization/api/v1/me", "/organization/../x",
            ] {
                let page = try await admin.browser.get(
                    "/organization/sign-in?back=\(elsewhere)")
                let flow = try #require(page.location)
                let end = try await admin.browser.submit(
                    admin.browser.get(flow),
                    [
                        "option": "password", "f_username": "nora",
                        "f_password": "a password nobody has",
                    ])
                #expect(end.location == "/organization", "\(elsewhere)")
            }
        }
    }

    @Test("the pages lead strangers to the sign-in, and serve scripts under a strict policy")
    func pages() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await PagesTests.makeApp("shop", on: server)
            let stranger = PageBrowser(server.address)
            for path in [
                "/organization", "/organization/org_1", "/organization/org_1/members/usr_1",
            ] {
                #expect(try await stranger.get(path).location?.hasPrefix("/signin/") == true)
            }
            let ada = try await OrganizationVisitor("ada", server)
            let page = try await ada.browser.get("/organization")
            #expect(page.status == 200 && page.text.contains("data-base=\"/organization\""))
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            #expect(policy.contains("require-trusted-types-for 'script'"))
            #expect(page.headers["x-frame-options"] == "DENY")
            for asset in [
                "organization/main.js", "organization/member.js", "dom.js", "portal.css",
                "languages/en.json",
            ] {
                #expect(
                    try await stranger.get("/organization/assets/\(asset)").status == 200,
                    "\(asset)")
            }
            // Scripts of the admin portal are not served to the public.
            for asset in ["users.js", "shell.js", "administrators.js"] {
                #expect(try await stranger.get("/organization/assets/\(asset)").status == 404)
            }
            #expect(try await ada.browser.get("/organization/api/v1/none").status == 404)
            #expect(try await ada.status(.delete, "/session") == 204)
        }
    }
}
