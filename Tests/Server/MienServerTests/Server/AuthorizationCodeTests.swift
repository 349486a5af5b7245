import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@Suite("Authorization code", .enabled(if: Installed.isThere, Installed.reason))
struct AuthorizationCodeTests {
    private let scratch: ScratchFolder
    private static let redirect = "https://app.example.org/back",
        native = "com.example.app://host/path"
    private static let verifier = String(repeating: "v", count: 43)
    private static let challenge = Base64URL.encode(SHA256.hash(data: Data(verifier.utf8)))

    init() throws { scratch = try ScratchFolder() }

    /// Opens browsers, each of which has signed in nowhere.
    private struct Browser: Sendable {
        let server: TestServer

        struct Page: Sendable {
            let page: PageBrowser.Page
            /// The token of a known device that the browser got, as it sends it.
            let cookie: String?
            let setCookie: String?
            var status: Int { page.status }
            var location: URLComponents? { page.location.flatMap { URLComponents(string: $0) } }
            var text: String { page.text }
            var parameters: [String: String] { page.parameters }
        }

        func get(_ query: String) async throws -> PageBrowser.Page {
            try await PageBrowser(server.address).get("/oauth2/authorize?\(query)")
        }

        /// Opens the page, fills it in, and sends it.
        ///
        /// - Parameter device: The cookie of a browser that has signed in before.
        func signIn(
            _ query: String, name: String = "ada", password: String = "a password nobody has",
            device: String? = nil
        ) async throws -> Page {
            let browser = PageBrowser(server.address)
            if let device {
                await browser.setCookie(
                    "mien_device", String(device.dropFirst("mien_device=".count)))
            }
            let page = try await browser.signIn(
                "/oauth2/authorize?\(query)", name: name, password: password)
            let set = await browser.setCookies["mien_device"]
            return Page(
                page: page, cookie: set.map { String($0.prefix { $0 != ";" }) }, setCookie: set)
        }
    }

    private static func query(_ changed: [String: String?] = [:]) -> String {
        var all: [String: String?] = [
            "response_type": "code", "client_id": "web", "redirect_uri": redirect,
            "scope": "openid offline_access full-access email",
            "state": "s 1&x", "nonce": "n-1", "code_challenge": challenge,
            "code_challenge_method": "S256",
        ]
        all.merge(changed) { $1 }
        return all.compactMap { name, value in
            value.map {
                "\(name)=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
            }
        }
        .sorted().joined(separator: "&")
    }

    private func withApp(_ body: @Sendable (TestServer, Browser, TokenClient) async throws -> Void)
        async throws
    {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "web", name: "Web <shop>",
                    settings: [
                        "redirect_uris": [.string(Self.redirect), .string(Self.native)],
                        "sign_in_page": true,
                    ]))
            try await body(server, Browser(server: server), TokenClient(server: server, app: "web"))
        }
    }

    private static func redeem(
        _ client: TokenClient, _ code: String?, _ changed: [String: String] = [:]
    ) async throws -> TokenClient.Answer {
        var fields = ["code": code ?? "", "redirect_uri": redirect, "code_verifier": verifier]
        fields.merge(changed) { $1 }
        return try await client.token("authorization_code", fields.map { ($0.key, $0.value) })
    }

    @Test("a user signs in on the page, and the app exchanges the code for tokens once")
    func life() async throws {
        try await withApp { server, browser, client in
            let back = try await browser.signIn(Self.query())
            #expect(
                back.status == 303 && back.location?.host == "app.example.org"
                    && back.location?.path == "/back")
            #expect(back.parameters["state"] == "s 1&x" && back.parameters["iss"] == server.address)
            let tokens = try await Self.redeem(client, back.parameters["code"])
            #expect(tokens.status == 200, "\(tokens.body)")
            let info = try await client.userInfo(tokens["access_token"])
            #expect(info["email"] == "ada@example.org")
            let claims = try TokenClient.claims(tokens["id_token"])
            #expect(claims["nonce"] == "n-1" && claims["aud"] == "web" && claims["at_hash"] != nil)
            #expect(try await Self.redeem(client, back.parameters["code"]).error == "invalid_grant")
            #expect(
                try await client.userInfo(tokens["access_token"]).status == 401,
                "a code that is used twice may be stolen, so its tokens are revoked")
        }
    }

    @Test(
        "scopes that the server does not know are ignored, and the answer says what was granted",
        arguments: [
            ("openid profile email roles", "email openid profile"),
            ("openid profile email phone picture", "email openid phone profile"),
            (
                "openid offline_access https://graph.example/\(String(repeating: "a", count: 80))",
                "offline_access openid"
            ),
            ("roles", ""),
        ])
    func unknownScopes(asked: String, granted: String) async throws {
        try await withApp { server, browser, client in
            let back = try await browser.signIn(Self.query(["scope": asked]))
            let tokens = try await Self.redeem(client, back.parameters["code"])
            #expect(tokens.status == 200 && tokens["scope"] == granted, "\(tokens.body)")
            guard let refresh = tokens["refresh_token"] else { return }
            // Clients repeat the scope that they asked for.
            #expect(try await client.refresh(refresh, [("scope", asked)])["scope"] == granted)
        }
    }

    @Test("state and nonce may be as long as the address allows, and return unchanged")
    func longState() async throws {
        try await withApp { server, browser, client in
            let nonce = String(repeating: "n", count: 600)
            let rest = Self.query(["state": "", "nonce": nonce]).utf8.count
            let state = String(repeating: "s", count: 8192 - rest)
            let query = Self.query(["state": state, "nonce": nonce])
            #expect(query.utf8.count == 8192)
            let back = try await browser.signIn(query)
            #expect(back.parameters["state"] == state)
            let tokens = try await Self.redeem(client, back.parameters["code"])
            #expect(try TokenClient.claims(tokens["id_token"])["nonce"] == .string(nonce))
            #expect(
                try await browser.get(Self.query(["state": state + "s", "nonce": nonce])).status
                    == 400)
        }
    }

    @Test(
        "an app that listens on this machine may use any port",
        arguments: ["http://127.0.0.1", "http://[::1]", "http://localhost"])
    func loopback(origin: String) async throws {
        try await withApp { server, browser, _ in
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "cli", name: "Command line",
                    settings: [
                        "redirect_uris": [.string(origin + "/callback?a=b")], "sign_in_page": true,
                    ]))
            let client = TokenClient(server: server, app: "cli")
            for port in ["", ":53219", ":1"] {
                let address = origin + port + "/callback?a=b"
                let back = try await browser.signIn(
                    Self.query(["client_id": "cli", "redirect_uri": address]))
                #expect(back.page.location?.hasPrefix(address + "&code=") == true)
                let code = back.parameters["code"]
                if port == ":1" {
                    #expect(
                        try await Self.redeem(
                            client, code, ["redirect_uri": origin + ":2/callback?a=b"]
                        ).error == "invalid_grant", "another port than the request's")
                } else {
                    #expect(
                        try await Self.redeem(client, code, ["redirect_uri": address]).status == 200
                    )
                }
            }
        }
    }

    @Test("codes are bound to their app, redirect URI, and verifier, and expire after a minute")
    func codes() async throws {
        try await withApp { server, browser, client in
            func code() async throws -> String? {
                try await browser.signIn(Self.query()).parameters["code"]
            }
            #expect(
                try await Self.redeem(
                    client, code(), ["code_verifier": String(repeating: "w", count: 43)]
                ).error == "invalid_grant")
            #expect(
                try await Self.redeem(client, code(), ["redirect_uri": Self.native]).error
                    == "invalid_grant")
            #expect(
                try await Self.redeem(TokenClient(server: server), code()).error == "invalid_grant",
                "a code of another app")
            let late = try await code()
            server.time.advance(.seconds(60))
            #expect(try await Self.redeem(client, late).error == "invalid_grant")
            #expect(try await Self.redeem(client, "nonsense").error == "invalid_grant")
            #expect(
                try await client.token("authorization_code", [("code", "x")]).error
                    == "invalid_request", "without a verifier")
        }
    }

    @Test(arguments: [(true, true), (false, true), (true, false)])
    func `a code ends with its redirect URI, and with the app's sign-in page`(
        hasAddress: Bool, hasPage: Bool
    ) async throws {
        try await withApp { server, browser, client in
            let code = try await browser.signIn(Self.query()).parameters["code"]
            let addresses = [Self.native] + (hasAddress ? [Self.redirect] : [])
            _ = try await server.admin.updateApp(
                #require(AppID("web")),
                AppRequest(
                    name: "Web <shop>",
                    settings: [
                        "redirect_uris": .array(addresses.map { .string($0) }),
                        "sign_in_page": .bool(hasPage),
                    ]))
            let answer = try await Self.redeem(client, code)
            #expect(answer.error == (hasAddress && hasPage ? nil : "invalid_grant"))
        }
    }

    @Test("a wrong password shows the page again and counts at the lock gate")
    func wrong() async throws {
        try await withApp { server, browser, client in
            for _ in 1...5 {
                let page = try await browser.signIn(Self.query(), password: "wrong")
                #expect(page.status == 401 && page.text.contains("That did not work"))
            }
            #expect(try await browser.signIn(Self.query()).status == 401, "locked")
            server.time.advance(.seconds(61))
            #expect(try await browser.signIn(Self.query()).status == 303)
        }
    }

    @Test("strangers cannot lock out a browser that has signed in before, for any app")
    func knownBrowser() async throws {
        try await withApp { server, browser, _ in
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "other", name: "Other",
                    settings: ["redirect_uris": [.string(Self.redirect)], "sign_in_page": true]))
            let first = try await browser.signIn(Self.query())
            let device = try #require(first.cookie)
            #expect(
                device.hasPrefix("mien_device=dev_")
                    && first.setCookie?.contains("HttpOnly; SameSite=Lax; Max-Age=34560000")
                        == true
            )
            for _ in 1...5 {
                #expect(try await browser.signIn(Self.query(), password: "wrong").status == 401)
            }
            #expect(
                try await browser.signIn(Self.query()).status == 401, "locked for other browsers")
            let again = try await browser.signIn(Self.query(), device: device)
            #expect(again.status == 303 && again.cookie == nil, "it keeps its token")
            #expect(
                try await browser.signIn(Self.query(["client_id": "other"]), device: device).status
                    == 303, "a password serves all apps")
            for _ in 1...5 {
                #expect(
                    try await browser.signIn(Self.query(), password: "wrong", device: device).status
                        == 401)
            }
            #expect(
                try await browser.signIn(Self.query(), device: device).status == 401,
                "its own failures count")

            try await server.makeUser("bob")
            let bob = try await browser.signIn(Self.query(), name: "bob", device: device)
            #expect(
                bob.status == 303 && bob.cookie?.hasPrefix("mien_device=dev_") == true
                    && bob.cookie != device, "another user of that browser")
        }
    }

    @Test("the page escapes its content, and another site cannot submit it")
    func page() async throws {
        try await withApp { server, browser, client in
            let own = PageBrowser(server.address), other = PageBrowser(server.address)
            let page = try await own.open(
                "/oauth2/authorize?\(Self.query(["login_hint": "\"><script>alert(1)</script>"]))")
            #expect(!page.text.contains("<script>") && page.text.contains("Web &lt;shop&gt;"))
            let policy = try #require(page.headers["content-security-policy"])
            for rule in [
                "default-src 'none'", "frame-ancestors 'none'", "script-src 'self'",
                "require-trusted-types-for 'script'",
                "form-action 'self' https://app.example.org https:;",
            ] { #expect(policy.contains(rule), "\(rule): \(policy)") }
            #expect(!policy.contains("unsafe"))
            let native = try await PageBrowser(server.address).open(
                "/oauth2/authorize?\(Self.query(["redirect_uri": Self.native]))")
            #expect(
                native.headers["content-security-policy"]?.contains(
                    "form-action 'self' com.example.app:;") == true)
            let foreign = try await other.open("/oauth2/authorize?\(Self.query())")
            let fields = [
                "turn": "0", "option": "password", "f_username": "ada",
                "f_password": "a password nobody has",
            ]
            func post(_ token: String?, _ headers: [String: String] = [:]) async throws -> Int {
                var all = fields
                all["csrf"] = token
                return try await own.post(page.address, all, headers: headers).status
            }
            let token = try #require(page.hidden("csrf"))
            #expect(try await post(nil) == 400, "no token")
            #expect(try await post(foreign.hidden("csrf")) == 400, "another browser's token")
            #expect(
                try await post(token, ["origin": "https://evil.example"]) == 400, "another origin")
            #expect(
                try await post(token, ["sec-fetch-site": "cross-site"]) == 400, "another site")
            #expect(
                try await other.get(page.address).status == 400, "another browser's sign-in")
            #expect(try await post(token) == 303)
        }
    }

    @Test(
        "errors in the request are sent to the app once its redirect URI is verified",
        arguments: [
            (["response_type": "token"], "unsupported_response_type"),
            (["code_challenge": nil], "invalid_request"),
            (["code_challenge_method": "plain"], "invalid_request"),
            (["scope": "a\"b"], "invalid_scope"), (["prompt": "none"], "login_required"),
            (["resource": "https://x.example"], "invalid_target"),
            (["dpop_jkt": "short"], "invalid_request"),
        ] as [([String: String?], String)])
    func requests(changed: [String: String?], error: String) async throws {
        try await withApp { server, browser, client in
            let page = try await browser.get(Self.query(changed))
            #expect(
                page.status == 303 && page.parameters["error"] == error
                    && page.parameters["state"] == "s 1&x", "\(page.parameters)")
            for unknown in [
                ["client_id": "nobody"], ["redirect_uri": "https://evil.example/back"],
                ["redirect_uri": Self.redirect + "/more"],
            ] {
                let page = try await browser.get(Self.query(unknown))
                #expect(
                    page.status == 400 && page.location == nil,
                    "no redirect leads to an address that is not the app's")
            }
        }
    }
}
