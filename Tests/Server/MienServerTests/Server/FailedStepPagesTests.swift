import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Tests what people read on the pages of a real server after a step that failed.
@Suite("Pages after a failed step", .enabled(if: Installed.isThere, Installed.reason))
struct FailedStepPagesTests {
    private static let password = "a password nobody has"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("a sign-up with a taken name has a page that fits its mail, and keeps what was typed")
    func takenName() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await PagesTests.makeApp("new", on: server, ["sign_in_journey": "sign-up"])
            let browser = PageBrowser(server.address)
            func signUp(_ page: PageBrowser.Page, as name: String) async throws
                -> PageBrowser.Page
            {
                let answer = try await browser.submit(
                    page,
                    [
                        "option": "account", "f_username": name, "f_email": "eve@example.org",
                        "f_password": Self.password,
                    ])
                return try await browser.open(try #require(answer.location))
            }
            var page = try await browser.open("/signin?client_id=new")
            // Browsers suggest a password, and offer no passkey of an account that exists.
            let name = page.text.firstMatch(of: /name="f_username"[^>]* autocomplete="([^"]*)"/)
            let word = page.text.firstMatch(of: /name="f_password"[^>]* autocomplete="([^"]*)"/)
            #expect(name?.output.1 == "username" && word?.output.1 == "new-password")
            // The page is the same whether the name is taken or free.
            for name in ["ada", "eve", "eve"] {
                page = try await signUp(page, as: name)
                #expect(page.text.contains("If it says something else"), "\(name)")
                let again = try await browser.submit(page, ["action": "restart"])
                page = try await browser.open(try #require(again.location))
                #expect(page.text.contains("value=\"\(name)\""))
                #expect(page.text.contains("value=\"eve@example.org\""))
                #expect(!page.text.contains(Self.password))
            }
        }
    }

    @Test("a person whose face is registered in another app is told so before the capture")
    func faceElsewhere() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            guard case .success = try await server.registerFace() else {
                Issue.record("the face was not registered")
                return
            }
            try await PagesTests.makeApp("shop", on: server)
            let browser = PageBrowser(server.address)
            func face() async throws -> PageBrowser.Page {
                let page = try await browser.open("/signin?client_id=shop")
                return try await browser.submit(
                    page, ["option": "face", "f_user_identifier": "ada"])
            }
            #expect(try await face().status == 303, "a stranger learns nothing")
            _ = try await browser.signIn("/signin?client_id=shop")
            _ = try await browser.post(
                "/signout", ["csrf": browser.open("/account").hidden("csrf") ?? ""])
            let told = try await face()
            #expect(told.status == 400)
            #expect(told.complaint?.contains("no face registered in this app") == true)
            #expect(told.text.contains("value=\"ada\""), "the name stays")
        }
    }
}
