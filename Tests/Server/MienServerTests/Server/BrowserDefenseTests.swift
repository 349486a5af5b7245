import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Tests the headers that restrict what browsers do with responses.
@Suite("Browser defenses", .enabled(if: Installed.isThere, Installed.reason))
struct BrowserDefenseTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let page =
        "/oauth2/authorize?response_type=code&client_id=web&redirect_uri=https%3A%2F%2Fapp.example.org%2Fback&code_challenge_method=S256&code_challenge="
        + Base64URL.encode([UInt8](repeating: 7, count: 32))

    private func withServer(publicURL: String?, _ body: @Sendable (TestServer) async throws -> Void)
        async throws
    {
        try await TestServer.run(
            in: scratch, settings: publicURL.map { ["MIEN_PUBLIC_URL": $0] } ?? [:]
        ) { server in
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "web", name: "Web",
                    settings: [
                        "redirect_uris": ["https://app.example.org/back"], "sign_in_page": true,
                    ]))
            try await body(server)
        }
    }

    private static func get(_ path: String, _ server: TestServer) async throws
        -> HTTPTransportResponse
    {
        try await AsyncHTTPTransport().send(
            HTTPTransportRequest(
                method: .get, url: server.url(path), headers: [:], body: [], timeout: .seconds(60)))
    }

    @Test(
        "every response forbids sniffing, framing, loading, and leaking its address; over HTTPS it keeps the host on HTTPS",
        arguments: [true, false])
    func headers(isSecure: Bool) async throws {
        try await withServer(publicURL: isSecure ? "https://login.example.org" : nil) { server in
            for path in [
                "/healthz", "/openapi.json", "/.well-known/jwks.json", Self.page,
                "/oauth2/authorize", "/verify", "/nowhere", "/v1/users", "/oauth2/userinfo",
            ] {
                let answer = try await Self.get(path, server), headers = answer.headers
                #expect(headers["x-content-type-options"] == "nosniff", "\(path)")
                #expect(headers["referrer-policy"] == "no-referrer", "\(path)")
                let policy = headers["content-security-policy"] ?? ""
                for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
                    #expect(policy.contains(rule), "\(path): \(policy)")
                }
                #expect(
                    headers["strict-transport-security"]
                        == (isSecure ? "max-age=31536000; includeSubDomains" : nil), "\(path)")
                #expect(headers["access-control-allow-origin"] == nil, "\(path)")
                let type = headers["content-type"] ?? ""
                #expect(
                    answer.status == 303 || type.hasPrefix("application/")
                        || type.contains("charset=utf-8"),
                    "\(path): \(type)")
                let isPublicDocument = ["/openapi.json", "/.well-known/jwks.json"].contains(path)
                #expect(isPublicDocument || headers["cache-control"] == "no-store", "\(path)")
            }
        }
    }

    @Test(
        "the sign-in page's cookie is for this host, for HTTPS, and hidden from scripts and other sites",
        arguments: [true, false])
    func cookie(isSecure: Bool) async throws {
        try await withServer(publicURL: isSecure ? "https://login.example.org" : nil) { server in
            let cookie = try #require(try await Self.get(Self.page, server).headers["set-cookie"])
            let parts = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let pair = try #require(parts.first?.split(separator: "=", maxSplits: 1))
            #expect(
                pair[0] == (isSecure ? "__Host-mien_browser" : "mien_browser")
                    && Base64URL.decode(pair[1])?.count == 24)
            #expect(
                Set(parts.dropFirst())
                    == Set(
                        ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=34560000"]
                            + (isSecure ? ["Secure"] : [])))
        }
    }

    @Test("the sign-in page masks the password and leaves pasting and password managers alone")
    func form() async throws {
        try await withServer(publicURL: nil) { server in
            let text = try await PageBrowser(server.address).open(Self.page).text
            #expect(
                text.contains(#"type="password" autocomplete="current-password""#)
                    && text.contains(#"autocomplete="username webauthn""#))
            #expect(
                !text.contains("onpaste")
                    && text.firstMatch(of: /type="password"[^>]*maxlength/) == nil)
            // Scripts come from files of the server, and one element holds data.
            for script in text.matches(of: /<script([^>]*)>/) {
                let attributes = script.output.1
                #expect(
                    attributes.contains(#"type="module" src="/web/"#)
                        || attributes.contains(#"type="application/json""#), "\(attributes)")
            }
        }
    }
}
