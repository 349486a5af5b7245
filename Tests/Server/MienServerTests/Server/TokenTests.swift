import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite("Tokens", .enabled(if: Installed.isThere, Installed.reason))
struct TokenTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withUser(_ body: @Sendable (TestServer, TokenClient) async throws -> Void)
        async throws
    {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await body(server, TokenClient(server: server))
        }
    }

    private static func set(
        _ settings: JSONValue, _ server: TestServer, app: String = "default_application"
    ) async throws {
        _ = try await server.admin.updateApp(
            AppID(app)!, AppRequest(name: "App", settings: settings))
    }

    @Test(
        "a refresh token is valid once, or twice within ten seconds; reuse ends the whole sign-in")
    func rotation() async throws {
        try await withUser { server, client in
            let first = try await client.signIn(),
                second = try await client.refresh(first["refresh_token"])
            #expect(second.status == 200 && second["refresh_token"] != first["refresh_token"])
            #expect(try await client.userInfo(second["access_token"]).status == 200)
            server.time.advance(.milliseconds(9999))
            let again = try await client.refresh(first["refresh_token"])
            #expect(again.status == 200 && again["refresh_token"] == second["refresh_token"])
            for answer in [second, again] {
                #expect(try await client.userInfo(answer["access_token"]).status == 200)
            }
            server.time.advance(.milliseconds(1))
            let replayed = try await client.refresh(first["refresh_token"])
            #expect(replayed.status == 400 && replayed.error == "invalid_grant")
            #expect(
                try await client.refresh(second["refresh_token"]).error == "invalid_grant",
                "the token family has ended")
            #expect(try await client.userInfo(second["access_token"]).status == 401)
            #expect(try await server.admin.audit().items.contains { $0.event == "tokens.reused" })
            for made in [
                "", "x", "grt_AAAAAAAAAAAAAAAAAAAAAA.AAAA", "\(first["refresh_token"] ?? "")x",
            ] {
                #expect(
                    try await client.refresh(made).error
                        == (made.isEmpty ? "invalid_request" : "invalid_grant"))
            }
        }
    }

    @Test(
        "a client whose refresh response was lost gets it again, until the new token is used"
    )
    func lostAnswers() async throws {
        try await withUser { server, client in
            let first = try await client.signIn(),
                mine = [("repeat_key", "a key that nobody else knows")]
            let second = try await client.refresh(first["refresh_token"], mine)
            server.time.advance(.seconds(599))
            let again = try await client.refresh(first["refresh_token"], mine)
            #expect(
                again.status == 200 && again["refresh_token"] == second["refresh_token"]
                    && again["access_token"] != second["access_token"])
            #expect(try await client.userInfo(again["access_token"]).status == 200)
            let third = try await client.refresh(
                second["refresh_token"], [("repeat_key", "another key for another time")])
            #expect(third.status == 200)
            #expect(
                try await client.refresh(first["refresh_token"], mine).error == "invalid_grant",
                "the token after it was used")
            #expect(
                try await client.refresh(third["refresh_token"]).error == "invalid_grant",
                "the token family has ended")
            for short in ["fifteen letters", String(repeating: "x", count: 129)] {
                let other = try await client.signIn()
                #expect(
                    try await client.refresh(other["refresh_token"], [("repeat_key", short)]).error
                        == "invalid_request")
                #expect(
                    try await client.refresh(other["refresh_token"]).status == 200,
                    "nothing was used up")
            }
            let taken = try await client.signIn()
            _ = try await client.refresh(taken["refresh_token"], mine)
            #expect(
                try await client.refresh(
                    taken["refresh_token"], [("repeat_key", "somebody else's key")]
                ).error == "invalid_grant")
            #expect(try await server.admin.audit().items.count { $0.event == "tokens.reused" } == 2)
        }
    }

    @Test("concurrent refreshes with one token get the same next token, unless they are marked")
    func race() async throws {
        try await withUser { server, client in
            func race(_ fields: @escaping @Sendable (Int) -> [(String, String)]) async throws
                -> [TokenClient.Answer]
            {
                let token = try await client.signIn()["refresh_token"]
                return try await withThrowingTaskGroup(of: TokenClient.Answer.self) { tasks in
                    for index in 0..<16 {
                        tasks.addTask { try await client.refresh(token, fields(index)) }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
            }
            let alike = try await race { _ in [] }
            #expect(alike.allSatisfy { $0.status == 200 })
            #expect(Set(alike.map { $0["refresh_token"] }).count == 1)
            for answer in alike {
                #expect(try await client.userInfo(answer["access_token"]).status == 200)
            }
            #expect(try await client.refresh(alike[0]["refresh_token"]).status == 200)
            let marked = try await race { [("repeat_key", "the repeat key of client \($0)")] }
            #expect(
                marked.count { $0.status == 200 } == 1 && marked.count { $0.status == 400 } == 15)
        }
    }

    @Test("the finance example: an hour after signing in, or half an hour idle")
    func finance() async throws {
        try await withUser { server, client in
            try await Self.set(
                [
                    "tokens": [
                        "refresh_token_seconds": 3600, "expire_after_idling": true,
                        "idle_seconds": 1800,
                    ]
                ], server)
            var busy = try await client.signIn()
            for _ in 1...3 {
                server.time.advance(.seconds(1190))
                busy = try await client.refresh(busy["refresh_token"])
                #expect(busy.status == 200)
            }
            #expect(
                busy.body["expires_in"]?.numberValue == 30,
                "an access token does not outlive the sign-in")
            server.time.advance(.seconds(31))
            #expect(
                try await client.refresh(busy["refresh_token"]).error == "invalid_grant",
                "the hour has passed")
            let idle = try await client.signIn()
            server.time.advance(.seconds(1800))
            #expect(try await client.refresh(idle["refresh_token"]).error == "invalid_grant")
            #expect(try await client.userInfo(idle["access_token"]).status == 401)
        }
    }

    @Test("a journey's token can be exchanged once, by its own app")
    func exchange() async throws {
        try await withUser { server, client in
            let journey = try await server.client().start("password-login")
            for try await step in journey.steps {
                try await step.respond(
                    "password", ["username": "ada", "password": "a password nobody has"])
            }
            guard case .success(let secret) = await journey.outcome() else {
                throw CancellationError()
            }
            let token = secret.use { $0 }
            func exchange(_ token: String, _ client: TokenClient, type: String = TokenClient.jwt)
                async throws -> TokenClient.Answer
            {
                try await client.token(
                    TokenClient.exchange, [("subject_token", token), ("subject_token_type", type)])
            }
            let other = try await server.admin.createApp(AppRequest(id: "other_app", name: "Other"))
            #expect(
                try await exchange(token, TokenClient(server: server, app: other.id)).error
                    == "invalid_grant")
            #expect(
                try await exchange(token, client, type: "urn:ietf:params:oauth:token-type:saml2")
                    .error == "invalid_request")
            let answer = try await exchange(token, client)
            #expect(
                answer.status == 200
                    && answer["issued_token_type"]?.hasSuffix("access_token") == true)
            #expect(try await exchange(token, client).error == "invalid_grant", "once")
            #expect(
                try await exchange(try #require(answer["access_token"]), client).error
                    == "invalid_grant", "an access token is not a journey's token")
            #expect(
                try await exchange(try #require(answer["id_token"]), client).error
                    == "invalid_grant", "nor is an ID token")
        }
    }

    @Test("tokens of a suspended or deleted user are rejected everywhere")
    func suspended() async throws {
        try await withUser { server, client in
            let tokens = try await client.signIn()
            let user = try await server.userID("ada")
            _ = try await server.admin.updateUser(user, UserRequest(state: .suspended))
            #expect(try await client.refresh(tokens["refresh_token"]).error == "invalid_grant")
            #expect(try await client.userInfo(tokens["access_token"]).status == 401)
            _ = try await server.admin.updateUser(user, UserRequest(state: .active))
            #expect(
                try await client.refresh(tokens["refresh_token"]).error == "invalid_grant",
                "a suspension ends every sign-in for good")
            let later = try await client.signIn()
            #expect(try await client.userInfo(later["access_token"]).status == 200)
            try await server.admin.deleteUser(user)
            #expect(try await client.refresh(later["refresh_token"]).error == "invalid_grant")
            #expect(try await client.userInfo(later["access_token"]).status == 401)
        }
    }

    @Test("a new password ends all sign-ins")
    func newPassword() async throws {
        try await withUser { server, client in
            let tokens = try await client.signIn()
            let user = try await server.userID("ada")
            _ = try await server.admin.updateUser(
                user, UserRequest(password: "another password here"))
            #expect(try await client.refresh(tokens["refresh_token"]).error == "invalid_grant")
            #expect(try await client.userInfo(tokens["access_token"]).status == 401)
        }
    }

    @Test("an app can revoke and introspect its own tokens")
    func revocation() async throws {
        try await withUser { server, visitor in
            let made = try await server.admin.createApp(
                AppRequest(
                    id: "backend", name: "Backend", type: .confidential,
                    settings: ["client_scopes": ["reports"]]))
            let backend = TokenClient(server: server, app: made.id, secret: made.clientSecret)
            let wrong = TokenClient(
                server: server, app: made.id,
                secret: "backend.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
            #expect(try await wrong.token("client_credentials").status == 401)
            #expect(try await visitor.token("client_credentials").error == "unauthorized_client")
            let own = try await backend.token(
                "client_credentials", [("scope", "reports"), ("audit_hint", "x")])
            #expect(own.status == 200 && own["scope"] == "reports" && own["refresh_token"] == nil)
            #expect(
                try await backend.token("client_credentials", [("scope", "everything")]).error
                    == "invalid_scope")
            #expect(
                try await backend.token("client_credentials", [("scope", "groups reports")])[
                    "scope"] == "reports")
            #expect(
                try await backend.userInfo(own["access_token"]).status == 401,
                "an app is not a user")

            func introspect(_ token: String?, _ client: TokenClient) async throws -> JSONValue {
                try await client.post(
                    "/oauth2/introspect",
                    [
                        ("token", token ?? ""), ("client_id", client.app),
                        ("client_secret", client.secret ?? ""),
                        // RFC 6749 §3.2: unknown parameters are ignored.
                        ("audit_hint", "x"),
                    ]
                ).body
            }
            #expect(try await introspect(own["access_token"], backend)["active"] == true)
            let users = try await visitor.signIn()
            #expect(
                try await introspect(users["access_token"], backend)["active"] == false,
                "another app's")
            #expect(
                try await introspect(users["access_token"], visitor)["error"]?.stringValue
                    == "unauthorized_client")
            let mine = try await TokenClient(
                server: server, app: made.id, secret: made.clientSecret
            ).signInConfidential()
            let seen = try await introspect(mine["access_token"], backend)
            #expect(
                seen["active"] == true && seen["client_id"] == "backend"
                    && seen["token_type"] == "Bearer")
            #expect(
                try await introspect(mine["refresh_token"], backend)["token_type"]
                    == "refresh_token")

            func revoke(_ token: String?, _ client: TokenClient) async throws -> Int {
                try await client.post(
                    "/oauth2/revoke",
                    [
                        ("token", token ?? ""), ("client_id", client.app),
                        ("client_secret", client.secret ?? ""),
                        // RFC 6749 §3.2: unknown parameters are ignored.
                        ("audit_hint", "x"),
                    ]
                ).status
            }
            #expect(
                try await revoke(mine["access_token"], visitor) == 200,
                "another app's token is not affected")
            #expect(try await introspect(mine["access_token"], backend)["active"] == true)
            #expect(try await revoke(mine["access_token"], backend) == 200)
            #expect(try await introspect(mine["access_token"], backend) == ["active": false])
            #expect(try await introspect(mine["refresh_token"], backend)["active"] == true)
            #expect(try await revoke(mine["refresh_token"], backend) == 200)
            #expect(try await introspect(mine["refresh_token"], backend) == ["active": false])
            #expect(try await revoke("nonsense", backend) == 200)
        }
    }

    @Test("key-bound tokens require a new proof with each request")
    func possession() async throws {
        try await withUser { server, plain in
            let key = try SoftwareSigner.generate(.es256),
                other = try SoftwareSigner.generate(.edDSA)
            let client = TokenClient(server: server, key: key)
            let tokens = try await client.signIn()
            #expect(tokens.status == 200 && tokens["token_type"] == "DPoP", "\(tokens.body)")
            let access = try #require(tokens["access_token"])
            func ask(_ proof: String?, scheme: String = "DPoP") async throws -> TokenClient.Answer {
                var headers = ["authorization": "\(scheme) \(access)"]
                headers["dpop"] = proof
                return try await client.send(.get, "/oauth2/userinfo", headers)
            }
            func proof(
                _ signer: SoftwareSigner, method: String = "GET", token: String?,
                _ changed: [String: JSONValue] = [:]
            ) async throws -> String {
                try await client.proof(
                    signer, "/oauth2/userinfo", method: method, token: token, changed: changed)
            }
            let good = try await proof(key, token: access)
            #expect(try await ask(good).status == 200)
            #expect(try await ask(good).error == "invalid_dpop_proof", "replayed")
            #expect(try await ask(nil).status == 401)
            #expect(try await ask(proof(key, token: access), scheme: "Bearer").status == 401)
            #expect(try await ask(proof(other, token: access)).status == 401)
            let old = JSONValue.number(Double(server.time.now.seconds - 301)),
                young = JSONValue.number(Double(server.time.now.seconds + 301))
            for (name, wrong) in [
                ("method", try await proof(key, method: "POST", token: access)),
                ("no token's hash", try await proof(key, token: nil)),
                ("another's hash", try await proof(key, token: "x")),
                ("address", try await proof(key, token: access, ["htu": "https://x.example/"])),
                ("old", try await proof(key, token: access, ["iat": old])),
                ("from the future", try await proof(key, token: access, ["iat": young])),
                (
                    "long id",
                    try await proof(
                        key, token: access, ["jti": .string(String(repeating: "j", count: 129))])
                ), ("nonsense", "a.b.c"),
            ] { #expect(try await ask(wrong).error == "invalid_dpop_proof", "\(name)") }
            #expect(
                try await plain.refresh(tokens["refresh_token"]).error == "invalid_grant",
                "without the key")
            #expect(
                try await TokenClient(server: server, key: other).refresh(tokens["refresh_token"])
                    .error == "invalid_grant")
            #expect(try await client.refresh(tokens["refresh_token"]).status == 200)
            try await Self.set(["requires_dpop": true], server)
            #expect(try await plain.signIn().error == "invalid_dpop_proof")
        }
    }

    @Test("tokens are limited to the resources they were requested for")
    func resources() async throws {
        try await withUser { server, client in
            let api = "https://api.example.org"
            try await Self.set(["resources": [.string(api), "https://b.example.org"]], server)
            let tokens = try await client.signIn(
                "ada", password: "a password nobody has", [("resource", api)])
            let claims = try TokenClient.claims(tokens["access_token"])
            #expect(claims["aud"] == .string(api))
            #expect(
                try await client.userInfo(tokens["access_token"]).status == 401,
                "not valid for this server")
            #expect(
                try await client.refresh(
                    tokens["refresh_token"], [("resource", "https://b.example.org")]
                ).error == "invalid_target")
            #expect(
                try await client.refresh(tokens["refresh_token"], [("scope", "openid email")]).error
                    == "invalid_scope")
            #expect(
                try await client.refresh(tokens["refresh_token"], [("scope", "openid")])["scope"]
                    == "openid", "refused requests use up nothing")
            #expect(
                try await client.token(
                    TokenClient.exchange, [("resource", "https://c.example.org")]
                ).status == 400)
        }
    }

    @Test("forms are parsed strictly")
    func forms() async throws {
        try await withUser { server, client in
            let twice = try await client.send(
                .post, "/oauth2/token", ["content-type": "application/x-www-form-urlencoded"],
                "grant_type=refresh_token&grant_type=password&client_id=default_application")
            #expect(twice.status == 400 && twice.error == "invalid_request")
            let json = try await client.send(
                .post, "/oauth2/token", ["content-type": "application/json"], "{}")
            #expect(json.status == 415 && json.error == "invalid_request")
            #expect(try await client.token("password").error == "unsupported_grant_type")
            #expect(
                try await client.post("/oauth2/token", [("grant_type", "refresh_token")]).error
                    == "invalid_client")
            let broken = try await client.send(
                .post, "/oauth2/token", ["content-type": "application/x-www-form-urlencoded"],
                "grant_type=%zz")
            #expect(broken.error == "invalid_request")
            let big = try await client.post(
                "/oauth2/token", [("grant_type", String(repeating: "x", count: 400_000))])
            #expect(big.status == 413 && big.error == "invalid_request")
        }
    }

    @Test("a journey for signed-in users starts with an access token")
    func journeyOfTheSignedIn() async throws {
        try await withUser { server, client in
            let text = """
                {"id": "step-up", "version": 1, "title": "Step up", "start": "say", "requires_user": true, "steps": {
                  "say": {"type": "information", "config": {"title": "Hello", "text": "You are signed in."}, "on": {"next": "done"}},
                  "done": {"type": "complete_journey"}}}
                """
            _ = try await server.admin.putJourney(
                JourneyID("step-up")!, version: 1, definition: Array(text.utf8))
            _ = try await server.admin.publishJourney(JourneyID("step-up")!, version: 1)
            func start(_ token: String?) async throws -> TokenClient.Answer {
                var headers = ["content-type": "application/json"]
                headers["authorization"] = token.map { "Bearer \($0)" }
                return try await client.send(
                    .post, "/v1/journeys/step-up/start", headers,
                    #"{"client_id": "default_application"}"#)
            }
            let stranger = try await start(nil)
            #expect(
                stranger["journey_step_id"] == "rejection"
                    && stranger.body["error_data"]?["cause"] == "not_signed_in")
            #expect(try await start("nonsense").status == 401)
            let tokens = try await client.signIn(), answer = try await start(tokens["access_token"])
            #expect(answer["journey_step_id"] == "information")
            let end = try await client.send(
                .post, "/v1/journeys/respond", ["content-type": "application/json"],
                JSONText.write(["state": answer.body["state"] ?? .null, "option": "client_input"]))
            let sub = try await server.admin.findUser("ada")?.id
            let claims = try TokenClient.claims(end["token"])
            #expect(claims["sub"]?.stringValue == sub)
            // No second, longer-lived sign-in results.
            #expect(claims["sid"] == (try TokenClient.claims(tokens["access_token"]))["sid"])
            let exchanged = try await client.token(
                TokenClient.exchange,
                [("subject_token", end["token"] ?? ""), ("subject_token_type", TokenClient.jwt)])
            #expect(exchanged.error == "invalid_grant")
            #expect(
                exchanged["error_description"]?.contains("keep its tokens") == true,
                "\(exchanged.body)")
        }
    }
}

extension TokenClient {
    /// Like ``signIn(_:password:_:)``, for an app with a secret.
    func signInConfidential() async throws -> Answer {
        func call(_ path: String, _ body: JSONValue) async throws -> Answer {
            try await send(.post, path, ["content-type": "application/json"], JSONText.write(body))
        }
        let start = try await call(
            "/v1/journeys/password-login/start",
            ["client_id": .string(app), "client_secret": .string(secret ?? "")])
        let end = try await call(
            "/v1/journeys/respond",
            [
                "state": start.body["state"] ?? .null, "option": "password",
                "data": ["username": "ada", "password": "a password nobody has"],
            ])
        return try await token(
            Self.exchange,
            [("subject_token", end["token"] ?? ""), ("subject_token_type", Self.jwt)])
    }
}
