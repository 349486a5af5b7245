import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

extension HostileTests {
    /// A browser with the portal of a real server.
    private final class Browser {
        let server: AttackedServer, clock: ProcessClock
        private(set) var secret: OTPSecret?
        private var cookie = ""

        init(_ server: AttackedServer, _ clock: ProcessClock) {
            (self.server, self.clock) = (server, clock)
        }

        @discardableResult
        func send(
            _ method: HTTPTransportRequest.Method, _ path: String, _ body: JSONValue? = nil
        ) async throws -> (status: Int, body: JSONValue) {
            var headers = ["mien-portal": "1", "sec-fetch-site": "same-origin"]
            if body != nil { headers["content-type"] = "application/json" }
            if !cookie.isEmpty { headers["cookie"] = cookie }
            let answer = try await AsyncHTTPTransport().send(
                HTTPTransportRequest(
                    method: method, url: server.adminAddress + path, headers: headers,
                    body: body.map { Array(JSONText.write($0).utf8) } ?? [], timeout: .seconds(60)))
            if let set = answer.headers["set-cookie"],
                let found = set.firstMatch(of: /mien-admin=([^;]+)/)
            {
                cookie = "mien-admin=\(found.1)"
            }
            return (
                answer.status,
                answer.body.isEmpty
                    ? .null
                    : try JSONText.parse(
                        answer.body, limits: .init(maxBytes: 1 << 20, maxDepth: 32))
            )
        }

        private func code() throws -> JSONValue {
            .string(try TOTP().code(at: clock.now, with: #require(secret)).text)
        }

        /// Accepts an invitation as an owner, which signs the browser in.
        func accept() async throws {
            let made = try await server.admin.inviteAdministrator("Grace", as: .owner)
            let invitation = JSONValue.string(
                PortalBrowser.code(of: Sensitive(try #require(made.link))))
            let options = try await send(
                .post, "/v1/administrator/invitation/options", ["code": invitation])
            secret = try OTPSecret(
                base32: #require(options.body["authenticator_app"]?["secret"]?.stringValue))
            let accepted = try await send(
                .post, "/v1/administrator/invitation",
                [
                    "code": invitation, "password": .string(PortalBrowser.password),
                    "one_time_code": try code(),
                ])
            try #require(accepted.status == 204, "\(accepted)")
        }

        func signInAgain() async throws {
            let answer = try await send(
                .post, "/v1/administrator/session",
                ["name": "Grace", "password": .string(PortalBrowser.password), "code": try code()])
            try #require(answer.status == 204, "\(answer)")
        }
    }

    @Test(
        "somebody finds an owner's portal open, and tries to keep what it opens; the owner, who signs in again, may do the same"
    )
    func openPortal() async throws {
        let clock = try ProcessClock(in: scratch)
        let server = try await AttackedServer.start(in: scratch, clock: clock)
        let user = try await server.makeUser("ada")
        let shop = try await server.admin.createApp(
            AppRequest(id: "shop", name: "Shop", type: .confidential))
        let other = try await server.admin.createAdministrator("Linus", as: .owner)
        let journey = """
            {"id": "again", "version": 1, "title": "Again", "start": "form", "steps": {
              "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"},
                "on": {"password": "check"}},
              "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
                "failure_behavior": "abort"}, "on": {"success": "done"}},
              "done": {"type": "complete_journey"}}}
            """
        _ = try await server.admin.putJourney(
            JourneyID("again")!, version: 1, definition: Array(journey.utf8))
        let browser = Browser(server, clock)
        try await browser.accept()
        try clock.advance(AdministratorSession.freshness)
        let attempts: [(HTTPTransportRequest.Method, String, JSONValue?)] = [
            (.patch, "/v1/users/\(user)", ["password": "the thief knows this one"]),
            (.patch, "/v1/users/\(user)", ["email": "thief@example.org"]),
            (.post, "/v1/users", ["username": "thief", "password": "the thief knows this one"]),
            (.post, "/v1/users/\(user)/otp/default_application/registrations", [:]),
            (.post, "/v1/apps/shop/secret", nil),
            (.post, "/v1/apps", ["name": "Thief", "type": "confidential", "first_party": true]),
            (
                .put, "/v1/apps/shop",
                ["name": "Shop", "settings": ["redirect_uris": ["https://thief.example/back"]]]
            ),
            (.post, "/v1/journeys/again/versions/1/publish", nil),
            (
                .post, "/v1/product-keys",
                ["product": "p", "name": "Thief", "activations": 1000, "days": 3650]
            ),
            (.post, "/v1/administrators", ["name": "Thief", "role": "owner"]),
            (.delete, "/v1/administrators/\(other.id)", nil),
            (.post, "/v1/master-keys", nil),
        ]
        for (method, path, body) in attempts {
            let stale = try await browser.send(method, path, body)
            #expect(
                stale.status == 401 && stale.body["code"] == "insufficient_user_authentication"
                    && stale.body["max_age"] == 600, "\(path): \(stale)")
        }
        // Reading still works, and nothing has changed.
        #expect(try await browser.send(.get, "/v1/apps/shop").body["name"] == "Shop")
        #expect(try await server.admin.users().items.count == 1)
        #expect(try await server.admin.administrators().count == 3)
        #expect(try await server.admin.app(AppID("shop")!).settings == shop.settings)
        _ = try await server.signIn("ada")

        try await browser.signInAgain()
        for (method, path, body) in attempts {
            let fresh = try await browser.send(method, path, body)
            #expect((200..<300).contains(fresh.status), "\(path): \(fresh)")
        }
        #expect(await server.process.stop() == 0)
    }

    // MARK: The address

    @Test("a page of another site lets its name resolve to this machine, and reads metrics")
    func rebinding() async throws {
        let server = try await ServeProcess.start(
            in: scratch,
            [
                "MIEN_ADMIN_URL": "https://admin.example.org",
                "MIEN_ADMIN_HOSTS": "metrics.internal",
            ])
        let bearer = "authorization: Bearer \(try #require(server.credential).use { $0 })\r\n"
        func status(_ host: String, _ path: String) async throws -> Int {
            let connection = try await RawConnection.open(server.adminAddress)
            try await connection.send("GET \(path) HTTP/1.1\r\nhost: \(host)\r\n\(bearer)\r\n")
            let answer = try #require(try await connection.answer())
            if answer.status == 403 {
                #expect(try answer.json["code"] == "not_permitted" && !"\(answer)".contains("evil"))
            }
            return answer.status
        }
        for path in ["/metrics", "/v1/users", "/admin", "/admin/assets/main.js"] {
            for host in ["evil.example", "evil.example:8081", "localhost.evil.example"] {
                #expect(try await status(host, path) == 403, "\(host)\(path)")
            }
            for host in [
                "localhost", "127.0.0.1:8081", "[::1]:8081", "admin.example.org",
                "metrics.internal:8081",
            ] {
                #expect(try await status(host, path) == 200, "\(host)\(path)")
            }
        }
        #expect(try await status("evil.example", "/v1/nothing") == 403)
        // Two names, of which one is the server's own.
        for hosts in ["localhost\r\nhost: evil.example", "evil.example\r\nhost: localhost"] {
            #expect(try await status(hosts, "/metrics") == 400, "\(hosts)")
        }
        #expect(await server.stop() == 0)
        let wrong = try await #require(throws: ServeProcess.NotListening.self) {
            try await ServeProcess.start(in: scratch, ["MIEN_ADMIN_HOSTS": "*.internal"])
        }
        #expect(
            wrong.status == 2 && wrong.err.contains("admin.hosts: “*.internal”"), "\(wrong.err)")
    }

    @Test(
        "a guesser of admin credentials invents an address for each guess",
        arguments: [
            (settings: ["MIEN_TRUST_PROXY": "true"], isLimited: true),
            (settings: ["MIEN_ADMIN_TRUST_PROXY": "true"], isLimited: false),
        ])
    func forgedAddresses(settings: [String: String], isLimited: Bool) async throws {
        let server = try await ServeProcess.start(in: scratch, settings)
        let connection = try await RawConnection.open(server.adminAddress)
        var statuses: Set<Int> = []
        for number in 1...12 {
            statuses.insert(
                try await connection.request(
                    "GET", "/v1/users",
                    [
                        "authorization": "Bearer adm_guess.\(number)",
                        "x-forwarded-for": "203.0.113.\(number)",
                    ]
                ).status)
        }
        #expect(statuses == (isLimited ? [401, 429] : [401]))
        #expect(await server.stop() == 0)
    }
}
