import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@testable import MienServer

/// Demands that an administrator can loosen for one app, and what protects it then.
@Suite("Settings of an app's protocol", .enabled(if: Installed.isThere, Installed.reason))
struct ClientSettingTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withServer(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await body(server)
        }
    }

    private static func header(_ token: String?) throws -> JSONValue {
        let part = try #require(token?.split(separator: ".").first)
        return try JSONText.parse(try #require(Base64URL.decode(part)))
    }

    @Test("a confidential app may do without PKCE, and then needs its secret")
    func withoutPKCE() async throws {
        try await withServer { server in
            let strict = try await PageApp.create(server, id: "strict")
            let refused = try await strict.visit(PageApp.withoutPKCE)
            #expect(refused.parameters["error"] == "invalid_request")
            let app = try await PageApp.create(server, ["requires_pkce": false])
            let first = try await app.visit(PageApp.withoutPKCE).parameters["code"]
            #expect(
                try await TokenClient(server: server, app: "web").token(
                    "authorization_code",
                    [("code", first ?? ""), ("redirect_uri", PageApp.redirect)]
                ).error == "invalid_client", "without the secret")
            let tokens = try await app.redeem(first, ["code_verifier": nil])
            #expect(tokens.status == 200, "\(tokens.body)")
            #expect(try TokenClient.claims(tokens["id_token"])["nonce"] == "n-1")
        }
    }

    @Test("a challenge that is sent counts, and a verifier without a challenge is refused")
    func downgrade() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server, ["requires_pkce": false])
            func code(_ changed: [String: String?]) async throws -> String? {
                try await app.visit(changed).parameters["code"]
            }
            #expect(
                try await app.redeem(code([:]), ["code_verifier": nil]).error == "invalid_grant")
            #expect(
                try await app.redeem(
                    code([:]), ["code_verifier": String(repeating: "w", count: 43)]
                ).error == "invalid_grant")
            #expect(try await app.redeem(code([:])).status == 200)
            // Somebody removed the challenge from the request on its way.
            #expect(try await app.redeem(code(PageApp.withoutPKCE)).error == "invalid_grant")
            for wrong: [String: String?] in [
                ["code_challenge_method": "plain"], ["code_challenge_method": nil],
                ["code_challenge": nil], ["code_challenge": "short"],
            ] {
                #expect(
                    try await app.visit(wrong).parameters["error"] == "invalid_request", "\(wrong)")
            }
        }
    }

    @Test("a public app always needs PKCE")
    func publicApp() async throws {
        try await withServer { server in
            let error = await #expect(throws: MienError.self) {
                _ = try await PageApp.create(server, type: .public, ["requires_pkce": false])
            }
            #expect(error?.problem?.errors?.first?.field == "settings.requires_pkce")
            let app = try await PageApp.create(server, type: .public)
            await #expect(throws: MienError.self) {
                _ = try await server.admin.updateApp(
                    #require(AppID("web")),
                    AppRequest(name: "Web", settings: ["requires_pkce": false]))
            }
            #expect(try await app.visit(PageApp.withoutPKCE).parameters["error"] != nil)
        }
    }

    @Test("ID tokens are signed with RS256 for an app that asks for it, by a key of 3,072 bits")
    func rs256() async throws {
        try await withServer { server in
            func keys() async throws -> [JSONValue] {
                try await server.send(.get, "/.well-known/jwks.json").body["keys"]?.arrayValue ?? []
            }
            #expect(try await keys().compactMap { $0["kty"]?.stringValue } == ["EC"])
            let app = try await PageApp.create(server, ["id_token_signed_response_alg": "RS256"])
            let published = try await keys()
            let rsa = try #require(published.first { $0["kty"] == "RSA" })
            #expect(published.count == 2 && rsa["alg"] == "RS256" && rsa["use"] == "sig")
            let modulus = try #require(rsa["n"]?.stringValue.flatMap { Base64URL.decode($0) })
            #expect(modulus.count == 384)
            let tokens = try await app.tokens()
            let idToken = try #require(tokens["id_token"])
            #expect(try Self.header(idToken)["alg"] == "RS256")
            #expect(try Self.header(idToken)["kid"] == rsa["kid"])
            #expect(throws: Never.self) {
                try JWS.parse(compact: idToken).verify(with: DevicePublicKey(jwk: rsa))
            }
            #expect(try Self.header(tokens["access_token"])["alg"] == "ES256")
            let hint = try await PageBrowser(server.address).get(
                "/oauth2/logout?id_token_hint=\(idToken)")
            #expect(hint.status == 200, "the server knows its own ID token")
            // The next key is published before the period of the first one ends.
            server.time.advance(.seconds(30 * 86_400 - 600))
            try await server.server.parts.issuer.refresh(at: server.time.now)
            #expect(try await keys().count { $0["kty"] == "RSA" } == 2)
            #expect(try await keys().first { $0["kty"] == "RSA" }?["kid"] != rsa["kid"])
        }
    }

    @Test("an access token with the typ of ID tokens is one for services, and nothing else")
    func accessTokenType() async throws {
        try await withServer { server in
            let app = try await PageApp.create(server, ["access_token_typ": "JWT"])
            let tokens = try await app.tokens()
            let access = try #require(tokens["access_token"]),
                idToken = try #require(tokens["id_token"])
            #expect(try Self.header(access)["typ"] == "JWT")
            #expect(try await app.client.userInfo(access).status == 200)
            #expect(try await app.client.userInfo(idToken).status == 401)
            #expect(
                try await app.client.token(
                    TokenClient.exchange,
                    [("subject_token", access), ("subject_token_type", TokenClient.jwt)]
                ).error == "invalid_grant")
            #expect(
                try await PageBrowser(server.address).get(
                    "/oauth2/logout?id_token_hint=\(access)"
                ).status == 400)
            let own = try await app.client.token("client_credentials")
            #expect(try Self.header(own["access_token"])["typ"] == "JWT")
        }
    }
}
