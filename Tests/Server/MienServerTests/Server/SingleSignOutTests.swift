import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Several apps in one browser: what a sign-out ends, and who hears of it.
@Suite("Single sign-out", .enabled(if: Installed.isThere, Installed.reason))
struct SingleSignOutTests {
    static let back = "https://app.example.org/bye"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Makes the apps `shop` and `news`, to which browsers return after a sign-out.
    private func run(
        _ settings: [String: JSONValue] = [:],
        _ body: @Sendable (TestServer, PageBrowser, UserID) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            for app in ["shop", "news"] {
                try await PagesTests.makeApp(
                    app, on: server,
                    settings.merging(["post_logout_redirect_uris": [.string(Self.back)]]) { $1 })
            }
            try await body(server, PageBrowser(server.address), user)
        }
    }

    /// Signs in to an app in a browser, with a form only if its session does not answer.
    static func tokens(_ app: String, in browser: PageBrowser, on server: any ServerUnderTest)
        async throws -> TokenClient.Answer
    {
        let page = try await browser.signIn(PagesTests.authorize(app))
        let code = try #require(page.parameters["code"], "\(page.status) \(page.location ?? "")")
        let answer = try await redeem(code, app, on: server)
        try #require(answer.status == 200, "\(answer.body)")
        return answer
    }

    static func redeem(_ code: String, _ app: String, on server: any ServerUnderTest) async throws
        -> TokenClient.Answer
    {
        try await TokenClient(server: server, app: app).token(
            "authorization_code",
            [
                ("code", code), ("redirect_uri", PagesTests.redirect),
                ("code_verifier", String(repeating: "v", count: 43)),
            ])
    }

    static func sid(_ tokens: TokenClient.Answer) throws -> String {
        try #require(try TokenClient.claims(tokens["id_token"])["sid"]?.stringValue)
    }

    static func logout(_ fields: [String: String?]) -> String {
        "/oauth2/logout?\(PageApp.form(fields))"
    }

    private static func isOpen(
        _ tokens: TokenClient.Answer, _ app: String, on server: any ServerUnderTest
    ) async throws -> Bool {
        try await TokenClient(server: server, app: app).userInfo(tokens["access_token"]).status
            == 200
    }

    private static func asks(_ app: String, in browser: PageBrowser) async throws -> Bool {
        try await browser.get(PagesTests.authorize(app, ["prompt": "none"])).parameters["error"]
            == "login_required"
    }

    // MARK: What the browser's sign-in is

    @Test func `a browser's sign-in belongs to no app, and the lists name what was used`()
        async throws
    {
        try await run { server, browser, user in
            try await PagesTests.makeApp("guest", on: server, isFirstParty: false)
            let guest = try await Self.tokens("guest", in: browser, on: server)
            _ = try await Self.tokens("news", in: browser, on: server)
            var listed = try await server.admin.signIns(of: user).items
            #expect(Set(listed.map(\.appID)) == [nil, "guest", "news"])
            #expect(listed.first { $0.appID == nil }?.appName == nil)
            #expect(Set(listed.map(\.id)).count == 3)
            let page = try await browser.open("/account")
            #expect(page.status == 200, "\(page.status)")
            listed = try await server.admin.signIns(of: user).items
            #expect(listed.count == 3, "the account page adds none")
            let rows = page.text.matches(
                of: /list-title"><span dir="auto">([^<]*)<\/span>( <span class="tag">([^<]*)<)?/
            ).map { (String($0.output.1), $0.output.3.map(String.init)) }
            #expect(rows.contains { $0 == ("Web browser", "This browser") }, "\(rows)")
            #expect(rows.contains { $0 == ("App news", nil) }, "\(rows)")
            #expect(rows.contains { $0 == ("App guest", nil) }, "\(rows)")
            #expect(!rows.contains { $0.0 == "App shop" }, "the person never used it: \(rows)")
            let audit = try await server.admin.audit(user: user).items
            #expect(Set(audit.compactMap(\.appID)).isSubset(of: ["guest", "news"]), "\(audit)")
            let began = audit.filter { $0.event == "browser.signed_in" }
            #expect(began.count == 1 && began.first?.appID == nil)
            #expect(audit.count { $0.event == "tokens.granted" } == 2)
            // The guest's own data page has neither the mark nor another app's tokens.
            #expect(try await Self.isOpen(guest, "guest", on: server))
            let data = try await browser.get("/account/data")
            #expect(data.status == 200 && !data.text.contains("browser_mark"))
        }
    }

    @Test func `the browser's sign-in ends in the list, and the apps stay signed in`() async throws
    {
        try await run { server, browser, user in
            let shop = try await Self.tokens("shop", in: browser, on: server)
            let own = try #require(
                try await server.admin.signIns(of: user).items.first { $0.appID == nil })
            try await server.admin.endSignIn(own.id, of: user)
            #expect(try await Self.asks("shop", in: browser))
            #expect(try await browser.get("/account").location?.hasPrefix("/signin/") == true)
            #expect(try await Self.isOpen(shop, "shop", on: server))
        }
    }

    // MARK: What a sign-out ends

    @Test(arguments: ["app", "browser"])
    func `a sign-out ends the app's sign-in, or all of the browser's`(scope: String) async throws {
        try await run(["logout_scope": .string(scope)]) { server, browser, user in
            let elsewhere = PageBrowser(server.address)
            let other = try await Self.tokens("news", in: elsewhere, on: server)
            let shop = try await Self.tokens("shop", in: browser, on: server)
            let news = try await Self.tokens("news", in: browser, on: server)
            let answer = try await browser.get(
                Self.logout([
                    "id_token_hint": news["id_token"], "post_logout_redirect_uri": Self.back,
                    "state": "s",
                ]))
            #expect(answer.location == "\(Self.back)?state=s", "\(answer.status)")
            #expect(await browser.cookies["mien_session"] == nil)
            #expect(try await !Self.isOpen(news, "news", on: server))
            #expect(try await Self.isOpen(shop, "shop", on: server) == (scope == "app"))
            #expect(try await Self.asks("shop", in: browser), "the next visit asks")
            #expect(try await Self.isOpen(other, "news", on: server))
            #expect(try await !Self.asks("news", in: elsewhere))
            let audit = try await server.admin.audit(user: user).items
            #expect(audit.count { $0.event == "browser.signed_out" } == 1)
            let ended = audit.filter { $0.event == "tokens.revoked" }
            #expect(
                Set(ended.compactMap(\.appID)) == (scope == "app" ? ["news"] : ["news", "shop"]))
        }
    }

    @Test func `a sign-out reaches the browser's sign-ins without its cookies and after they aged`()
        async throws
    {
        try await run(["logout_scope": "browser"]) { server, browser, _ in
            // A web app without refresh tokens, whose session outlives its access token.
            let page = try await browser.signIn(PagesTests.authorize("shop", ["scope": "openid"]))
            let shop = try await Self.redeem(
                try #require(page.parameters["code"]), "shop", on: server)
            #expect(shop["refresh_token"] == nil && shop.body["expires_in"] == 1800)
            let news = try await Self.tokens("news", in: browser, on: server)
            // Another sign-in in the same browser is in the same family.
            _ = try await browser.signIn(PagesTests.authorize("news", ["prompt": "login"]))
            server.time.advance(.seconds(3000))
            #expect(try await !Self.isOpen(shop, "shop", on: server), "its access token expired")
            let user = try await server.userID("ada")
            let before = try await server.admin.signIns(of: user).items
            #expect(before.contains { $0.appID == "shop" })
            // A form of the app's page comes without the browser's cookies.
            let form = try await PageBrowser(server.address).post(
                "/oauth2/logout", ["id_token_hint": news["id_token"] ?? ""])
            #expect(form.status == 200, "\(form.text)")
            #expect(try await server.admin.signIns(of: user).items.isEmpty)
            #expect(try await Self.asks("news", in: browser))
        }
    }

    @Test(arguments: ["app", "browser"])
    func `an ID token of a sign-in that has ended ends nothing else`(scope: String) async throws {
        try await run(["logout_scope": .string(scope)]) { server, browser, _ in
            let former = try await Self.tokens("shop", in: browser, on: server)
            _ = try await browser.get(Self.logout(["id_token_hint": former["id_token"]]))
            let news = try await Self.tokens("news", in: browser, on: server)
            // A client with the old token, in another browser.
            _ = try await PageBrowser(server.address).get(
                Self.logout(["id_token_hint": former["id_token"]]))
            #expect(try await Self.isOpen(news, "news", on: server))
            #expect(try await !Self.asks("news", in: browser))
        }
    }

    @Test func `another person in the same browser stays signed in`() async throws {
        try await run(["logout_scope": "browser"]) { server, browser, _ in
            try await server.makeUser("bob")
            let ada = try await Self.tokens("shop", in: browser, on: server)
            let page = try await browser.signIn(
                PagesTests.authorize("news", ["prompt": "login"]), name: "bob")
            let bob = try await Self.redeem(
                try #require(page.parameters["code"]), "news", on: server)
            _ = try await browser.get(Self.logout(["id_token_hint": ada["id_token"]]))
            #expect(try await !Self.isOpen(ada, "shop", on: server))
            #expect(try await Self.isOpen(bob, "news", on: server))
            #expect(try await !Self.asks("news", in: browser), "Bob's session stays")
        }
    }

    @Test("a code that waits when the browser signs out is refused")
    func pendingCode() async throws {
        try await run { server, browser, _ in
            let news = try await Self.tokens("news", in: browser, on: server)
            let page = try await browser.get(PagesTests.authorize("shop"))
            let code = try #require(page.parameters["code"])
            _ = try await browser.get(Self.logout(["id_token_hint": news["id_token"]]))
            #expect(try await Self.redeem(code, "shop", on: server).error == "invalid_grant")
        }
    }

    // MARK: The question

    @Test("a sign-out without a hint asks, and then returns to the registered address")
    func question() async throws {
        try await run { server, browser, _ in
            let shop = try await Self.tokens("shop", in: browser, on: server)
            let news = try await Self.tokens("news", in: browser, on: server)
            let address = Self.logout([
                "client_id": "news", "post_logout_redirect_uri": Self.back, "state": "a b&c",
            ])
            let page = try await browser.get(address)
            #expect(page.status == 200 && page.location == nil)
            #expect(page.text.contains("Sign out?") && page.text.contains("App news"))
            #expect(
                page.headers["content-security-policy"]?.contains(
                    "form-action 'self' https://app.example.org https:;") == true)
            #expect(try await Self.isOpen(news, "news", on: server), "nothing has ended yet")
            func fields(_ page: PageBrowser.Page) -> [String: String] {
                ["csrf", "client_id", "post_logout_redirect_uri", "state"].reduce(into: [:]) {
                    $0[$1] = page.hidden($1)?.replacing("&amp;", with: "&")
                }
            }
            #expect(fields(page).count == 4)
            let outside = try await PageBrowser(server.address).post("/signout", fields(page))
            #expect(outside.status == 400, "a form of another browser")
            let answer = try await browser.post("/signout", fields(page))
            #expect(
                answer.status == 303 && answer.location == "\(Self.back)?state=a%20b%26c",
                "\(answer)")
            #expect(try await !Self.isOpen(news, "news", on: server))
            #expect(try await Self.isOpen(shop, "shop", on: server))
            #expect(try await Self.asks("shop", in: browser))
            #expect(try await browser.get(address).location == "\(Self.back)?state=a%20b%26c")

            // An address that is not the app's, or of no app, is left out of the question.
            _ = try await browser.signIn(PagesTests.authorize("news"))
            let misdirected: [(String?, String)] = [
                ("news", "https://evil.example/"), (nil, Self.back),
            ]
            for (app, target) in misdirected {
                let asked = try await browser.get(
                    Self.logout(["client_id": app, "post_logout_redirect_uri": target]))
                #expect(asked.status == 200 && asked.text.contains("Sign out?"))
                #expect(
                    asked.headers["content-security-policy"]?.contains("form-action 'self';")
                        == true)
            }
            let asked = try await browser.get(
                Self.logout([
                    "client_id": "news", "post_logout_redirect_uri": "https://evil.example/",
                ]))
            let refused = try await browser.post("/signout", fields(asked))
            #expect(refused.status == 400 && refused.location == nil)
            #expect(refused.text.contains("post_logout_redirect_uris"))
            #expect(try await Self.asks("news", in: browser), "signed out all the same")
        }
    }

    // MARK: Frames

    @Test func `the page of a sign-out has a frame for each app whose sign-in has ended`()
        async throws
    {
        try await run(["logout_scope": "browser"]) { server, browser, _ in
            try await PagesTests.makeApp(
                "mail", on: server,
                [
                    "redirect_uris": ["https://mail.example.org/a", .string(PagesTests.redirect)],
                    "frontchannel_logout_uri": "https://mail.example.org/out?x=1",
                    "frontchannel_logout_session_required": true,
                ])
            try await PagesTests.makeApp(
                "wiki", on: server,
                ["frontchannel_logout_uri": "https://app.example.org/wiki/out"])
            let mail = try await Self.tokens("mail", in: browser, on: server)
            for app in ["wiki", "wiki"] {
                _ = try await Self.tokens(app, in: browser, on: server)
            }
            let shop = try await Self.tokens("shop", in: browser, on: server)
            let page = try await browser.get(
                Self.logout([
                    "id_token_hint": shop["id_token"], "post_logout_redirect_uri": Self.back,
                    "state": "s",
                ]))
            #expect(page.status == 200 && page.location == nil)
            let frames = page.text.matches(
                of: /<iframe hidden sandbox="([^"]*)" src="([^"]*)"/
            ).map { String($0.output.2).replacing("&amp;", with: "&") }
            let issuer = PercentEncoding.encode(server.issuer)
            #expect(
                frames.sorted() == [
                    "https://app.example.org/wiki/out",
                    "https://mail.example.org/out?x=1&iss=\(issuer)&sid=\(try Self.sid(mail))",
                ], "\(frames)")
            #expect(
                page.headers["content-security-policy"]?.contains(
                    "frame-src https://app.example.org https://mail.example.org;") == true)
            #expect(page.text.contains("id=\"continue\" href=\"\(Self.back)?state=s\""))
            #expect(page.text.contains("signout.js"))
            #expect(await browser.cookies["mien_session"] == nil)
            // Other pages have none.
            let other = try await browser.open(PagesTests.authorize("shop"))
            #expect(
                other.headers["content-security-policy"]?.contains("frame-src 'none';") == true)
            // A repeated request tells the app of the ID token once more, and no other.
            let again = try await browser.get(Self.logout(["id_token_hint": mail["id_token"]]))
            #expect(again.text.matches(of: /<iframe/).count == 1 && !again.text.contains("wiki"))
        }
    }

    @Test func `only apps of the browser that signs out are framed, and addresses are checked`()
        async throws
    {
        try await run { server, browser, _ in
            let uri = "https://app.example.org/out"
            try await PagesTests.makeApp(
                "wiki", on: server, ["frontchannel_logout_uri": .string(uri)])
            _ = try await Self.tokens("wiki", in: browser, on: server)
            let shop = try await Self.tokens("shop", in: browser, on: server)
            let page = try await browser.get(Self.logout(["id_token_hint": shop["id_token"]]))
            #expect(page.status == 200 && !page.text.contains("<iframe"), "wiki stays signed in")
            for wrong in [
                "https://other.example.org/out", "http://app.example.org/out",
                "https://app.example.org:8443/out", "com.example.app:/out", "/out",
                "https://app.example.org/out#x",
            ] {
                let error = await #expect(throws: MienError.self) {
                    try await PagesTests.makeApp(
                        "bad", on: server, ["frontchannel_logout_uri": .string(wrong)])
                }
                #expect(
                    error?.problem?.errors?.first?.field == "settings.frontchannel_logout_uri",
                    "\(wrong)")
            }
            try await PagesTests.makeApp(
                "local", on: server,
                [
                    "redirect_uris": ["http://127.0.0.1/back"],
                    "frontchannel_logout_uri": "http://127.0.0.1:8080/out",
                ])
        }
    }

    // MARK: The back channel

    @Test(
        "each sign-in that a sign-out ends is told to its app once, with the sid of its ID token",
        .enabled(if: Peer.isThere, Peer.reason), arguments: ["app", "browser"])
    func notices(scope: String) async throws {
        let server = try await AttackedServer.start(
            in: scratch,
            [
                "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "true",
                "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
            ],
            publicURL: nil)
        let user = try await server.makeUser("ada")
        let apps = ["shop", "news", "idle"]
        let peer = try Peer(
            "logout_receiver",
            [
                "keys": .string(server.address + "/.well-known/jwks.json"),
                "audience": .array(apps.map { .string($0) }), "issuer": .string(server.issuer),
            ])
        let port = try await peer.port()
        for app in apps {
            _ = try await server.admin.createApp(
                AppRequest(
                    id: app, name: app, isFirstParty: true,
                    settings: [
                        "redirect_uris": [.string(PagesTests.redirect)], "sign_in_page": true,
                        "logout_scope": .string(scope),
                        "backchannel_logout_uri": .string("http://localhost:\(port)/\(app)"),
                    ]))
        }
        let browser = PageBrowser(server.address)
        var sids: [String: String] = [:]
        var hint = ""
        for app in ["shop", "news"] {
            let tokens = try await Self.tokens(app, in: browser, on: server)
            sids[app] = try Self.sid(tokens)
            hint = tokens["id_token"] ?? ""
        }
        #expect(try await browser.open("/account").status == 200)
        let answer = try await browser.get(Self.logout(["id_token_hint": hint]))
        #expect(answer.status == 200)
        // What remains ends, and is told as well.
        try await server.admin.markCompromised(user)
        var heard: [String: [String]] = [:]
        for _ in 0..<2 {
            let told = try await peer.next(with: "path")
            #expect(told["error"] == nil, "\(told)")
            let claims = try #require(told["claims"])
            #expect(told["path"]?.stringValue == "/\(claims["aud"]?.stringValue ?? "")")
            heard[claims["aud"]?.stringValue ?? "", default: []].append(
                claims["sid"]?.stringValue ?? "")
        }
        #expect(heard == sids.mapValues { [$0] })
        #expect(try await peer.end().filter { $0["path"] != nil }.count == 2, "and nothing else")
        let audit = try await server.admin.audit(user: user).items
        #expect(!audit.contains { $0.appID == "idle" })
        #expect(
            audit.count { $0.event == "tokens.revoked" } == (scope == "app" ? 1 : 2))
        #expect(await server.process.stop() == 0)
    }

    // MARK: The account pages of several apps

    @Test("what was proved for one app's account page does not count on another's")
    func stepUp() async throws {
        try await run { server, browser, _ in
            _ = try await browser.signIn("/account?client_id=shop")
            #expect(try await browser.get("/account?client_id=news").status == 200)
            server.time.advance(.seconds(301))
            let page = try await browser.get("/account/password?client_id=shop")
            let link = try #require(
                page.text.firstMatch(of: /href="(\/signin\/[^"]*)"/)?.output.1, "\(page.text)")
            let form = try await browser.get(String(link))
            let done = try await browser.submit(
                form,
                [
                    "option": "password", "f_username": "ada",
                    "f_password": "a password nobody has",
                ])
            #expect(done.location?.hasPrefix("/account/password") == true, "\(done.text)")
            #expect(try await browser.get("/account/password?client_id=shop").status == 200)
            let other = try await browser.get("/account/password?client_id=news")
            #expect(other.location?.hasPrefix("/signin/") == true, "\(other.status)")
            // Apps see the session as it was.
            #expect(try await !Self.asks("news", in: browser))
        }
    }
}
