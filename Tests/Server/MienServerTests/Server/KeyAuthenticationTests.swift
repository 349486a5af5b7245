import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Apps that authenticate with a key of their own: `private_key_jwt`.
@Suite("Authentication of apps by a key", .enabled(if: Installed.isThere, Installed.reason))
struct KeyAuthenticationTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withServer(
        settings: [String: String] = [:], _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: settings) { server in
            try await server.makeUser()
            try await body(server)
        }
    }

    private static let own: [String: String?] = ["grant_type": "client_credentials"]

    @Test(
        "an app with a key has no secret, and gets tokens", arguments: DeviceKeyAlgorithm.allCases)
    func life(_ algorithm: DeviceKeyAlgorithm) async throws {
        try await withServer { server in
            let app = try await KeyedApp.create(server, algorithm: algorithm)
            #expect(app.page.secret == nil)
            let code = try await app.page.visit().parameters["code"]
            let tokens = try await app.redeem(code)
            #expect(tokens.status == 200, "\(tokens.body)")
            let seen = try await app.post(
                "/oauth2/introspect", ["token": tokens["access_token"]])
            #expect(seen.body["active"] == true)
            await #expect(throws: MienError.self) {
                _ = try await server.admin.renewSecret(#require(AppID("bank")))
            }
            #expect(
                try await TokenClient(server: server, app: "bank").token("client_credentials")
                    .error == "invalid_client")
        }
    }

    @Test("an assertion counts once, for this server, for a short time, by the app's own key")
    func refused() async throws {
        try await withServer { server in
            let app = try await KeyedApp.create(server)
            let once = try await app.assertion()
            #expect(try await app.post("/oauth2/token", Self.own, assertion: once).status == 200)
            #expect(
                try await app.post("/oauth2/token", Self.own, assertion: once).error
                    == "invalid_client", "used twice")
            let now = Double(server.time.now.seconds), other = try SoftwareSigner.generate(.es256)
            for (name, assertion) in [
                ("other key", try await app.assertion(by: other)),
                ("other kid", try await app.assertion(header: ["kid": "k2"])),
                (
                    "typ of proofs",
                    try await app.assertion(header: ["typ": "dpop+jwt", "kid": "k1"])
                ),
                ("no exp", try await app.assertion(["exp": nil])),
                ("expired", try await app.assertion(["exp": .number(now - 300)])),
                ("too long", try await app.assertion(["exp": .number(now + 7200)])),
                ("from the future", try await app.assertion(["iat": .number(now + 120)])),
                ("nbf", try await app.assertion(["nbf": .number(now + 120)])),
                ("no jti", try await app.assertion(["jti": nil])),
                ("no sub", try await app.assertion(["sub": nil])),
                ("other iss", try await app.assertion(["iss": "shop"])),
                ("other aud", try await app.assertion(["aud": "https://other.example"])),
                ("no aud", try await app.assertion(["aud": nil])), ("nonsense", "a.b.c"),
            ] {
                let answer = try await app.post("/oauth2/token", Self.own, assertion: assertion)
                #expect(answer.status == 401 && answer.error == "invalid_client", "\(name)")
            }
            for (name, changed) in [
                ("in the future by a clock", ["iat": .number(now + 10)]),
                ("the endpoint as audience", ["aud": .string(server.address + "/oauth2/token")]),
                ("several", ["aud": ["x", .string(server.address)]]),
            ] as [(String, [String: JSONValue?])] {
                let assertion = try await app.assertion(changed)
                #expect(
                    try await app.post("/oauth2/token", Self.own, assertion: assertion).status
                        == 200, "\(name)")
            }
            #expect(
                try await app.post("/oauth2/token", Self.own.merging(["client_secret": "x"]) { $1 })
                    .error == "invalid_request", "two ways at once")
            #expect(
                try await app.post(
                    "/oauth2/token", Self.own.merging(["client_id": "shop"]) { $1 }
                ).error == "invalid_client")
        }
    }

    @Test("an app may be held to one of the ways to send its secret")
    func ways() async throws {
        try await withServer { server in
            for (method, allowsForm) in [
                ("client_secret_basic", false), ("client_secret_post", true),
            ] {
                let app = try await PageApp.create(
                    server, id: method, ["token_endpoint_auth_method": .string(method)])
                let secret = try #require(app.secret)
                #expect(
                    try await app.client.token("client_credentials").status
                        == (allowsForm ? 200 : 401))
                let basic = Data("\(method):\(secret)".utf8).base64EncodedString()
                let answer = try await TokenClient(server: server).post(
                    "/oauth2/token", [("grant_type", "client_credentials")],
                    headers: ["authorization": "Basic \(basic)"])
                #expect(answer.status == (allowsForm ? 401 : 200))
            }
        }
    }

    @Test("settings that do not fit the app's type or its keys are refused by name")
    func settings() async throws {
        try await withServer { server in
            let signer = try SoftwareSigner.generate(.es256)
            let keys = KeyedApp.keySet(signer)
            let secret: JSONValue = ["keys": [["kty": "oct", "k": "AAAA"]]]
            for (type, settings, field) in [
                (
                    .confidential, ["token_endpoint_auth_method": "private_key_jwt"],
                    "token_endpoint_auth_method"
                ),
                (
                    .public, ["token_endpoint_auth_method": "private_key_jwt", "jwks": keys],
                    "token_endpoint_auth_method"
                ),
                (
                    .confidential, ["token_endpoint_auth_method": "none"],
                    "token_endpoint_auth_method"
                ),
                (.confidential, ["jwks": keys, "jwks_uri": "http://localhost/keys"], "jwks_uri"),
                (.confidential, ["jwks": ["keys": []]], "jwks"),
                (.confidential, ["jwks": secret], "jwks"),
                (.confidential, ["jwks_uri": "https://keys.example/jwks"], "jwks_uri"),
                (
                    .confidential, ["require_signed_request_object": true],
                    "require_signed_request_object"
                ),
            ] as [(AppType, [String: JSONValue], String)] {
                let error = await #expect(throws: MienError.self) {
                    _ = try await PageApp.create(server, id: "wrong", type: type, settings)
                }
                #expect(error?.problem?.errors?.first?.field == "settings.\(field)", "\(settings)")
            }
            #expect(
                try await PageApp.create(
                    server, type: .public, ["token_endpoint_auth_method": "none"]
                ).secret == nil)
        }
    }

    @Test(
        "keys at an address are asked for once by all who need them, and again for a new key",
        .enabled(if: Peer.isThere, Peer.reason))
    func address() async throws {
        let peer = try Peer("hook"), port = try await peer.port()
        let signer = try SoftwareSigner.generate(.es256)
        let keys = Base64URL.encode(Array(JSONText.write(KeyedApp.keySet(signer)).utf8))
        try await withServer(settings: [
            "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "true",
            "MIEN_WEBHOOK_SECRET": "a secret of the receiver's as well",
        ]) { server in
            let page = try await PageApp.create(
                server, id: "bank",
                [
                    "token_endpoint_auth_method": "private_key_jwt",
                    "jwks_uri": .string("http://localhost:\(port)/answer/\(keys)"),
                ])
            let app = KeyedApp(page: page, signer: signer)
            let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...10 {
                    group.addTask { try await app.post("/oauth2/token", Self.own).status }
                }
                return try await group.reduce(into: 0) { $0 += $1 == 200 ? 1 : 0 }
            }
            #expect(accepted == 10)
            #expect(try await peer.next(with: "count")["count"] == 1)
            func tryOther() async throws -> String? {
                let other = try SoftwareSigner.generate(.es256)
                let assertion = try await app.assertion(header: ["kid": "k2"], by: other)
                return try await app.post("/oauth2/token", Self.own, assertion: assertion).error
            }
            #expect(try await tryOther() == "invalid_client", "asks nobody within 15 s")
            server.time.advance(.seconds(16))
            #expect(try await tryOther() == "invalid_client")
            #expect(try await peer.next(with: "count")["count"] == 2)
        }
    }
}
