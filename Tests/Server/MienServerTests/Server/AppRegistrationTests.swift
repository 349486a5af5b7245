import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienStore
import MienTesting
import Testing

/// Apps that programs register: RFC 7591, RFC 7592.
@Suite("Registration of apps", .enabled(if: Installed.isThere, Installed.reason))
struct AppRegistrationTests {
    private static let on = ["MIEN_APPS_REGISTRATION": "true"]

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withServer(
        _ settings: [String: String] = on, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: settings) { server in
            try await server.makeUser()
            try await body(server)
        }
    }

    private static func send(
        _ method: HTTPTransportRequest.Method, _ path: String, _ server: TestServer,
        _ token: String?, _ body: JSONValue? = nil
    ) async throws -> TokenClient.Answer {
        var headers: [String: String] = [:]
        if let token { headers["authorization"] = "Bearer \(token)" }
        if body != nil { headers["content-type"] = "application/json" }
        return try await TokenClient(server: server).send(
            method, path, headers, body.map { JSONText.write($0) } ?? "")
    }

    private static func register(
        _ server: TestServer, _ token: String?, _ changed: [String: JSONValue] = [:]
    ) async throws -> TokenClient.Answer {
        let base: [String: JSONValue] = [
            "client_name": "Dashboard", "redirect_uris": [.string(PageApp.redirect)],
        ]
        return try await send(
            .post, "/oauth2/register", server, token, .object(base.merging(changed) { $1 }))
    }

    private static func token(_ server: TestServer, uses: Int = 5) async throws -> String {
        let made = try await server.admin.makeRegistrationToken(
            RegistrationTokenRequest(name: "Build server", uses: uses))
        return try #require(made.token)
    }

    @Test("a program registers an app, whose users are asked, and which administrators see")
    func life() async throws {
        try await withServer { server in
            let token = try await Self.token(server)
            let made = try await Self.register(
                server, token,
                [
                    "initiate_login_uri": "https://app.example.org/login",
                    "policy_uri": "https://app.example.org/privacy", "software_id": "x",
                    "token_endpoint_auth_method": "client_secret_post",
                ])
            #expect(made.status == 201, "\(made.body)")
            #expect(made.headers["cache-control"] == "no-store")
            let id = try #require(made["client_id"]), secret = try #require(made["client_secret"])
            #expect(made.body["client_secret_expires_at"] == 0 && made["software_id"] == nil)
            #expect(made["id_token_signed_response_alg"] == "RS256")
            #expect(made["initiate_login_uri"] == "https://app.example.org/login")
            let app = PageApp(server: server, id: id, secret: secret)
            let browser = PageBrowser(server.address)
            let form = try await browser.open("/oauth2/authorize?\(app.query())")
            let asked = try await browser.submit(
                form,
                [
                    "option": "password", "f_username": "ada",
                    "f_password": "a password nobody has",
                ])
            let page = try await browser.open(asked.location ?? "")
            #expect(page.text.contains("Allow Dashboard to know who you are?"), "\(page.text)")
            #expect(page.text.contains("https://app.example.org/privacy"))
            let allowed = try await browser.submit(page, ["action": "allow"])
            let tokens = try await app.redeem(allowed.parameters["code"])
            #expect(tokens.status == 200, "\(tokens.body)")
            let header = try #require(tokens["id_token"]?.split(separator: ".").first)
            #expect(
                try JSONText.parse(try #require(Base64URL.decode(header)))["alg"] == "RS256")
            let answer = try await server.admin.app(#require(AppID(id)))
            #expect(!answer.isFirstParty && answer.registrationToken?.hasPrefix("irt_") == true)
            // Journeys of the API ask nobody for permission.
            let journey = await #expect(throws: MienError.self) {
                _ = try await JourneyClient(
                    MienOptions(
                        serverPath: server.address, applicationId: id,
                        clientSecret: Sensitive(secret), retry: RetryPolicy(attempts: 1))
                ).start("password-login")
            }
            #expect(journey?.problem?.code == .notPermitted)
            let listed = try await server.admin.registrationTokens()
            #expect(listed.map(\.used) == [1] && listed.first?.id == answer.registrationToken)
            #expect(listed.first?.token == nil)
            #expect(try await server.admin.audit(event: "app.registered").items.count == 1)
            #expect(!server.logs.text.contains(secret) && !server.logs.text.contains(token))
        }
    }

    @Test("the app is read, changed, and deleted with its own token only")
    func management() async throws {
        try await withServer { server in
            let token = try await Self.token(server)
            let made = try await Self.register(server, token)
            let other = try await Self.register(server, token)
            let address = try #require(made["registration_client_uri"])
            let path = try #require(URL(string: address)?.path)
            let access = try #require(made["registration_access_token"])
            let id = try #require(made["client_id"])
            let read = try await Self.send(.get, path, server, access)
            #expect(read.status == 200 && read["client_name"] == "Dashboard")
            #expect(read["client_secret"] == nil && read["registration_access_token"] == nil)
            for wrong in [
                nil, token, other["registration_access_token"], made["client_secret"], access + "x",
            ] {
                for method in [HTTPTransportRequest.Method.get, .put, .delete] {
                    let answer = try await Self.send(
                        method, path, server, wrong,
                        method == .put ? ["client_id": .string(id)] : nil)
                    #expect(answer.status == 401 && answer.error == "invalid_token")
                    #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
                }
            }
            // An administrator's setting outlives a change by the program.
            let before = try await server.admin.app(#require(AppID(id)))
            var settings = before.settings.objectValue ?? [:]
            settings["requires_dpop"] = true
            settings["sign_in_page"] = false
            settings["claims"] = ["groups": "roles"]
            _ = try await server.admin.updateApp(
                #require(AppID(id)), AppRequest(name: "Dashboard", settings: .object(settings)))
            let change: [String: JSONValue] = [
                "client_id": .string(id), "client_name": "Board",
                "redirect_uris": ["https://app.example.org/new"],
                "client_secret": .string(made["client_secret"] ?? ""),
                "dpop_bound_access_tokens": false,
            ]
            let changed = try await Self.send(.put, path, server, access, .object(change))
            #expect(changed.status == 200 && changed["client_name"] == "Board", "\(changed.body)")
            #expect(changed.body["redirect_uris"] == ["https://app.example.org/new"])
            let after = try await server.admin.app(#require(AppID(id)))
            #expect(after.settings["claims"]?["groups"] == "roles" && after.name == "Board")
            #expect(after.settings["requires_dpop"] == true)
            #expect(after.settings["sign_in_page"] != true, "people do not sign in again")
            // A first-party app is the administrator's.
            func setFirstParty(_ isFirstParty: Bool) async throws {
                _ = try await server.admin.updateApp(
                    #require(AppID(id)), AppRequest(name: "Board", isFirstParty: isFirstParty))
            }
            try await setFirstParty(true)
            #expect(try await Self.send(.put, path, server, access, .object(change)).status == 403)
            #expect(try await Self.send(.delete, path, server, access).status == 403)
            try await setFirstParty(false)
            for (wrong, value) in [
                ("client_id", "other"), ("client_secret", "x"),
                ("registration_access_token", .string(access)), ("client_id_issued_at", 5),
                ("token_endpoint_auth_method", "none"), ("redirect_uris", []),
            ] as [(String, JSONValue)] {
                let answer = try await Self.send(
                    .put, path, server, access, .object(change.merging([wrong: value]) { $1 }))
                #expect(answer.status == 400, "\(wrong) \(answer.body)")
            }
            #expect(try await Self.send(.delete, path, server, access).status == 204)
            #expect(try await Self.send(.get, path, server, access).status == 401)
            #expect(try await server.admin.apps().allSatisfy { $0.id != id })
            #expect(try await server.admin.audit(event: "app.deleted").items.count == 1)
        }
    }

    @Test("a token counts as often, and as long, as its administrator says")
    func counting() async throws {
        try await withServer { server in
            let once = try await Self.token(server, uses: 1)
            #expect(try await Self.register(server, once, ["redirect_uris": []]).status == 400)
            async let first = Self.register(server, once)
            async let second = Self.register(server, once)
            let statuses = try await [first.status, second.status].sorted()
            #expect(statuses == [201, 401], "of two at once, one")
            let late = try await Self.token(server)
            server.time.advance(.seconds(7 * 86_400))
            #expect(try await Self.register(server, late).status == 401)
            let revoked = try await Self.token(server)
            let id = try #require(try await server.admin.registrationTokens().last?.id)
            try await server.admin.revokeRegistrationToken(id)
            let refused = try await Self.register(server, revoked)
            #expect(refused.status == 401 && refused.error == "invalid_token")
            #expect(try await Self.register(server, nil).status == 401)
            #expect(try await Self.register(server, "irt_x.AAAA").status == 401)
            await #expect(throws: MienError.self) {
                try await server.admin.revokeRegistrationToken(id)
            }
            for wrong in [
                RegistrationTokenRequest(name: ""), .init(name: "x", uses: 0),
                .init(name: "x", days: 366),
            ] {
                await #expect(throws: MienError.self) {
                    _ = try await server.admin.makeRegistrationToken(wrong)
                }
            }
        }
    }

    @Test("it is off by default, and discovery says so")
    func off() async throws {
        try await withServer([:]) { server in
            let token = try await Self.token(server)
            #expect(try await Self.register(server, token).status == 404)
            let path = "/.well-known/openid-configuration"
            #expect(try await server.send(.get, path).body["registration_endpoint"] == nil)
        }
        try await TestServer.run(in: ScratchFolder(), settings: Self.on) { server in
            let discovery = try await server.send(.get, "/.well-known/openid-configuration").body
            #expect(
                discovery["registration_endpoint"]?.stringValue
                    == server.issuer + "/oauth2/register")
        }
    }

    @Test("hosts that the server may not call are refused, and PKCE is the administrator's choice")
    func policy() async throws {
        try await withServer { server in
            let token = try await Self.token(server)
            for (name, value) in [
                ("jwks_uri", "https://app.example.org/keys"),
                ("backchannel_logout_uri", "https://app.example.org/logout"),
                ("logo_uri", "https://app.example.org/logo.png"),
            ] {
                let answer = try await Self.register(server, token, [name: .string(value)])
                #expect(answer.status == 400 && answer.error == "invalid_client_metadata")
                #expect(answer["error_description"]?.contains("webhook.hosts") == true)
            }
            let strict = try await Self.register(server, token)
            let app = PageApp(
                server: server, id: strict["client_id"] ?? "", secret: strict["client_secret"])
            #expect(
                try await app.visit(PageApp.withoutPKCE).parameters["error"] == "invalid_request")
            let loose = try await server.admin.makeRegistrationToken(
                RegistrationTokenRequest(name: "Old software", uses: 2, requiresPKCE: false))
            let made = try await Self.register(server, loose.token)
            let free = PageApp(
                server: server, id: made["client_id"] ?? "", secret: made["client_secret"])
            #expect(try await free.visit(PageApp.withoutPKCE).parameters["error"] == nil)
            let open = try await Self.register(
                server, loose.token, ["token_endpoint_auth_method": "none"])
            #expect(open.status == 201 && open["client_secret"] == nil)
            let publicApp = PageApp(server: server, id: open["client_id"] ?? "", secret: nil)
            #expect(
                try await publicApp.visit(PageApp.withoutPKCE).parameters["error"]
                    == "invalid_request")
        }
    }

    @Test("answers about a person are signed for an app that asks for it")
    func signedUserInfo() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server, ["userinfo_signed_response_alg": "RS256"])
            let tokens = try await app.tokens(["scope": "openid profile"])
            let answer = try await AsyncHTTPTransport().send(
                HTTPTransportRequest(
                    method: .get, url: server.url("/oauth2/userinfo"),
                    headers: ["authorization": "Bearer \(tokens["access_token"] ?? "")"], body: [],
                    timeout: .seconds(60)))
            #expect(answer.headers["content-type"] == "application/jwt")
            let text = String(decoding: answer.body, as: UTF8.self)
            let claims = try TokenClient.claims(text)
            #expect(claims["aud"] == "web" && claims["preferred_username"] == "ada")
            #expect(claims["iss"]?.stringValue == server.issuer)
            let keys = try await server.send(.get, "/.well-known/jwks.json").body["keys"]
            let rsa = try #require(keys?.arrayValue?.first { $0["kty"] == "RSA" })
            #expect(throws: Never.self) {
                try JWS.parse(compact: text).verify(with: DevicePublicKey(jwk: rsa))
            }
            // It does not count as an ID token.
            let hint = try await PageBrowser(server.address).get(
                "/oauth2/logout?id_token_hint=\(text)")
            #expect(hint.status == 400)
        }
    }
}
