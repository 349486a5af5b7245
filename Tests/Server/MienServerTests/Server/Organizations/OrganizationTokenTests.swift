import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Sign-ins through organizations: choices, claims, and their end.
@Suite("Sign-ins through organizations", .enabled(if: Installed.isThere, Installed.reason))
struct OrganizationTokenTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let verifier = String(repeating: "v", count: 43)

    private struct World: Sendable {
        let server: TestServer
        let north, south: OrganizationID

        func authorize(_ changed: [String: String?] = [:]) -> String {
            PagesTests.authorize("b2b", changed)
        }

        func redeem(_ code: String?) async throws -> TokenClient.Answer {
            try await TokenClient(server: server, app: "b2b").token(
                "authorization_code",
                [
                    ("code", code ?? ""), ("redirect_uri", PagesTests.redirect),
                    ("code_verifier", OrganizationTokenTests.verifier),
                ])
        }

        /// Signs in and redeems the code.
        func tokens(_ name: String, _ changed: [String: String?] = [:]) async throws
            -> TokenClient.Answer
        {
            let page = try await PageBrowser(server.address).signIn(authorize(changed), name: name)
            return try await redeem(page.parameters["code"])
        }

        func refresh(_ tokens: TokenClient.Answer) async throws -> TokenClient.Answer {
            try await TokenClient(server: server, app: "b2b").token(
                "refresh_token", [("refresh_token", tokens["refresh_token"] ?? "")])
        }

        func set(use: String, access: String = "all") async throws {
            _ = try await server.admin.updateApp(
                AppID("b2b")!,
                AppRequest(
                    name: "App b2b",
                    settings: [
                        "redirect_uris": [.string(PagesTests.redirect)], "sign_in_page": true,
                        "organizations": ["use": .string(use), "access": .string(access)],
                    ]))
        }
    }

    private func run(
        use: String = "require", access: String = "all",
        _ body: @Sendable (World) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await PagesTests.makeApp(
                "b2b", on: server,
                ["organizations": ["use": .string(use), "access": .string(access)]])
            for name in ["one", "two", "none"] { try await server.makeUser(name) }
            let north = try await server.makeOrganization(
                "North", ["one": ["billing", "admin"], "two": []])
            let south = try await server.makeOrganization("South", ["two": ["stock"]])
            try await body(World(server: server, north: north, south: south))
        }
    }

    private static func claims(_ token: String?) throws -> JSONValue {
        let parts = try #require(token).split(separator: ".")
        return try JSONText.parse(try #require(Base64URL.decode(String(parts[1]))))
    }

    @Test("a member of one organization signs in through it, and tokens carry it")
    func one() async throws {
        try await run { world in
            let tokens = try await world.tokens("one")
            #expect(tokens.status == 200, "\(tokens.body)")
            for name in ["access_token", "id_token"] {
                let claims = try Self.claims(tokens[name])
                #expect(claims["org_id"] == .string(world.north.text), "\(name)")
                #expect(claims["org_name"] == "North")
                #expect(claims["org_roles"] == ["admin", "billing"])
            }
            let client = TokenClient(server: world.server, app: "b2b")
            let info = try await client.send(
                .get, "/oauth2/userinfo",
                ["authorization": "Bearer \(tokens["access_token"] ?? "")"])
            #expect(info["org_id"] == world.north.text && info["org_name"] == "North")
            // Roles and names are those of today.
            let one = try await world.server.userID("one")
            _ = try await world.server.admin.changeRoles(of: one, in: world.north, to: ["stock"])
            _ = try await world.server.admin.updateOrganization(
                world.north, OrganizationRequest(name: "Northwind"))
            let renewed = try Self.claims(try await world.refresh(tokens)["access_token"])
            #expect(renewed["org_name"] == "Northwind" && renewed["org_roles"] == ["stock"])
        }
    }

    @Test("a member of several is asked, unless the app names one, and only by the right people")
    func several() async throws {
        try await run { world in
            let browser = PageBrowser(world.server.address)
            let asked = try await browser.signIn(world.authorize(), name: "two")
            // The page asks, after the form that allows the app.
            let address = try #require(
                asked.location ?? (asked.address.hasPrefix("/signin/") ? asked.address : nil))
            let page = try await browser.get(address)
            #expect(page.text.contains("North") && page.text.contains("South"))
            #expect(!page.text.contains("value=\"none\""), "the app requires one")
            let stranger = PageBrowser(world.server.address)
            #expect(try await stranger.get(address).text.contains("North") == false)
            let wrong = try await browser.submit(page, ["organization": "none"])
            #expect(wrong.parameters["code"] == nil && wrong.location == address)
            let again = try await browser.open(world.authorize())
            #expect(again.text.contains("North") && again.text.contains("South"), "asked again")
            let chosen = try await browser.submit(again, ["organization": world.south.text])
            let tokens = try await world.redeem(chosen.parameters["code"])
            #expect(try Self.claims(tokens["id_token"])["org_id"] == .string(world.south.text))
            #expect(try Self.claims(tokens["id_token"])["org_roles"] == ["stock"])

            // The app names one, by ID or external ID, without a question.
            _ = try await world.server.admin.updateOrganization(
                world.north, OrganizationRequest(externalID: "crm-1"))
            for name in [world.north.text, "crm-1"] {
                let silent = try await browser.get(
                    world.authorize(["organization": name, "prompt": "none"]))
                let tokens = try await world.redeem(silent.parameters["code"])
                #expect(
                    try Self.claims(tokens["id_token"])["org_id"] == .string(world.north.text),
                    "\(name)")
            }
            #expect(
                try await browser.get(world.authorize(["prompt": "none"])).parameters["error"]
                    == "interaction_required")
            #expect(
                try await browser.get(
                    world.authorize(["prompt": "none", "organization": "org_none"])
                ).parameters["error"] == "access_denied")
        }
    }

    @Test("without an organization the app refuses, and says so on the page")
    func none() async throws {
        try await run { world in
            let browser = PageBrowser(world.server.address)
            let answer = try await browser.signIn(world.authorize(), name: "none")
            let page = try await browser.get(answer.location ?? answer.address)
            #expect(page.text.contains("belongs to no organization"))
            let back = try await browser.submit(page, ["action": "back"])
            #expect(back.parameters["error"] == "access_denied", "\(back)")
            // A member of one, who is not a member of the one that the app asks for.
            let other = PageBrowser(world.server.address)
            let refused = try await other.signIn(
                world.authorize(["organization": world.south.text]), name: "one")
            #expect(
                try await other.get(refused.location ?? refused.address).text
                    .contains("through the organization that the app asked for"))
            // Optional organizations let such people in as themselves.
            try await world.set(use: "allow")
            let tokens = try await world.tokens("none")
            #expect(try Self.claims(tokens["id_token"])["org_id"] == nil)
            #expect(
                try Self.claims(try await world.tokens("one")["id_token"])["org_id"]
                    == .string(world.north.text))
            let alone = try await world.tokens("one", ["organization": "none"])
            #expect(try Self.claims(alone["id_token"])["org_id"] == nil)
            // An app that does not use organizations refuses the parameter.
            try await world.set(use: "off")
            #expect(
                try await browser.get(world.authorize(["organization": world.north.text]))
                    .parameters["error"] == "invalid_request")
            #expect(
                try Self.claims(try await world.tokens("one")["id_token"])["org_id"] == nil)
        }
    }

    @Test("a listed app is for the organizations that were allowed it")
    func listed() async throws {
        try await run(access: "listed") { world in
            let admin = world.server.admin, app = AppID("b2b")!
            #expect(try await world.tokens("one").status == 400)
            try await admin.allow(app, for: world.south)
            #expect(try await world.tokens("one").status == 400)
            let only = try await world.tokens("two")
            #expect(
                try Self.claims(only["id_token"])["org_id"] == .string(world.south.text),
                "the only one that may use it is chosen")
            try await admin.forbid(app, for: world.south)
            #expect(try await world.refresh(only).error == "invalid_grant")
        }
    }

    @Test(
        "sign-ins end with the membership, the organization, and its suspension",
        arguments: ["removed", "left", "deleted", "suspended", "ended", "required"])
    func ends(how: String) async throws {
        try await run(use: how == "required" ? "allow" : "require") { world in
            let admin = world.server.admin, one = try await world.server.userID("one")
            let tokens = try await world.tokens(
                "one", how == "required" ? ["organization": "none"] : [:])
            let other = try await world.tokens("two", ["organization": world.south.text])
            let access = ["authorization": "Bearer \(tokens["access_token"] ?? "")"]
            let client = TokenClient(server: world.server, app: "b2b")
            #expect(try await client.send(.get, "/oauth2/userinfo", access).status == 200)
            switch how {
            case "removed": try await admin.removeMember(one, from: world.north)
            case "deleted": try await admin.deleteOrganization(world.north)
            case "suspended":
                _ = try await admin.updateOrganization(
                    world.north, OrganizationRequest(state: .suspended))
            case "left", "ended":
                _ = try await admin.addMember("none", to: world.north, roles: ["admin"])
                let visitor = try await OrganizationVisitor(
                    how == "left" ? "one" : "none", world.server)
                let own = "/organizations/\(world.north.text)"
                if how == "left" {
                    #expect(try await visitor.status(.delete, "\(own)/membership") == 204)
                } else {
                    let seen = try await visitor.send(.get, "\(own)/members/\(one.text)").body
                    #expect(seen["sign_ins"]?.arrayValue?.count == 1)
                    #expect(
                        try await visitor.status(
                            .delete, "\(own)/members/\(one.text)/sign-ins") == 204)
                }
            default: try await world.set(use: "require")
            }
            if how != "required" {
                #expect(try await client.send(.get, "/oauth2/userinfo", access).status == 401)
            }
            #expect(try await world.refresh(tokens).error == "invalid_grant")
            #expect(try await world.refresh(other).status == 200, "through another organization")
        }
    }

    @Test("journeys choose an organization, or say why the app gets no token")
    func journeys() async throws {
        try await run { world in
            let server = world.server
            func run(_ name: String, _ organization: String? = nil) async throws -> JSONValue {
                var start: [String: JSONValue] = ["client_id": "b2b"]
                start["organization"] = organization.map { .string($0) }
                let begun = try await server.send(
                    .post, "/v1/journeys/password-login/start", JSONText.write(.object(start)))
                guard begun.status == 200 else { return begun.body }
                let answer: JSONValue = [
                    "state": begun.body["state"] ?? .null, "option": "password",
                    "data": ["username": .string(name), "password": "a password nobody has"],
                ]
                return try await server.send(
                    .post, "/v1/journeys/respond", JSONText.write(answer)
                ).body
            }
            let one = try await run("one")
            let claims = try Self.claims(one["token"]?.stringValue)
            #expect(claims["org_id"] == .string(world.north.text) && claims["org_name"] == "North")
            let none = try await run("none")
            #expect(none["journey_step_id"] == "rejection")
            #expect(none["error_data"]?["reason"] == "no_organization")
            let several = try await run("two")
            #expect(several["error_data"]?["reason"] == "organization_required")
            #expect(
                several["error_data"]?["organizations"]?.arrayValue?.compactMap {
                    $0["name"]?.stringValue
                } == ["North", "South"])
            #expect(
                try await run("one", world.south.text)["error_data"]?["reason"] == "not_a_member")
            let named = try await run("two", world.south.text)
            #expect(
                try Self.claims(named["token"]?.stringValue)["org_id"]
                    == .string(world.south.text))
            // The exchange keeps the organization that the journey chose.
            let exchanged = try await TokenClient(server: server, app: "b2b").token(
                TokenClient.exchange,
                [
                    ("subject_token", named["token"]?.stringValue ?? ""),
                    ("subject_token_type", TokenClient.jwt),
                    ("organization", world.north.text),
                ])
            #expect(
                try Self.claims(exchanged["access_token"])["org_id"]
                    == .string(world.south.text))
            // A choice of none is one, too.
            try await world.set(use: "allow")
            let without = try await run("one", "none")
            #expect(try Self.claims(without["token"]?.stringValue)["org_id"] == nil)
            for wished in [nil, world.north.text] {
                let fresh = try await run("one", "none")
                let answer = try await TokenClient(server: server, app: "b2b").token(
                    TokenClient.exchange,
                    [
                        ("subject_token", fresh["token"]?.stringValue ?? ""),
                        ("subject_token_type", TokenClient.jwt),
                    ] + (wished.map { [("organization", $0)] } ?? []))
                #expect(answer.status == 200, "\(answer.body)")
                #expect(try Self.claims(answer["access_token"])["org_id"] == nil)
            }
            // Wrong passwords are told as before: nothing about organizations.
            let wrong = try await server.send(
                .post, "/v1/journeys/password-login/start",
                JSONText.write(["client_id": "default_application", "organization": "org_1"]))
            #expect(
                wrong.status == 400
                    && wrong.body["errors"]?.arrayValue?.first?["field"] == "organization")
        }
    }
}
