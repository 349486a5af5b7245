import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Apps that the account page opens: OpenID Connect Core §4.
@Suite("Opening apps", .enabled(if: Installed.isThere, Installed.reason))
struct InitiateLoginTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("the account page opens the operator's apps, and others that the person knows")
    func account() async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            let login: JSONValue = "https://app.example.org/login?tenant=a"
            _ = try await PageApp.create(server)
            _ = try await PageApp.create(server, id: "own", ["initiate_login_uri": login])
            let foreign = try await PageApp.create(
                server, id: "foreign", isFirstParty: false,
                ["initiate_login_uri": "https://foreign.example/login"])
            let browser = PageBrowser(server.address)
            _ = try await browser.signIn("/account?client_id=web")
            let issuer = PercentEncoding.encode(server.issuer)
            func page() async throws -> String {
                try await browser.open("/account?client_id=web").text
            }
            let text = try await page()
            #expect(
                text.contains("https://app.example.org/login?tenant=a&amp;iss=\(issuer)"), "\(text)"
            )
            #expect(!text.contains("foreign.example"))
            #expect(!text.contains("login_hint"))
            let asked = try await browser.open("/oauth2/authorize?\(foreign.query())")
            _ = try await browser.submit(asked, ["action": "allow"])
            #expect(try await page().contains("https://foreign.example/login?iss=\(issuer)"))
        }
    }
}
