import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

/// Claims that apps read about people: by scope, by name, by the app's settings, and from journeys.
@Suite("Claims", .enabled(if: Installed.isThere, Installed.reason))
struct ClaimTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let attributes: [String: JSONValue] = [
        "given_name": "Ada", "family_name": "Lovelace", "locale": "en-GB",
        "zoneinfo": "Europe/London", "phone_number": "+442071234567", "locality": "London",
        "postal_code": "W1", "department": "Engines", "gender": 1,
    ]

    private func withServer(
        _ attributes: [String: JSONValue] = attributes,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            _ = try await server.admin.createUser(
                UserRequest(
                    username: "ada", email: "ada@example.org", password: "a password nobody has",
                    attributes: attributes))
            try await body(server)
        }
    }

    /// The claims at the UserInfo endpoint and in the ID token, without those of every token.
    private static func read(
        _ app: PageApp, _ changed: [String: String?], in browser: PageBrowser? = nil
    ) async throws -> (info: [String: JSONValue], idToken: [String: JSONValue]) {
        let tokens = try await app.tokens(changed, in: browser)
        let info = try await app.client.userInfo(tokens["access_token"])
        try #require(info.status == 200, "\(info.body)")
        let protocolNames: Set = [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "amr", "acr", "sid", "at_hash", "nonce",
        ]
        let claims = try TokenClient.claims(tokens["id_token"]).objectValue ?? [:]
        return (
            (info.body.objectValue ?? [:]).filter { $0.key != "sub" },
            claims.filter { !protocolNames.contains($0.key) }
        )
    }

    @Test("each scope tells its standard claims, at the UserInfo endpoint and in the ID token")
    func scopes() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server)
            #expect(try await Self.read(app, [:]).info == [:])
            #expect(try await Self.read(app, [:]).idToken == [:])
            let now = JSONValue.number(Double(server.time.now.seconds))
            for (scope, expected) in [
                (
                    "profile",
                    [
                        "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace",
                        "locale": "en-GB", "zoneinfo": "Europe/London",
                        "preferred_username": "ada", "updated_at": now,
                    ]
                ),
                (
                    "email",
                    [
                        "email": "ada@example.org", "email_verified": true,
                        "preferred_username": "ada",
                    ]
                ),
                ("phone", ["phone_number": "+442071234567", "phone_number_verified": false]),
                ("address", ["address": ["locality": "London", "postal_code": "W1"]]),
                ("groups", ["groups": []]),
            ] as [(String, [String: JSONValue])] {
                let (info, idToken) = try await Self.read(app, ["scope": "openid \(scope)"])
                #expect(info == expected, "\(scope)")
                #expect(idToken == expected, "\(scope)")
            }
        }
    }

    @Test("an app's settings map attributes to claims, and keep claims out of the ID token")
    func mapping() async throws {
        try await withServer { server in
            let app = try await PageApp.create(
                server,
                [
                    "claims": [
                        "attributes": [
                            "department": "https://app.example.org/department",
                            "locality": "address.region", "missing": "nickname",
                            "zoneinfo": "preferred_username",
                        ], "groups": "roles", "id_token": false,
                    ]
                ])
            let (info, idToken) = try await Self.read(
                app, ["scope": "openid profile address groups"])
            #expect(info["https://app.example.org/department"] == "Engines")
            #expect(info["address"]?["region"] == "London" && info["nickname"] == nil)
            #expect(info["preferred_username"] == "Europe/London")
            #expect(info["roles"] == [] && info["groups"] == nil)
            #expect(idToken == [:])
            for (attributes, path) in [
                (["a": "email"], "settings.claims.attributes.a"),
                (["a": "sub"], "settings.claims.attributes.a"),
                (["a": "two words"], "settings.claims.attributes.a"),
                (["a": "x", "b": "x"], "settings.claims.attributes"),
            ] as [([String: JSONValue], String)] {
                let error = await #expect(throws: MienError.self) {
                    _ = try await PageApp.create(
                        server, id: "wrong", ["claims": ["attributes": .object(attributes)]])
                }
                #expect(error?.problem?.errors?.first?.field == path)
            }
        }
    }

    @Test("an address that nobody verified is told to apps that may know it, as not verified")
    func unverified() async throws {
        try await withServer { server in
            let ada = try #require(try await server.admin.findUser("ada")?.id)
            _ = try await server.admin.updateUser(
                #require(UserID(ada)), UserRequest(emailVerified: false))
            let strict = try await PageApp.create(server, id: "strict"),
                open = try await PageApp.create(server, ["claims": ["unverified_email": true]])
            let request = ["scope": "openid email"]
            #expect(try await Self.read(strict, request).info == ["preferred_username": "ada"])
            let told = try await Self.read(open, request).info
            #expect(told["email"] == "ada@example.org" && told["email_verified"] == false)
        }
    }

    @Test("claims that are asked for by name are told where they were asked for")
    func named() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server)
            let claims = """
                {"userinfo": {"name": {"essential": true}, "unknown": null},
                 "id_token": {"locale": null, "auth_time": {"essential": true}}}
                """
            let tokens = try await app.tokens(["claims": claims, "scope": "openid offline_access"])
            let first = try await app.client.userInfo(tokens["access_token"])
            #expect(first["name"] == "Ada Lovelace" && first.body["given_name"] == nil)
            let idToken = try TokenClient.claims(tokens["id_token"])
            #expect(idToken["locale"] == "en-GB" && idToken["name"] == nil)
            let refreshed = try await app.client.refresh(tokens["refresh_token"])
            #expect(
                try await app.client.userInfo(refreshed["access_token"])["name"] == "Ada Lovelace")
            #expect(try TokenClient.claims(refreshed["id_token"])["locale"] == "en-GB")
            for wrong in ["[]", "{", #"{"userinfo": []}"#, #"{"id_token": {"name": "Ada"}}"#] {
                #expect(
                    try await app.visit(["claims": wrong]).parameters["error"]
                        == "invalid_request", "\(wrong)")
            }
        }
    }

    @Test("an app of others needs permission for claims that it asks for by name")
    func permission() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server, isFirstParty: false)
            let browser = PageBrowser(server.address)
            _ = try await app.tokens(in: browser)
            #expect(
                try await browser.get("/oauth2/authorize?\(app.query(["prompt": "none"]))")
                    .parameters["code"] != nil)
            let claims = #"{"userinfo": {"email": null}}"#
            let more = app.query(["prompt": "none", "claims": claims])
            #expect(
                try await browser.get("/oauth2/authorize?\(more)").parameters["error"]
                    == "consent_required")
            let page = try await browser.open(
                "/oauth2/authorize?\(app.query(["claims": claims]))")
            #expect(page.text.contains("see your email address"))
            let back = try await browser.submit(page, ["action": "allow"])
            let tokens = try await app.redeem(back.parameters["code"])
            #expect(tokens["scope"] == "openid")
            #expect(
                try await app.client.userInfo(tokens["access_token"])["email"]
                    == "ada@example.org")
        }
    }

    @Test("an essential acr that the sign-in does not reach, and another sub, are errors")
    func essential() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server)
            func error(_ claims: String) async throws -> String? {
                try await app.visit(["claims": claims]).parameters["error"]
            }
            #expect(
                try await error(#"{"id_token": {"acr": {"essential": true, "values": ["2"]}}}"#)
                    == "unmet_authentication_requirements")
            #expect(
                try await error(#"{"id_token": {"acr": {"essential": true, "values": ["1"]}}}"#)
                    == nil)
            #expect(try await error(#"{"id_token": {"acr": {"values": ["2"]}}}"#) == nil)
            let ada = try #require(try await server.admin.findUser("ada")?.id)
            let bob = try await server.makeUser("bob")
            #expect(try await error(#"{"id_token": {"sub": {"value": "\#(ada)"}}}"#) == nil)
            #expect(
                try await error(#"{"id_token": {"sub": {"value": "\#(bob.text)"}}}"#)
                    == "login_required")
        }
    }

    @Test("roles of the organization of a sign-in are groups")
    func roles() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server, ["organizations": ["use": "require"]])
            let north = try await server.admin.createOrganization(
                OrganizationRequest(name: "North"))
            _ = try await server.admin.addMember(
                "ada", to: #require(OrganizationID(north.id)), roles: ["editor", "admin"])
            let (info, idToken) = try await Self.read(app, ["scope": "openid groups"])
            #expect(info["groups"] == ["admin", "editor"] && idToken["groups"] == info["groups"])
        }
    }

    @Test("claims that a journey adds are in the tokens of the sign-in page, also after a refresh")
    func journey() async throws {
        try await withServer { server in
            let journey = try #require(JourneyID("told"))
            let text = """
                {"id": "told", "version": 1, "title": "Told", "start": "form", "steps": {
                  "form": {"type": "login_form", "on": {"password": "check"},
                    "config": {"branches": [{"id": "password"}], "output_variable": "form"}},
                  "check": {"type": "authenticate_password", "on": {"success": "done"},
                    "config": {"username": "form.username", "password": "form.password",
                      "failure_behavior": "abort"}},
                  "done": {"type": "complete_journey", "config": {"claims": {
                    "shift": "'night'", "email": "'typed@example.org'"}}}}}
                """
            _ = try await server.admin.putJourney(
                journey, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(journey, version: 1)
            let app = try await PageApp.create(server, ["sign_in_journey": "told"])
            let tokens = try await app.tokens(["scope": "openid offline_access"])
            let refreshed = try await app.client.refresh(tokens["refresh_token"])
            for answer in [tokens, refreshed] {
                for name in ["access_token", "id_token"] {
                    let claims = try TokenClient.claims(answer[name])
                    #expect(claims["shift"] == "night", "\(name)")
                    #expect(
                        claims["email"] == "typed@example.org" && claims["email_verified"] == false)
                    #expect(claims["journey"] == nil && claims["mien_proof"] == nil)
                }
                let info = try await app.client.userInfo(answer["access_token"])
                #expect(info["shift"] == "night")
            }
            // The account's own address is the one that the scope asks for.
            let own = try await Self.read(app, ["scope": "openid email"])
            #expect(own.idToken["email"] == "ada@example.org" && own.info["email_verified"] == true)
        }
    }
}
