import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Web pages of other origins, as the Fetch standard has browsers ask.
@Suite("Web pages of other origins", .enabled(if: Installed.isThere, Installed.reason))
struct CrossOriginTests {
    private static let shop = "https://shop.example.org", other = "http://localhost:5173"

    private func run(
        _ body: @Sendable (TestServer, RawConnection) async throws -> Void
    ) async throws {
        try await TestServer.run(in: ScratchFolder()) { server in
            for (id, origin) in [("shop", Self.shop), ("other", Self.other)] {
                _ = try await server.admin.createApp(
                    AppRequest(
                        id: id, name: id, isFirstParty: true,
                        settings: ["web_origins": [.string(origin)]]))
            }
            try await body(server, RawConnection.open(server.address))
        }
    }

    private static let allowOrigin = "access-control-allow-origin"

    @Test("a listed origin may ask and read; the response allows exactly it, and no credentials")
    func listed() async throws {
        try await run { _, connection in
            let question = try await connection.request(
                "OPTIONS", "/v1/journeys/password-login/start",
                [
                    "origin": Self.shop, "access-control-request-method": "POST",
                    "access-control-request-headers": "content-type",
                ])
            #expect(question.status == 204 && question.headers[Self.allowOrigin] == Self.shop)
            #expect(question.headers["access-control-allow-methods"] == "POST")
            #expect(
                question.headers["access-control-allow-headers"]
                    == "authorization, content-type, dpop, x-request-id")
            let start = try await connection.post(
                "/v1/journeys/password-login/start", #"{"client_id": "shop"}"#,
                ["origin": Self.shop])
            #expect(start.status == 200 && start.headers[Self.allowOrigin] == Self.shop)
            let refused = try await connection.request(
                "GET", "/v1/me/passkeys", ["origin": Self.shop])
            #expect(
                refused.status == 401 && refused.headers[Self.allowOrigin] == Self.shop,
                "a page may read why it was refused")
            for answer in [question, start, refused] {
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                #expect(answer.headers["vary"]?.contains("Origin") == true)
            }
        }
    }

    @Test(
        "similar, missing, and repeated origins are not listed",
        arguments: [
            "https://shop.example.org.evil.example", "https://SHOP.example.org",
            "http://shop.example.org", "https://shop.example.org:443", "https://shop.example.org/",
            "https://evil.example", "null", "*", "",
        ])
    func notListed(origin: String) async throws {
        try await run { _, connection in
            for (method, path) in [
                ("OPTIONS", "/v1/journeys/respond"), ("GET", "/.well-known/jwks.json"),
            ] {
                let answer = try await connection.request(
                    method, path, ["origin": origin, "access-control-request-method": "POST"])
                #expect(answer.headers[Self.allowOrigin] == nil, "\(path)")
            }
            try await connection.send(
                "GET /healthz HTTP/1.1\r\nhost: a\r\norigin: \(Self.shop)\r\norigin: \(Self.shop)\r\n\r\n"
            )
            #expect(try #require(try await connection.answer()).headers[Self.allowOrigin] == nil)
        }
    }

    @Test("a page of one app cannot read responses to another app's requests")
    func otherApp() async throws {
        try await run { _, connection in
            for (app, origin, isReadable) in [
                ("shop", Self.shop, true), ("shop", Self.other, false),
                ("default_application", Self.shop, false),
            ] {
                let start = try await connection.post(
                    "/v1/journeys/password-login/start", #"{"client_id": "\#(app)"}"#,
                    ["origin": origin])
                #expect(start.status == 200)
                #expect((start.headers[Self.allowOrigin] != nil) == isReadable, "\(app) \(origin)")
                let state = try #require(start.json["state"]?.stringValue)
                let next = try await connection.post(
                    "/v1/journeys/respond", #"{"state": "\#(state)", "option": "cancel"}"#,
                    ["origin": origin])
                #expect((next.headers[Self.allowOrigin] != nil) == isReadable, "\(app) \(origin)")
            }
        }
    }

    @Test("pages for people and the admin API cannot be read from any other origin")
    func pages() async throws {
        try await run { server, connection in
            for path in ["/oauth2/authorize?client_id=shop", "/notices?code=abc"] {
                let page = try await connection.request("GET", path, ["origin": Self.shop])
                #expect(page.headers[Self.allowOrigin] == nil, "\(path)")
            }
            let admin = try await RawConnection.open(server.adminAddress)
            let apps = try await admin.request(
                "GET", "/v1/apps",
                ["origin": Self.shop, "authorization": "Bearer \(server.credential.use { $0 })"])
            #expect(apps.status == 200 && apps.headers[Self.allowOrigin] == nil)
            let question = try await admin.request(
                "OPTIONS", "/v1/apps",
                ["origin": Self.shop, "access-control-request-method": "GET"])
            #expect(question.status == 405 && question.headers[Self.allowOrigin] == nil)
        }
    }

    @Test("a removed origin is refused at once")
    func removed() async throws {
        try await run { server, connection in
            let before = try await connection.request("GET", "/healthz", ["origin": Self.shop])
            #expect(before.headers[Self.allowOrigin] == Self.shop)
            _ = try await server.admin.updateApp(
                AppID("shop")!, AppRequest(name: "shop", settings: ["web_origins": []]))
            let after = try await connection.request("GET", "/healthz", ["origin": Self.shop])
            #expect(after.headers[Self.allowOrigin] == nil)
        }
    }

    @Test("OPTIONS without a browser's question is a method like any other")
    func plainOptions() async throws {
        try await run { _, connection in
            let answer = try await connection.request("OPTIONS", "/healthz")
            #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD")
        }
    }
}
