import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Tests the sign-in pages of a real server, in a browser without scripts.
@Suite("Pages", .enabled(if: Installed.isThere, Installed.reason))
struct PagesTests {
    static let redirect = "https://app.example.org/back"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    static func authorize(_ app: String, _ changed: [String: String?] = [:]) -> String {
        let challenge = Base64URL.encode(SHA256.hash(data: Data(repeating: 0x76, count: 43)))
        var all: [String: String?] = [
            "response_type": "code", "client_id": app, "redirect_uri": redirect,
            "scope": "openid offline_access", "state": "s", "code_challenge": challenge,
            "code_challenge_method": "S256",
        ]
        all.merge(changed) { $1 }
        return "/oauth2/authorize?"
            + all.compactMap { name, value in
                value.map {
                    "\(name)=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
                }
            }.sorted().joined(separator: "&")
    }

    static func makeApp(
        _ id: String, on server: TestServer, isFirstParty: Bool = true,
        _ settings: [String: JSONValue] = [:]
    ) async throws {
        let all: [String: JSONValue] = ["redirect_uris": [.string(redirect)], "sign_in_page": true]
        _ = try await server.admin.createApp(
            AppRequest(
                id: id, name: "App \(id)", isFirstParty: isFirstParty,
                settings: .object(all.merging(settings) { $1 })))
    }

    private func run(_ body: @Sendable (TestServer, PageBrowser) async throws -> Void) async throws
    {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await Self.makeApp("shop", on: server)
            try await body(server, PageBrowser(server.address))
        }
    }

    // MARK: The same form twice

    @Test(arguments: [true, false])
    func `a form that is sent twice leads on from both answers, with one sign-in`(
        isFirstParty: Bool
    ) async throws {
        try await run { server, browser in
            try await Self.makeApp("mall", on: server, isFirstParty: isFirstParty)
            func thrice(_ page: PageBrowser.Page, _ fields: [String: String]) async throws
                -> [PageBrowser.Page]
            {
                let hidden = ["csrf": page.hidden("csrf"), "turn": page.hidden("turn")]
                return try await browser.thrice(
                    page.address, fields.merging(hidden.compactMapValues { $0 }) { $1 })
            }
            var page = try await browser.open(Self.authorize("mall"))
            var answers = try await thrice(
                page,
                [
                    "option": "password", "f_username": "ada",
                    "f_password": "a password nobody has",
                ])
            if !isFirstParty {
                #expect(Set(answers.map(\.location)).count == 1)
                page = try await browser.open(try #require(answers[0].location))
                answers = try await thrice(page, ["action": "allow"])
            }
            let codes = Set(answers.map { $0.parameters["code"] })
            #expect(codes.count == 1 && codes.first != .some(nil))
            #expect(answers.allSatisfy { $0.status == 303 })
            #expect(try await browser.get(Self.authorize("mall")).parameters["code"] != nil)
            // A wrong password is complained about once, and is one guess.
            let other = PageBrowser(server.address)
            page = try await other.open(Self.authorize("mall"))
            let wrong = ["option": "password", "f_username": "ada", "f_password": "wrong"]
            let refused = try await other.submit(page, wrong)
            let again = try await other.submit(page, wrong)
            #expect(refused.complaint != nil && again.location == page.address)
            #expect(try await other.open(page.address).complaint == refused.complaint)
        }
    }

    @Test func `a browser that lost its cookies is led back to where the app began`() async throws {
        try await run { server, browser in
            try await Self.makeApp("mall", on: server, isFirstParty: true)
            let page = try await browser.open(
                Self.authorize("mall", ["login_hint": "ada", "state": "kept"]))
            let fields = ["csrf": page.hidden("csrf") ?? "", "turn": page.hidden("turn") ?? ""]
            let lost = [
                try await PageBrowser(server.address).get(page.address),
                try await PageBrowser(server.address).post(page.address, fields),
            ]
            for answer in lost {
                #expect(answer.status == 400 && !answer.text.contains("login_hint"))
                let link = try #require(
                    answer.text.firstMatch(of: /href="(\/oauth2\/authorize[^"]*)"/)?.output.1)
                let address = String(link).replacing("&amp;", with: "&")
                #expect(address.contains("state=kept"))
                let again = PageBrowser(server.address)
                #expect(try await again.signIn(address).parameters["code"] != nil)
            }
            let unknown = try await browser.get("/signin/\(String(repeating: "A", count: 22))")
            #expect(unknown.status == 400 && unknown.text.contains("href=\"/account\""))
        }
    }

    @Test func `names in the other direction of writing stay in one piece`() async throws {
        try await run { server, browser in
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "yahoo", name: "Yahoo!",
                    settings: ["redirect_uris": [.string(Self.redirect)], "sign_in_page": true]))
            var page = try await browser.open(
                Self.authorize("yahoo", ["ui_locales": "ar"]))
            #expect(page.text.contains("<span class=\"app-name\" dir=\"auto\">Yahoo!</span>"))
            let answer = try await browser.submit(
                page,
                [
                    "option": "password", "f_username": "ada",
                    "f_password": "a password nobody has",
                ])
            page = try await browser.open(try #require(answer.location))
            #expect(page.text.contains("\u{2068}Yahoo!\u{2069}"))
            #expect(!page.text.contains(" Yahoo!"))
        }
    }

    // MARK: Single sign-on

    @Test("a session answers requests of its app and of apps with the same journey, within limits")
    func singleSignOn() async throws {
        try await run { server, browser in
            try await Self.makeApp("news", on: server)
            try await Self.makeApp("bank", on: server, ["sign_in_journey": "password-login"])
            func hasCode(_ app: String, _ changed: [String: String?] = [:]) async throws -> Bool {
                try await browser.get(Self.authorize(app, changed)).parameters["code"] != nil
            }
            #expect(
                try await browser.get(Self.authorize("shop", ["prompt": "none"])).parameters[
                    "error"] == "login_required")
            #expect(try await browser.signIn(Self.authorize("shop")).parameters["code"] != nil)
            #expect(try await hasCode("shop"))
            #expect(try await hasCode("shop", ["prompt": "none"]))
            #expect(try await hasCode("news"))
            #expect(try await !hasCode("bank"), "another journey may require more")
            #expect(try await !hasCode("shop", ["prompt": "login"]))
            #expect(try await !hasCode("shop", ["acr_values": "2"]))
            #expect(try await hasCode("shop", ["acr_values": "1 2"]))
            #expect(try await hasCode("shop", ["login_hint": "ADA"]))
            #expect(try await !hasCode("shop", ["login_hint": "bob"]))
            #expect(try await hasCode("shop", ["max_age": "60"]))
            server.time.advance(.seconds(61))
            #expect(try await !hasCode("shop", ["max_age": "60"]))
            #expect(
                try await browser.get(
                    Self.authorize("shop", ["max_age": "60", "prompt": "none"])
                ).parameters["error"] == "login_required")
            server.time.advance(.seconds(3500))
            #expect(try await hasCode("shop"), "it was used meanwhile")
            server.time.advance(.seconds(3601))
            #expect(try await !hasCode("shop"), "an hour without use")
        }
    }

    @Test("id_token_hint accepts only the user whom the app's earlier ID token names")
    func expectedUser() async throws {
        try await run { server, browser in
            try await server.makeUser("bob")
            try await Self.makeApp("news", on: server)
            let back = try await browser.signIn(Self.authorize("shop"))
            let tokens = try await TokenClient(server: server, app: "shop").token(
                "authorization_code",
                [
                    ("code", back.parameters["code"] ?? ""), ("redirect_uri", Self.redirect),
                    ("code_verifier", String(repeating: "v", count: 43)),
                ])
            let hint = try #require(tokens["id_token"])
            func answer(
                _ browser: PageBrowser, _ app: String, _ hint: String, _ changed: [String: String]
            ) async throws -> [String: String] {
                try await browser.get(
                    Self.authorize(app, changed.merging(["id_token_hint": hint]) { $1 })
                ).parameters
            }
            let quiet = ["prompt": "none"]
            #expect(try await answer(browser, "shop", hint, quiet)["code"] != nil)
            for wrong in ["x.y.z", tokens["access_token"] ?? "", hint + "A"] {
                #expect(
                    try await answer(browser, "shop", wrong, quiet)["error"] == "invalid_request")
            }
            #expect(
                try await answer(browser, "news", hint, quiet)["error"] == "invalid_request",
                "another app's token")

            let other = PageBrowser(server.address)
            _ = try await other.signIn(Self.authorize("shop"), name: "bob")
            #expect(try await answer(other, "shop", hint, quiet)["error"] == "login_required")
            // Bob signs in again where Ada is expected.
            let third = PageBrowser(server.address)
            let expected = Self.authorize("shop", ["id_token_hint": hint])
            let refused = try await third.signIn(expected, name: "bob").parameters
            #expect(refused["error"] == "login_required" && refused["code"] == nil)
        }
    }

    @Test("a session ends with a change of credentials, with its sign-in, and after twelve hours")
    func ends() async throws {
        try await run { server, browser in
            func isSignedIn() async throws -> Bool {
                try await browser.get(Self.authorize("shop")).parameters["code"] != nil
            }
            _ = try await browser.signIn(Self.authorize("shop"))
            #expect(try await isSignedIn())
            try await server.admin.markCompromised(server.userID("ada"))
            #expect(try await !isSignedIn())

            _ = try await browser.signIn(Self.authorize("shop"))
            let account = try await browser.open("/account")
            let end = try #require(
                account.text.firstMatch(of: /href="(\/account\/remove\/signin\/[^"]*)"/)?.output.1)
            let question = try await browser.get(String(end))
            let form = try #require(
                question.text.firstMatch(of: /action="([^"]*remove[^"]*)"/)?.output.1)
            _ = try await browser.post(String(form), ["csrf": question.hidden("csrf") ?? ""])
            #expect(try await !isSignedIn(), "the user ended it in the list")

            _ = try await browser.signIn(Self.authorize("shop"))
            for _ in 0..<12 {
                #expect(try await isSignedIn())
                server.time.advance(.seconds(3590))
            }
            server.time.advance(.seconds(121))
            #expect(try await !isSignedIn())
        }
    }

    @Test("a session cannot be planted, and each sign-in begins another")
    func fixation() async throws {
        try await run { server, browser in
            let planted = Base64URL.encode([UInt8](repeating: 7, count: 32))
            await browser.setCookie("mien_session", planted)
            _ = try await browser.signIn(Self.authorize("shop"))
            let first = try #require(await browser.cookies["mien_session"])
            #expect(first != planted)
            let attributes = try #require(await browser.setCookies["mien_session"])
            #expect(attributes.contains("HttpOnly; SameSite=Lax"))
            _ = try await browser.signIn(Self.authorize("shop", ["prompt": "login"]))
            let second = try #require(await browser.cookies["mien_session"])
            #expect(second != first)
            let thief = PageBrowser(server.address)
            await thief.setCookie("mien_session", first)
            #expect(
                try await thief.get(Self.authorize("shop")).parameters["code"] == nil,
                "the earlier session has ended")
        }
    }

    // MARK: Apps of others

    @Test("a third-party app asks once for each scope, and a refusal is told to it")
    func permission() async throws {
        try await run { server, browser in
            try await Self.makeApp("other", on: server, isFirstParty: false)
            _ = try await browser.signIn(Self.authorize("shop"))
            #expect(
                try await browser.get(Self.authorize("other", ["prompt": "none"])).parameters[
                    "error"] == "consent_required")
            let page = try await browser.open(Self.authorize("other"))
            #expect(
                page.text.contains("App other") && page.text.contains("https://app.example.org"))
            let refused = try await browser.submit(page, ["action": "deny"])
            #expect(
                refused.parameters["error"] == "access_denied" && refused.parameters["state"] == "s"
            )
            let again = try await browser.open(Self.authorize("other"))
            #expect(
                try await browser.submit(again, ["action": "allow"]).parameters["code"] != nil)
            #expect(try await browser.get(Self.authorize("other")).parameters["code"] != nil)
            let more = try await browser.open(Self.authorize("other", ["scope": "openid email"]))
            #expect(more.text.contains("email address"))
            _ = try await browser.submit(more, ["action": "allow"])
            #expect(
                try await browser.get(Self.authorize("other", ["scope": "openid email"]))
                    .parameters["code"] != nil)
            #expect(
                try await browser.get(Self.authorize("other")).parameters["code"] != nil,
                "earlier scopes stay allowed")
            #expect(
                try await browser.get(Self.authorize("other", ["prompt": "consent"])).location?
                    .hasPrefix("/signin/") == true)
        }
    }

    // MARK: Remembered people

    @Test("a browser offers only people who asked for it, and forgets deleted accounts")
    func remembered() async throws {
        try await run { server, browser in
            _ = try await browser.signIn(Self.authorize("shop"))
            let plain = try await browser.open(Self.authorize("shop", ["prompt": "login"]))
            #expect(!plain.text.contains("list-links"))
            _ = try await browser.submit(
                plain,
                [
                    "option": "password", "f_username": "ada", "remember": "1",
                    "f_password": "a password nobody has",
                ])
            let choice = try await browser.open(Self.authorize("shop", ["prompt": "login"]))
            #expect(choice.text.contains("list-links") && choice.text.contains(">ada<"))
            let stranger = PageBrowser(server.address)
            #expect(
                try await !stranger.open(Self.authorize("shop", ["prompt": "select_account"])).text
                    .contains("list-links"))
            let id = try await server.userID("ada").text
            let form = try await browser.submit(choice, ["account": id])
            let next = try await browser.get(try #require(form.location))
            #expect(next.text.contains("value=\"ada\""), "the name is filled in")
            // Anybody can send an ID; its name is shown only in a browser that remembers it.
            let foreign = try await stranger.open(Self.authorize("shop"))
            _ = try await stranger.submit(foreign, ["account": id, "action": "other"])
            #expect(try await !stranger.get(foreign.address).text.contains("value=\"ada\""))
            try await server.admin.deleteUser(server.userID("ada"))
            #expect(
                try await !browser.open(Self.authorize("shop", ["prompt": "select_account"])).text
                    .contains(">ada<"))
        }
    }

    // MARK: Languages and looks

    @Test("pages are in the person's language, and in the app's texts and colors")
    func languages() async throws {
        try await run { server, browser in
            try await Self.makeApp(
                "cafe", on: server,
                [
                    "pages": [
                        "brand": "#7a1f5f", "brand_dark": "#e7a5d0", "language": "es",
                        "texts": ["es": ["signin_title": "Entra en el café <b>"]],
                    ]
                ])
            let page = try await browser.open(Self.authorize("cafe"))
            #expect(page.text.contains("lang=\"es\" dir=\"ltr\""))
            #expect(page.text.contains("Entra en el caf\u{E9} &lt;b&gt;"))
            let theme = try #require(
                page.text.firstMatch(of: /href="(\/web\/theme\/[^"]*)"/)?.output.1)
            let css = try await browser.get(String(theme))
            #expect(css.text.contains("--brand:#7a1f5f;--brand-text:#ffffff"))
            _ = try await browser.post("/web/language", ["language": "ar"])
            let arabic = try await browser.open(Self.authorize("shop"))
            #expect(arabic.text.contains("lang=\"ar\" dir=\"rtl\""))
            #expect(try await browser.post("/web/language", ["language": "xx"]).status == 400)
            await #expect(throws: (any Error).self) {
                try await Self.makeApp("pale", on: server, ["pages": ["brand": "#ffff00"]])
            }
        }
    }
}
