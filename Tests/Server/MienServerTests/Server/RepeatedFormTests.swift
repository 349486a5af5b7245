import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Forms that a browser without scripts, or a proxy, sends twice. The browser shows the second answer
/// only.
@Suite(.enabled(if: Installed.isThere, Installed.reason)) struct RepeatedFormTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func run(_ body: @Sendable (TestServer, PageBrowser) async throws -> Void) async throws
    {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await PagesTests.makeApp("shop", on: server)
            let browser = PageBrowser(server.address)
            _ = try await browser.signIn("/signin")
            try await body(server, browser)
        }
    }

    /// Opens a page, and sends its form, or that to `action`, three times.
    private static func thrice(
        _ browser: PageBrowser, _ address: String, to action: String? = nil,
        _ fields: [String: String] = [:]
    ) async throws -> [PageBrowser.Page] {
        let page = try await browser.open(address)
        let actions = page.text.matches(of: /action="(\/[a-z][^"]*)"/).map {
            String($0.output.1).replacing("&amp;", with: "&")
        }
        let wanted = action ?? address
        let target = try #require(actions.first { $0.hasPrefix(wanted) }, "\(actions)")
        var all = fields
        (all["csrf"], all["form"]) = (page.hidden("csrf"), page.hidden("form"))
        #expect(all["form"]?.isEmpty == false)
        return try await browser.thrice(target, all)
    }

    /// The change that all answers name.
    private static func done(_ answers: [PageBrowser.Page]) -> String? {
        Set(answers.map(\.location)).count == 1 ? answers[0].parameters["done"] : nil
    }

    @Test func `each form of the account pages gets one answer, and changes something once`()
        async throws
    {
        try await run { server, browser in
            let wrong = try await Self.thrice(
                browser, "/account/password", ["current": "wrong", "new": "another good password"])
            #expect(wrong.allSatisfy { $0.status == 400 && $0.complaint != nil })
            #expect(wrong.allSatisfy { $0.text == wrong[0].text })
            let changed = try await Self.thrice(
                browser, "/account/password",
                ["current": "a password nobody has", "new": "another good password"])
            #expect(Self.done(changed) == "account_done_password")
            let user = try #require(
                UserID(try await server.admin.findUser("ada")?.id ?? ""))
            let events = try await server.admin.audit(user: user).items
                .filter { $0.actor == "user" }.map(\.event)
            #expect(
                events.count { $0 == "password.registered" } == 1, "\(events)")
            #expect(events.count { $0 == "password.refused" } == 1, "one guess: \(events)")

            let codes = try await Self.thrice(browser, "/account", to: "/account/recovery-codes")
            #expect(codes[0].text.contains("class=\"codes\"") && codes[0].status == 200)
            #expect(Set(codes.map(\.text)).count == 1)
            #expect(codes.allSatisfy { $0.headers["cache-control"] == "no-store" })
            // Made again on purpose, they are others.
            let others = try await Self.thrice(browser, "/account", to: "/account/recovery-codes")
            #expect(others[0].text != codes[0].text && Set(others.map(\.text)).count == 1)

            let faces = try await Self.thrice(browser, "/account", to: "/account/face")
            #expect(faces.allSatisfy { $0.status == faces[0].status })
            #expect(Set(faces.map(\.location)).count == 1)

            let removed = try await Self.thrice(browser, "/account/remove/codes/all")
            #expect(Self.done(removed) == "account_done_codes")

            let other = PageBrowser(server.address)
            _ = try await other.signIn("/signin", password: "another good password")
            let csrf = try #require(try await other.get("/account").hidden("csrf"))
            let address = "/account/remove/account/me", page = try await browser.get(address)
            let form = try #require(page.hidden("form"))
            let gone = try await browser.thrice(
                address, ["csrf": page.hidden("csrf") ?? "", "form": form])
            for answer in gone {
                #expect(answer.status == 200 && answer.text.contains("deleted"), "\(answer)")
            }
            #expect(try await server.admin.findUser("ada") == nil)
            // An answer belongs to the browser that sent the form.
            let foreign = try await other.post(address, ["csrf": csrf, "form": form])
            #expect(!foreign.text.contains("deleted"))
        }
    }

    @Test func `the same form with other content is another one`() async throws {
        try await run { server, browser in
            let page = try await browser.open("/account/password")
            let form = [
                "csrf": page.hidden("csrf") ?? "", "form": page.hidden("form") ?? "",
                "current": "a password nobody has", "new": "another good password",
            ]
            #expect(Self.done(try await browser.thrice(page.address, form)) != nil)
            // The person goes back and takes another password.
            let corrected = form.merging([
                "current": "another good password", "new": "a third good password",
            ]) { $1 }
            #expect(Self.done(try await browser.thrice(page.address, corrected)) != nil)
            let user = try #require(UserID(try await server.admin.findUser("ada")?.id ?? ""))
            let events = try await server.admin.audit(user: user).items
                .filter { $0.actor == "user" }.map(\.event)
            #expect(events.count { $0 == "password.registered" } == 2, "\(events)")
            let answer = try await PageBrowser(server.address).signIn(
                "/signin", password: "a third good password")
            #expect(answer.location != nil && answer.complaint == nil)
        }
    }

    @Test func `no answer is kept for a browser that is not signed in`() async throws {
        try await run { server, _ in
            let stranger = PageBrowser(server.address)
            let csrf = try #require(try await stranger.open("/account").hidden("csrf"))
            let answers = try await stranger.thrice(
                "/account/password", ["csrf": csrf, "form": "x", "new": "another good password"])
            #expect(answers.allSatisfy { $0.location?.hasPrefix("/signin/") == true })
            #expect(Set(answers.map(\.location)).count == 3)
        }
    }

    @Test func `the form of a mailed link gets one answer, and other forms are refused`()
        async throws
    {
        try await run { server, browser in
            _ = try await Self.thrice(browser, "/account", to: "/account/recovery-codes")
            let mail = try await Outbox(data: server.folder).mail(with: "recovery codes")
            let code = try Outbox.code(in: mail)
            let reader = PageBrowser(server.address)
            let page = try await reader.get("/notices?code=\(code)")
            let form = ["code": code, "form": try #require(page.hidden("form"))]
            let answers = try await reader.thrice("/notices", form)
            #expect(answers.allSatisfy { $0.status == 200 && $0.text == answers[0].text })
            #expect(answers[0].text.contains("The sign-in method was removed"))
            #expect(try await reader.post("/notices", ["code": code]).status == 410)
            #expect(
                try await reader.post("/notices", ["code": code, "form": "another"]).status == 410)
        }
    }

    @Test func `signing out twice and choosing a language twice say the same`() async throws {
        try await run { server, browser in
            let csrf = try #require(try await browser.open("/account").hidden("csrf"))
            let languages = try await browser.thrice(
                "/web/language", ["language": "es", "back": "/account"])
            #expect(languages.allSatisfy { $0.status == 303 && $0.location == "/account" })
            let out = try await browser.thrice("/signout", ["csrf": csrf])
            #expect(out.allSatisfy { $0.status == 200 && $0.text == out[0].text }, "\(out)")
        }
    }
}
