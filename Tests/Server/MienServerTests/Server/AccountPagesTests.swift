import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Tests the account pages of a real server, in a browser without scripts.
@Suite("Account pages", .enabled(if: Installed.isThere, Installed.reason))
struct AccountPagesTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func run(
        settings: [String: String] = [:],
        _ body: @Sendable (TestServer, PageBrowser) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch, settings: settings) { server in
            try await server.makeUser()
            try await PagesTests.makeApp("shop", on: server)
            let browser = PageBrowser(server.address)
            _ = try await browser.signIn("/signin")
            try await body(server, browser)
        }
    }

    /// Opens a page of the account and sends its form.
    private static func send(
        _ browser: PageBrowser, _ address: String, _ fields: [String: String] = [:]
    ) async throws -> PageBrowser.Page {
        let page = try await browser.get(address)
        let form = try #require(
            page.text.firstMatch(of: /action="(\/account\/[^"]*)"/)?.output.1, "\(page.status)")
        var all = fields
        all["csrf"] = page.hidden("csrf")
        return try await browser.post(
            String(form).replacing("&amp;", with: "&"), all)
    }

    @Test("the page lists what the user has, and leads strangers to the sign-in")
    func lists() async throws {
        try await run { server, browser in
            let page = try await browser.open("/account")
            #expect(page.status == 200 && page.text.contains("ada"))
            for part in ["This browser", "Passkeys", "Faces", "Devices", "Recovery codes"] {
                #expect(page.text.contains(part), "\(part)")
            }
            #expect(page.headers["cache-control"] == "no-store")
            // The person has used no app. Names in the other direction of writing stay in one piece.
            let row = "<p class=\"list-title\"><span dir=\"auto\">"
            #expect(
                page.text.contains("\(row)Web browser</span>")
                    && !page.text.contains("\(row)App shop<"))
            let stranger = PageBrowser(server.address)
            #expect(
                try await stranger.get("/account").location?.hasPrefix("/signin/") == true)
        }
    }

    @Test(
        "keys that apps sign in with are listed only if identity.biometric.list_enabled is set",
        arguments: [nil, "false", "true"])
    func keys(isListed: String?) async throws {
        try await run(
            settings: isListed.map { ["MIEN_IDENTITY_BIOMETRIC_LIST_ENABLED": $0] } ?? [:]
        ) { _, browser in
            let page = try await browser.open("/account")
            #expect(page.status == 200 && page.text.contains("id=\"s-passkeys\""))
            #expect(page.text.contains("id=\"s-biometrics\"") == (isListed == "true"))
        }
    }

    @Test("changes need a fresh sign-in, a form of this browser, and the user's own thing")
    func rules() async throws {
        try await run { server, browser in
            #expect(
                try await browser.post("/account/remove/account/me", [:]).status == 403,
                "no token")
            let other = PageBrowser(server.address)
            _ = try await other.get("/verify")
            let foreign = try #require(
                try await other.get("/verify").text.firstMatch(of: /"csrf":"([^"]*)"/)?.output.1)
            #expect(
                try await browser.post("/account/remove/account/me", ["csrf": String(foreign)])
                    .status == 403, "another browser's token")
            #expect(
                try await Self.send(browser, "/account/remove/face/auth_unknown").status == 404)
            #expect(try await browser.get("/account/remove/everything/x").status == 404)
            server.time.advance(.seconds(301))
            let stale = try await Self.send(browser, "/account/remove/codes/all")
            #expect(
                stale.status == 200 && stale.text.contains("/signin/"), "a fresh sign-in is needed")
            #expect(
                try await server.admin.findUser("ada") != nil, "nothing was removed")
        }
    }

    @Test("a user who changes the password stays signed in here, and nowhere else")
    func password() async throws {
        try await run { server, browser in
            let other = PageBrowser(server.address)
            _ = try await other.signIn("/signin")
            let wrong = try await Self.send(
                browser, "/account/password",
                ["current": "wrong", "new": "another good password"])
            #expect(wrong.status == 400)
            let changed = try await Self.send(
                browser, "/account/password",
                ["current": "a password nobody has", "new": "another good password"])
            #expect(changed.status == 303 && changed.location?.contains("done=") == true)
            let after = try await browser.open(try #require(changed.location))
            #expect(after.status == 200 && after.text.contains("The password was changed."))
            #expect(try await other.get("/account").location?.hasPrefix("/signin/") == true)
        }
    }

    @Test("the user's data can be taken along, and the account deleted")
    func leaving() async throws {
        try await run { server, browser in
            let data = try await browser.get("/account/data")
            #expect(
                data.status == 200
                    && data.headers["content-disposition"]?.contains("my-data.json") == true)
            let parsed = try JSONText.parse(
                data.text, limits: .init(maxBytes: 1 << 22, maxDepth: 32))
            #expect(
                parsed["browsers"] != nil && parsed["sign_ins"] != nil || parsed["account"] != nil)
            let codes = try await browser.open("/account")
            let made = try await browser.post(
                "/account/recovery-codes", ["csrf": codes.hidden("csrf") ?? ""])
            #expect(made.status == 200 && made.text.contains("class=\"codes\""))
            let gone = try await Self.send(browser, "/account/remove/account/me")
            #expect(gone.status == 200, "\(gone.text)")
            #expect(try await server.admin.findUser("ada") == nil)
            #expect(await browser.cookies["mien_session"] == nil)
        }
    }
}
