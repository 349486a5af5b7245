import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Requests that apps sign: RFC 9101.
@Suite("Signed requests", .enabled(if: Installed.isThere, Installed.reason))
struct SignedRequestTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withApp(
        _ settings: [String: JSONValue] = ["token_endpoint_auth_method": "private_key_jwt"],
        _ body: @Sendable (TestServer, KeyedApp) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await body(server, KeyedApp.create(server, settings))
        }
    }

    /// A request object of the app.
    private static func object(
        _ app: KeyedApp, _ changed: [String: JSONValue?] = [:], by signer: SoftwareSigner? = nil
    ) async throws -> String {
        let now = Double(app.server.time.now.seconds)
        let claims: [String: JSONValue?] = [
            "iss": .string(app.page.id), "aud": .string(app.server.address),
            "client_id": .string(app.page.id), "exp": .number(now + 60), "nbf": .number(now),
            "response_type": "code", "redirect_uri": .string(PageApp.redirect),
            "scope": "openid email", "state": "signed", "nonce": "n-2", "max_age": 1000,
            "claims": ["id_token": ["preferred_username": nil]],
            "code_challenge": .string(PageApp.challenge), "code_challenge_method": "S256",
        ]
        return try await app.signed(
            claims.merging(changed) { $1 }, header: ["kid": "k1", "typ": "oauth-authz-req+jwt"],
            by: signer)
    }

    @Test("a signed request replaces every parameter beside it, in an address and when pushed")
    func signed() async throws {
        try await withApp { server, app in
            let object = try await Self.object(app)
            let beside: [String: String?] = [
                "request": object, "state": "beside", "scope": "openid phone", "nonce": "n-9",
            ]
            let back = try await app.page.visit(beside)
            #expect(back.parameters["state"] == "signed")
            let tokens = try await app.redeem(back.parameters["code"])
            #expect(tokens["scope"] == "email openid" && tokens.status == 200, "\(tokens.body)")
            let claims = try TokenClient.claims(tokens["id_token"])
            #expect(claims["nonce"] == "n-2" && claims["preferred_username"] == "ada")
            let pushed = try await app.push(["request": Self.object(app), "state": "beside"])
            let other = try await PageBrowser(server.address).signIn(app.address(of: pushed))
            #expect(other.parameters["state"] == "signed")
        }
    }

    @Test("a request object that is not the app's, for this server, and of now is refused")
    func invalidObjects() async throws {
        try await withApp { server, app in
            let now = Double(server.time.now.seconds)
            let foreign = try SoftwareSigner.generate(.es256)
            for (name, object) in [
                ("other key", try await Self.object(app, by: foreign)),
                ("expired", try await Self.object(app, ["exp": .number(now - 300)])),
                ("future", try await Self.object(app, ["nbf": .number(now + 120)])),
                ("other aud", try await Self.object(app, ["aud": "https://other.example"])),
                ("no aud", try await Self.object(app, ["aud": nil])),
                ("other iss", try await Self.object(app, ["iss": "shop"])),
                ("other client_id", try await Self.object(app, ["client_id": "shop"])),
                ("an assertion", try await Self.object(app, ["sub": "bank"])),
                ("request within", try await Self.object(app, ["request": "x"])),
                ("unsigned", "eyJhbGciOiJub25lIn0.e30."), ("nonsense", "a.b.c"),
            ] {
                let page = try await app.page.visit(["request": object])
                #expect(page.parameters["error"] == "invalid_request_object", "\(name)")
                #expect(page.parameters["state"] == "s-1", "\(name)")
            }
            #expect(try await app.push(["request": "a.b.c"]).error == "invalid_request_object")
            let page = try await PageBrowser(server.address).get(
                "/oauth2/authorize?"
                    + PageApp.form(["client_id": "bank", "request": "a.b.c"]))
            #expect(page.status == 400 && page.text.contains("invalid_request_object"))
        }
    }

    @Test("an app can be held to signing its requests")
    func signatureRequired() async throws {
        try await withApp([
            "token_endpoint_auth_method": "private_key_jwt", "require_signed_request_object": true,
        ]) { _, app in
            #expect(try await app.page.visit().parameters["error"] == "invalid_request")
            #expect(try await app.push().error == "invalid_request")
            let back = try await app.page.visit(["request": Self.object(app)])
            #expect(back.parameters["code"] != nil)
        }
    }
}
