import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienStore
import MienTesting
import Testing

@testable import MienServer

/// One-time codes of people's own authenticator apps.
@Suite("Authenticator apps of users", .enabled(if: Installed.isThere, Installed.reason))
struct AuthenticatorAppTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withServer(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await body(server)
        }
    }

    /// The code that any authenticator app shows: RFC 6238 with SHA-1.
    private static func code(_ secret: String, at now: Instant) throws -> String {
        let totp = try TOTP()
        return try totp.code(at: now, with: OTPSecret(base32: secret)).text
    }

    private static func call(
        _ method: HTTPTransportRequest.Method, _ server: TestServer, _ token: String?,
        _ body: JSONValue = [:]
    ) async throws -> TokenClient.Answer {
        try await TokenClient(server: server).send(
            method, "/v1/me/otp/authenticator-app",
            ["authorization": "Bearer \(token ?? "")", "content-type": "application/json"],
            JSONText.write(body))
    }

    @Test("a secret counts once a code of the app has confirmed it, and then signs in")
    func life() async throws {
        try await withServer { server in
            let client = TokenClient(server: server)
            let access = try await client.signIn()["access_token"]
            let made = try await Self.call(.post, server, access)
            #expect(made.status == 201, "\(made.body)")
            let secret = try #require(made["secret"]), uri = try #require(made["uri"])
            #expect(uri.hasPrefix("otpauth://totp/") && uri.contains("secret=\(secret)"))
            #expect(uri.contains("algorithm=SHA1") && uri.contains("digits=6"))
            #expect((made.body["qr_code"]?["size"]?.numberValue ?? 0) > 20)
            func tokens() async throws -> [JSONValue] {
                try await client.send(
                    .get, "/v1/me/otp/tokens", ["authorization": "Bearer \(access ?? "")"]
                ).body["items"]?.arrayValue ?? []
            }
            #expect(try await tokens().isEmpty, "nothing counts yet")
            let wrong = try await Self.call(.put, server, access, ["passcode": "000000"])
            #expect(wrong.status == 401)
            #expect(try await Self.call(.post, server, access)["secret"] == secret)
            let other = try await client.signIn()["access_token"]
            #expect(
                try await Self.call(.post, server, other)["secret"] != secret,
                "another sign-in does not learn it")
            let code = try Self.code(secret, at: server.time.now)
            let confirmed = try await Self.call(
                .put, server, access, ["passcode": .string(code), "name": "My phone"])
            #expect(confirmed.status == 200 && confirmed["name"] == "My phone", "\(confirmed.body)")
            #expect(try await tokens().count == 1)
            #expect(
                try await Self.call(.put, server, access, ["passcode": .string(code)]).status
                    == 401, "the secret was confirmed")
            let app = try #require(AppID("default_application"))
            let store = server.server.parts.store
            let account = try await server.userID("ada")
            let (record, owner) = try #require(
                try await store.read { tables in
                    try tables.accounts.find(account).map { owner in
                        (try tables.apps.find(app)!, owner)
                    }
                })
            func signIn(_ code: String) async throws -> Bool {
                let judged = try await server.server.parts.tokens.authenticate(
                    Sensitive(code), of: owner, app: record, device: nil)
                if case .accepted = judged { return true }
                return false
            }
            #expect(try await !signIn(code), "the code that confirmed it is used up")
            server.time.advance(.seconds(30))
            let next = try Self.code(secret, at: server.time.now)
            #expect(try await signIn(next))
            #expect(try await !signIn(next))
            let events = try await server.admin.audit(event: "otp.registered").items
            #expect(events.count == 1)
            #expect(!server.logs.text.contains(secret))
        }
    }

    @Test("a secret expires, and an account has few tokens")
    func limits() async throws {
        try await withServer { server in
            let client = TokenClient(server: server)
            func access() async throws -> String? { try await client.signIn()["access_token"] }
            let late = try await access()
            let secret = try #require(try await Self.call(.post, server, late)["secret"])
            server.time.advance(.seconds(601))
            let fresh = try await access()
            #expect(
                try await Self.call(
                    .put, server, fresh,
                    ["passcode": .string(Self.code(secret, at: server.time.now))]
                ).status == 401)
            for _ in 0..<5 {
                let token = try await access()
                let made = try await Self.call(.post, server, token)
                let code = try Self.code(made["secret"] ?? "", at: server.time.now)
                #expect(
                    try await Self.call(.put, server, token, ["passcode": .string(code)]).status
                        == 200)
            }
            #expect(try await Self.call(.post, server, access()).status == 409)
            #expect(try await Self.call(.post, server, "none").status == 401)
        }
    }

    @Test("the account page shows the QR code, and keeps it after a wrong code")
    func page() async throws {
        try await withServer { server in
            _ = try await PageApp.create(server)
            let browser = PageBrowser(server.address)
            _ = try await browser.signIn("/account")
            #expect(try await browser.open("/account").text.contains("/account/authenticator"))
            let page = try await browser.open("/account/authenticator?client_id=web")
            #expect(
                page.text.contains("<svg class=\"qr-code\"") && page.text.contains("otpauth://"))
            func secret(_ text: String) -> String? {
                text.firstMatch(of: /secret=([A-Z2-7]+)/).map { String($0.output.1) }
            }
            let shown = try #require(secret(page.text))
            let wrong = try await browser.post(
                page.address,
                [
                    "csrf": page.hidden("csrf") ?? "", "form": page.hidden("form") ?? "",
                    "passcode": "000000",
                ])
            #expect(wrong.status == 400 && secret(wrong.text) == shown, "\(wrong.text)")
            #expect(wrong.text.contains("The code is wrong."))
            let done = try await browser.post(
                page.address,
                [
                    "csrf": wrong.hidden("csrf") ?? "", "form": wrong.hidden("form") ?? "",
                    "passcode": Self.code(shown, at: server.time.now),
                ])
            #expect(done.location?.contains("account_done_authenticator") == true)
        }
    }
}
