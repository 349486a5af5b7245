import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Requests that apps push: RFC 9126.
@Suite("Pushed requests", .enabled(if: Installed.isThere, Installed.reason))
struct PushedRequestTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func withApp(
        _ settings: [String: JSONValue] = ["token_endpoint_auth_method": "private_key_jwt"],
        _ body: @Sendable (TestServer, KeyedApp) async throws -> Void
    ) async throws {
        try await TestServer.run(in: scratch) { server in
            try await server.makeUser()
            try await body(server, KeyedApp.create(server, settings))
        }
    }

    @Test("the browser goes on with a pushed request, as often as it likes until there is a code")
    func life() async throws {
        try await withApp { server, app in
            let pushed = try await app.push(["scope": "openid email", "state": "pushed"])
            #expect(pushed.status == 201 && pushed.body["expires_in"] == 90)
            let address = try app.address(of: pushed), browser = PageBrowser(server.address)
            #expect(try await browser.open(address).status == 200)
            let back = try await browser.signIn(address + "&state=other&scope=openid")
            #expect(back.parameters["state"] == "pushed", "the rest of the address is ignored")
            let tokens = try await app.redeem(back.parameters["code"])
            #expect(tokens["scope"] == "email openid", "\(tokens.body)")
            let again = try await browser.get(address)
            #expect(again.status == 400 && again.text.contains("invalid_request_uri"))
        }
    }

    @Test("of two sign-ins that were begun with one request, one gets a code")
    func twice() async throws {
        try await withApp { server, app in
            let address = try app.address(of: try await app.push())
            let browsers = [PageBrowser(server.address), PageBrowser(server.address)]
            var pages: [PageBrowser.Page] = []
            for browser in browsers { pages.append(try await browser.open(address)) }
            let fields = [
                "option": "password", "f_username": "ada", "f_password": "a password nobody has",
            ]
            let first = try await browsers[0].submit(pages[0], fields)
            #expect(first.parameters["code"] != nil)
            let second = try await browsers[1].submit(pages[1], fields)
            #expect(second.parameters["error"] == "invalid_request_uri")
            #expect(second.parameters["code"] == nil)
        }
    }

    @Test("a sign-in may take longer than a pushed request lives, which is 90 seconds")
    func expiry() async throws {
        try await withApp { server, app in
            let address = try app.address(of: try await app.push()),
                browser = PageBrowser(server.address)
            let page = try await browser.open(address)
            server.time.advance(.seconds(300))
            let back = try await browser.submit(
                page,
                [
                    "option": "password", "f_username": "ada",
                    "f_password": "a password nobody has",
                ])
            #expect(back.parameters["code"] != nil)
            let late = try app.address(of: try await app.push())
            server.time.advance(.seconds(90))
            #expect(try await browser.get(late).status == 400)
        }
    }

    @Test("errors come in the answer, and a pushed request is for its own app only")
    func errors() async throws {
        try await withApp { server, app in
            for (changed, error) in [
                (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
                (["redirect_uri": "https://evil.example/"], "invalid_request"),
                (["redirect_uri": nil], "invalid_request"),
                (["response_type": "token"], "unsupported_response_type"),
                (["request_uri": "urn:x"], "invalid_request"),
            ] as [([String: String?], String)] {
                let answer = try await app.push(changed)
                #expect(answer.status == 400 && answer.error == error, "\(changed)")
            }
            let other = try await KeyedApp.create(server, id: "other")
            let uri = try #require(try await app.push()["request_uri"])
            let foreign = try await PageBrowser(server.address).get(
                "/oauth2/authorize?"
                    + PageApp.form(["client_id": other.page.id, "request_uri": uri]))
            #expect(foreign.status == 400)
            #expect(
                try await TokenClient(server: server, app: "bank").post(
                    "/oauth2/par", [("client_id", "bank")]
                ).status == 401)
            #expect(try await server.status(.get, "/oauth2/par") == 405)
        }
    }

    @Test("an app can be held to pushing its requests")
    func required() async throws {
        try await withApp([
            "token_endpoint_auth_method": "private_key_jwt",
            "require_pushed_authorization_requests": true,
        ]) { server, app in
            let page = try await app.page.visit()
            #expect(page.parameters["error"] == "invalid_request")
            let address = try app.address(of: try await app.push())
            let back = try await PageBrowser(server.address).signIn(address)
            #expect(back.parameters["code"] != nil)
        }
    }

    @Test("the proof of a pushed request binds the code to its key")
    func bound() async throws {
        try await withApp { server, app in
            var mine = app, other = app
            mine.proofKey = try SoftwareSigner.generate(.es256)
            other.proofKey = try SoftwareSigner.generate(.es256)
            let thumbprint = try #require(other.proofKey).publicKey.thumbprint
            #expect(try await mine.push(["dpop_jkt": thumbprint]).error == "invalid_dpop_proof")
            func code() async throws -> String? {
                let address = try mine.address(of: try await mine.push())
                return try await PageBrowser(server.address).signIn(address).parameters["code"]
            }
            #expect(try await other.redeem(code()).error == "invalid_grant")
            #expect(try await app.redeem(code()).error == "invalid_grant", "no proof")
            #expect(try await mine.redeem(code())["token_type"] == "DPoP")
        }
    }
}
