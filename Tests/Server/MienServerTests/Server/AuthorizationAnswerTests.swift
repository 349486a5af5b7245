import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// How an authorization request is answered: by which way, and with which error.
@Suite("Answers to authorization requests", .enabled(if: Installed.isThere, Installed.reason))
struct AuthorizationAnswerTests {
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

    @Test("with form_post, a page of the server posts the code, or the error, to the app")
    func formPost() async throws {
        try await withApp { server, app in
            let browser = PageBrowser(server.address)
            let wanted: [String: String?] = ["response_mode": "form_post", "state": "\"><b>&"]
            let back = try await app.visit(wanted, in: browser)
            let address = try #require(back.location)
            #expect(address.hasPrefix("/oauth2/answer/"))
            let page = try await browser.get(address)
            #expect(page.text.contains("action=\"https://app.example.org/back\""))
            #expect(!page.text.contains("\"><b>"), "the state is escaped")
            #expect(
                page.headers["content-security-policy"]?.contains(
                    "form-action 'self' https://app.example.org https:;") == true)
            #expect(page.hidden("iss") == server.address)
            #expect(try await browser.get(address).hidden("code") == page.hidden("code"))
            #expect(try await app.redeem(page.hidden("code")).status == 200)
            server.time.advance(.seconds(60))
            #expect(try await browser.get(address).status == 404)
            // A session answers without a sign-in, and an error comes the same way.
            let again = try await browser.open("/oauth2/authorize?\(app.query(wanted))")
            #expect(again.hidden("code") != nil && again.hidden("error") == nil)
            let refused = try await PageBrowser(server.address).open(
                "/oauth2/authorize?\(app.query(wanted.merging(["prompt": "none"]) { $1 }))")
            #expect(refused.hidden("error") == "login_required" && refused.hidden("code") == nil)
        }
    }

    @Test(
        "what the server does not support is refused by its name, with the state",
        arguments: [
            ("response_mode", "fragment", "invalid_request"),
            ("response_mode", "query.jwt", "invalid_request"),
            ("request_uri", "https://app.example.org/request", "request_uri_not_supported"),
            ("request", "e30.e30.", "request_not_supported"),
            ("registration", "{}", "registration_not_supported"),
        ])
    func unsupported(name: String, value: String, error: String) async throws {
        try await withApp { _, app in
            let page = try await app.visit([name: value])
            #expect(page.parameters["error"] == error && page.parameters["state"] == "s-1")
        }
    }

    @Test("a request with the scope openid needs redirect_uri; another one of OAuth does not")
    func redirectURI() async throws {
        try await withApp { server, app in
            let page = try await PageBrowser(server.address).get(
                "/oauth2/authorize?\(app.query(["redirect_uri": nil]))")
            #expect(page.status == 400 && page.text.contains("redirect_uri is missing"))
            let other = try await app.visit(["redirect_uri": nil, "scope": "email"])
            #expect(other.parameters["code"] != nil)
        }
    }

    @Test("the UserInfo endpoint takes a token in a body, and names no error without one")
    func userInfo() async throws {
        try await withApp { _, app in
            let access = try #require(try await app.tokens()["access_token"])
            let posted = try await app.client.post(
                "/oauth2/userinfo", [("access_token", access)])
            #expect(posted.status == 200 && posted["sub"] != nil)
            for answer in [
                try await app.client.send(.get, "/oauth2/userinfo", [:]),
                try await app.client.post("/oauth2/userinfo", [("other", "x")]),
            ] {
                #expect(answer.status == 401 && answer.error == nil)
                #expect(answer.headers["www-authenticate"] == #"Bearer realm="mien""#)
            }
            let wrong = try await app.client.post("/oauth2/userinfo", [("access_token", "x")])
            #expect(wrong.status == 401 && wrong.error == "invalid_token")
        }
    }

    @Test("discovery says what the server supports")
    func discovery() async throws {
        try await withApp { server, _ in
            let about = try await server.send(.get, "/.well-known/openid-configuration").body
            #expect(about["response_modes_supported"] == ["query", "form_post"])
            #expect(about["claims_parameter_supported"] == true)
            #expect(about["request_uri_parameter_supported"] == false)
            let scopes = about["scopes_supported"]?.arrayValue ?? []
            for scope in ["profile", "email", "address", "phone", "groups"] {
                #expect(scopes.contains(.string(scope)))
            }
            let algorithms = about["id_token_signing_alg_values_supported"]
            #expect(algorithms == ["ES256", "RS256"])
        }
    }
}
