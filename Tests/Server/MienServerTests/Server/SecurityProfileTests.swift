import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Apps under FAPI 2.0 Security Profile Final.
@Suite("Profile fapi2", .enabled(if: Installed.isThere, Installed.reason))
struct SecurityProfileTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withApp(
        _ algorithm: DeviceKeyAlgorithm = .es256,
        _ body: @Sendable (TestServer, KeyedApp) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            var app = try await KeyedApp.create(
                server, ["profile": "fapi2"], algorithm: algorithm)
            app.proofKey = try SoftwareSigner.generate(.es256)
            try await body(server, app)
        }
    }

    /// Pushes a request, signs in, and redeems the code.
    private static func signIn(_ app: KeyedApp) async throws -> TokenClient.Answer {
        let address = try app.address(
            of: try await app.push(["scope": "openid offline_access"]))
        let back = try await PageBrowser(app.server.address).signIn(address)
        return try await app.redeem(back.parameters["code"])
    }

    @Test("the profile sets what it demands: pushed requests, a key, and bound tokens")
    func demands() async throws {
        try await withApp { server, app in
            #expect(app.page.secret == nil)
            #expect(try await app.page.visit().parameters["error"] == "invalid_request")
            let tokens = try await Self.signIn(app)
            #expect(tokens["token_type"] == "DPoP", "\(tokens.body)")
            var plain = app
            plain.proofKey = nil
            #expect(try await Self.signIn(plain).error == "invalid_dpop_proof")
            var rsa = app
            rsa.proofKey = try SoftwareSigner.generate(.rs256)
            #expect(try await rsa.push().error == "invalid_dpop_proof")
            #expect(try await app.push(["redirect_uri": nil]).error == "invalid_request")
        }
    }

    @Test("the audience of an assertion is the issuer, as one string")
    func audience() async throws {
        try await withApp { server, app in
            for aud: JSONValue in [
                .string(server.address + "/oauth2/token"), .string(server.address + "/oauth2/par"),
                [.string(server.address)], [.string(server.address), "https://other.example"],
            ] {
                let assertion = try await app.assertion(["aud": aud])
                let answer = try await app.post("/oauth2/par", [:], assertion: assertion)
                #expect(answer.status == 401 && answer.error == "invalid_client", "\(aud)")
            }
        }
    }

    @Test("an app's RSA key does not sign in")
    func rsa() async throws {
        try await withApp(.rs256) { _, app in
            let answer = try await app.push()
            #expect(answer.error == "invalid_client")
        }
    }

    @Test("a refresh token stays valid, and the app may refresh with another key")
    func refresh() async throws {
        try await withApp { server, app in
            let tokens = try await Self.signIn(app)
            let refresh = try #require(tokens["refresh_token"])
            var other = app
            other.proofKey = try SoftwareSigner.generate(.edDSA)
            let key = try #require(other.proofKey)
            let fields: [String: String?] = [
                "grant_type": "refresh_token", "refresh_token": refresh,
            ]
            let second = try await other.post("/oauth2/token", fields)
            #expect(second.status == 200 && second["refresh_token"] == refresh, "\(second.body)")
            let access = try #require(second["access_token"])
            #expect(
                try TokenClient.claims(access)["cnf"]?["jkt"] == .string(key.publicKey.thumbprint))
            func ask(_ key: SoftwareSigner) async throws -> Int {
                let proof = try await app.page.client.proof(
                    key, "/oauth2/userinfo", method: "GET", token: access)
                return try await app.page.client.send(
                    .get, "/oauth2/userinfo", ["authorization": "DPoP \(access)", "dpop": proof]
                ).status
            }
            #expect(try await ask(key) == 200)
            #expect(try await ask(#require(app.proofKey)) == 401, "the key of the sign-in")
            server.time.advance(.seconds(60))
            #expect(try await app.post("/oauth2/token", fields)["refresh_token"] == refresh)
            var plain = app
            plain.proofKey = nil
            #expect(try await plain.post("/oauth2/token", fields).error == "invalid_grant")
        }
    }

    @Test("settings that contradict the profile are refused by name")
    func contradictions() async throws {
        try await TestServer.run(in: scratch) { server in
            let keys = KeyedApp.keySet(try SoftwareSigner.generate(.es256))
            for (type, settings, field) in [
                (.public, ["jwks": keys], "profile"), (.confidential, [:], "profile"),
                (.confidential, ["jwks": keys, "requires_pkce": false], "requires_pkce"),
                (
                    .confidential, ["jwks": keys, "id_token_signed_response_alg": "RS256"],
                    "id_token_signed_response_alg"
                ),
                (
                    .confidential,
                    ["jwks": keys, "token_endpoint_auth_method": "client_secret_post"],
                    "token_endpoint_auth_method"
                ),
                (
                    .confidential, ["jwks": keys, "redirect_uris": ["http://localhost/back"]],
                    "redirect_uris[0]"
                ),
            ] as [(AppType, [String: JSONValue], String)] {
                let error = await #expect(throws: MienError.self) {
                    _ = try await PageApp.create(
                        server, type: type, settings.merging(["profile": "fapi2"]) { $1 })
                }
                #expect(error?.problem?.errors?.map(\.field).contains("settings.\(field)") == true)
            }
        }
    }
}
