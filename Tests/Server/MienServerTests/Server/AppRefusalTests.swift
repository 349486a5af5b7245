import Foundation
import MienAPI
import MienClient
import MienCore
import MienStore
import MienTesting
import Testing

@testable import MienServer

/// Refused requests of apps, as an operator learns of them.
@Suite("Refused requests of apps", .enabled(if: Installed.isThere, Installed.reason))
struct AppRefusalTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withApp(_ body: @Sendable (TestServer, PageApp) async throws -> Void)
        async throws
    {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await body(server, PageApp.create(server))
        }
    }

    private static func reasons(_ server: TestServer) async throws -> [AppRefusalsAnswer.Refusal] {
        try await server.admin.refusals(of: #require(AppID("web")))
    }

    @Test("every endpoint's refusal is in the log and kept for the app, with its reason")
    func everywhere() async throws {
        try await withApp { server, app in
            let browser = PageBrowser(server.address)
            _ = try await browser.get("/oauth2/authorize?\(app.query(PageApp.withoutPKCE))")
            _ = try await browser.get(
                "/oauth2/authorize?\(app.query(["redirect_uri": "https://evil.example/"]))")
            _ = try await browser.get("/oauth2/authorize?\(app.query(["prompt": "none"]))")
            let secret = ("client_secret", app.secret ?? ""), id = ("client_id", "web")
            _ = try await app.client.post("/oauth2/par", [id, secret, ("response_type", "token")])
            _ = try await app.redeem("c2VjcmV0LWNvZGU")
            _ = try await app.client.post("/oauth2/introspect", [id, secret])
            _ = try await app.client.post("/oauth2/revoke", [id, ("client_secret", "web.guessed")])
            let idToken = try await app.tokens()["id_token"] ?? ""
            _ = try await browser.get(
                "/oauth2/logout?id_token_hint=\(idToken)&post_logout_redirect_uri=https://evil.example/"
            )
            let found = Set(try await Self.reasons(server).map { "\($0.route) \($0.error)" })
            #expect(
                found == [
                    "/oauth2/authorize invalid_request", "/oauth2/authorize login_required",
                    "/oauth2/par unsupported_response_type", "/oauth2/token invalid_grant",
                    "/oauth2/introspect invalid_request", "/oauth2/revoke invalid_client",
                    "/oauth2/logout invalid_request",
                ])
            let log = server.logs.text
            for part in [
                "\"oauth.error\": invalid_request", "\"oauth.error\": invalid_grant",
                "Send code_challenge, with code_challenge_method=S256.",
                "The client_id is unknown, or the client_secret is wrong.",
            ] {
                #expect(log.contains(part), "\(part)")
            }
            let line = try #require(
                log.split(separator: "\n").first { $0.contains("Send code_challenge") })
            #expect(line.contains("app.id: web") || line.contains("\"app.id\": web"), "\(line)")
            let metrics = try await AsyncHTTPTransport().send(
                HTTPTransportRequest(
                    method: .get, url: server.adminAddress + "/metrics",
                    headers: ["authorization": "Bearer \(server.credential.use { $0 })"],
                    body: [], timeout: .seconds(60)))
            #expect(
                String(decoding: metrics.body, as: UTF8.self).contains(
                    "mien_oauth_refusals_total{error=\"invalid_grant\"} 1"))
        }
    }

    @Test("nothing of a request is kept: no secret, no name, no address, no parameter")
    func nothingPersonal() async throws {
        try await withApp { server, app in
            let marks = ["GUESSED-SECRET", "ada-lovelace", "evil.example", "MARKED-NAME"]
            let browser = PageBrowser(server.address)
            _ = try await app.client.post(
                "/oauth2/token",
                [("client_id", "web"), ("client_secret", "web.\(marks[0])"), ("grant_type", "x")])
            _ = try await app.client.post(
                "/oauth2/token",
                [
                    ("client_id", "web"), ("client_secret", app.secret ?? ""),
                    ("grant_type", marks[1]),
                ])
            _ = try await app.client.post(
                "/oauth2/token", [("client_id", "web"), (marks[3], "1"), (marks[3], "2")])
            _ = try await browser.get(
                "/oauth2/authorize?\(app.query(["redirect_uri": "https://\(marks[2])/", "login_hint": marks[1], "state": marks[0]]))"
            )
            _ = try await browser.get(
                "/oauth2/authorize?\(app.query(["scope": marks[0], "prompt": marks[1]]))")
            let kept = try await Self.reasons(server)
            #expect(kept.count >= 3)
            for mark in marks {
                #expect(!"\(kept)".contains(mark), "\(mark)")
                #expect(!server.logs.text.contains(mark), "\(mark)")
            }
        }
    }

    @Test("a hostile client fills neither the database nor the audit log")
    func bounded() async throws {
        try await withApp { server, app in
            let before = try await server.admin.audit(event: nil).items.count
            let wrong = [
                ("grant_type", "authorization_code"), ("code", "x"), ("client_id", "web"),
                ("client_secret", "wrong"),
            ]
            for _ in 0..<40 {
                _ = try await app.client.post("/oauth2/token", wrong)
            }
            let first = try await Self.reasons(server)
            #expect(first.map(\.count) == [1], "within ten seconds: \(first)")
            server.time.advance(.seconds(11))
            _ = try await app.client.post("/oauth2/token", wrong)
            #expect(try await Self.reasons(server).map(\.count) == [41])
            #expect(try await server.admin.audit(event: nil).items.count == before)
            // An unknown app, and one whose name only looks like an ID.
            _ = try await app.client.post(
                "/oauth2/token", [("client_id", "nobody"), ("client_secret", "wrong")])
            #expect(try await Self.reasons(server).count == 1)
            let store = server.server.parts.store, now = server.time.now
            let id = try #require(AppID("web"))
            try await store.write { tables in
                for index in 0..<50 {
                    try tables.refusals.add(
                        AppRefusalRecord(
                            route: "/r", error: "e", description: "\(index)", count: 1,
                            firstAt: now, lastAt: now + .seconds(Int64(index + 1))), of: id)
                }
            }
            let kept = try await Self.reasons(server)
            #expect(kept.count == AppRefusalTable.maxKept && kept.first?.description == "49")
            try await server.admin.deleteApp(id)
            #expect(try await store.read { try $0.refusals.all(of: id) }.isEmpty)
        }
    }

    @Test("all reasons together are written at most ten times a second")
    func rate() async throws {
        try await withApp { server, app in
            let refusals = AppRefusals(store: server.server.parts.store, clock: server.time.clock)
            let id = try #require(AppID("web"))
            for index in 0..<5000 {
                try await refusals.note(
                    .init(error: "e", description: "\(index)"), of: id, at: "/r")
            }
            let kept = try await Self.reasons(server)
            #expect(kept.count == 20)
        }
    }
}
