import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

@Suite("Signing in to the portal", .enabled(if: Installed.isThere, Installed.reason))
struct PortalSignInTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("a password and a code sign in, in any case of the name; signing out ends the session")
    func signInAndOut() async throws {
        try await TestServer.run(in: scratch) { server in
            let (_, secret) = try await server.owner(named: "Ada Lovelace")
            let browser = PortalBrowser(server)
            #expect(try await browser.signIn(" ada LOVELACE", secret).status == 204)
            #expect(try await browser.me() == 200)
            let stolen = browser.cookies
            #expect(try await browser.send(.delete, "/v1/administrator/session").status == 204)
            #expect(browser.cookies["mien-admin"] == nil)
            browser.cookies = stolen
            #expect(try await browser.me() == 401)
            let events = try await server.administratorEvents()
            #expect(events.suffix(2) == ["administrator.signed-in", "administrator.signed-out"])
        }
    }

    @Test("each code signs in once, also of two sign-ins at the same moment")
    func replay() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.owner()
            let setUpAt = try browser.oneTimeCode(secret)
            let other = PortalBrowser(server)
            async let one = PortalBrowser(server).signIn("Ada", secret).status
            async let two = other.signIn("Ada", secret).status
            let both = try await [one, two]
            #expect(both.sorted() == [204, 401])
            #expect(
                try await PortalBrowser(server).signIn("Ada", secret, code: setUpAt).status == 401)
            server.time.advance(.seconds(30))
            #expect(try await PortalBrowser(server).signIn("Ada", secret).status == 204)
        }
    }

    @Test("the code that set the app up signs nobody in")
    func setUpCode() async throws {
        try await TestServer.run(in: scratch) { server in
            let browser = PortalBrowser(server)
            let secret = try await browser.setUp(code: try server.setupCode, name: "Ada")
            #expect(try await PortalBrowser(server).signIn("Ada", secret).status == 401)
        }
    }

    @Test("refusals are all the same, and the audit log tells them apart")
    func sameRefusal() async throws {
        try await TestServer.run(in: scratch) { server in
            let (_, secret) = try await server.owner()
            _ = try await server.admin.createAdministrator("Credential", as: .owner)
            let right = try PortalBrowser(server).oneTimeCode(secret)
            var answers: [PortalBrowser.Answer] = []
            for (name, password, code) in [
                ("Nobody", PortalBrowser.password, right), ("", "", ""),
                ("Credential", PortalBrowser.password, right),
                ("Ada", "wrong horse battery", right), ("Ada", PortalBrowser.password, "000000"),
                ("Ada", PortalBrowser.password, "not a code"),
                ("Ada", String(repeating: "x", count: 600), right),
            ] {
                answers.append(
                    try await PortalBrowser(server).signIn(
                        name, secret, password: password, code: code))
            }
            #expect(answers.allSatisfy { $0.status == 401 && $0.body == answers[0].body })
            #expect(answers.allSatisfy { $0.headers["set-cookie"] == nil })
            let events = try await server.administratorEvents()
            #expect(events.count { $0 == "administrator.sign-in-refused password" } == 2)
            #expect(events.count { $0 == "administrator.sign-in-refused code" } == 2)
            #expect(events.contains("administrator.sign-in-refused unknown"))
            #expect(!server.logs.text.contains("wrong horse battery"))
        }
    }

    @Test("five failures lock strangers out for a minute, but not a browser that signed in before")
    func lock() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.owner()
            // The setup begins a session; a sign-in makes the browser known.
            #expect(try await browser.signIn("Ada", secret).status == 204)
            server.time.advance(.seconds(30))
            let stranger = PortalBrowser(server)
            for _ in 0..<5 {
                #expect(
                    try await stranger.signIn("Ada", secret, password: "wrong horse").status == 401)
            }
            #expect(try await stranger.signIn("Ada", secret).status == 401, "locked")
            #expect(try await browser.signIn("Ada", secret).status == 204, "its own count")
            server.time.advance(.seconds(60))
            #expect(try await stranger.signIn("Ada", secret, password: "no").status == 401)
            #expect(try await stranger.signIn("Ada", secret).status == 401, "one at a time")
            server.time.advance(.seconds(60))
            #expect(try await PortalBrowser(server).signIn("Ada", secret).status == 204)
            let events = try await server.administratorEvents()
            #expect(events.contains("administrator.sign-in-refused locked"))
        }
    }

    @Test("administrators who share a browser keep their own counts in it")
    func sharedBrowser() async throws {
        try await TestServer.run(in: scratch) { server in
            let (_, ada) = try await server.owner()
            let (_, grace) = try await server.invited("Grace", as: .auditor)
            // Another one than that of the setup, which has a secret for the setup as well.
            let browser = PortalBrowser(server)
            for _ in 0..<2 {
                #expect(try await browser.signIn("Ada", ada).status == 204)
                #expect(try await browser.signIn("Grace", grace).status == 204)
                server.time.advance(.seconds(30))
            }
            let marker = try #require(browser.cookies["mien-admin-browser"])
            #expect(Base64URL.decode(marker)?.count == 2 * 32, "one secret each")
            let stranger = PortalBrowser(server)
            for name in ["Ada", "Grace"] {
                for _ in 0..<5 {
                    #expect(
                        try await stranger.signIn(name, ada, password: "wrong horse").status
                            == 401)
                }
            }
            #expect(try await stranger.signIn("Ada", ada).status == 401, "locked")
            #expect(try await browser.signIn("Ada", ada).status == 204, "its own count")
            #expect(try await browser.signIn("Grace", grace).status == 204, "its own count")
            // What somebody planted in a browser never becomes a marker.
            let planted = Base64URL.encode([UInt8](repeating: 7, count: 32))
            let other = PortalBrowser(server)
            other.cookies = ["mien-admin-browser": planted]
            server.time.advance(.seconds(60))
            #expect(try await other.signIn("Ada", ada).status == 204)
            let spy = PortalBrowser(server)
            spy.cookies = ["mien-admin-browser": planted]
            for _ in 0..<5 { _ = try await spy.signIn("Ada", ada, password: "wrong horse") }
            server.time.advance(.seconds(30))
            #expect(try await spy.signIn("Ada", ada).status == 401, "a stranger's count")
        }
    }

    @Test("many guesses at the same moment get no further than five")
    func parallelGuesses() async throws {
        try await TestServer.run(in: scratch) { server in
            let (_, secret) = try await server.owner()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in 0..<20 {
                    tasks.addTask {
                        _ = try await PortalBrowser(server).signIn(
                            "Ada", secret, password: "guess number \(number)")
                    }
                }
                try await tasks.waitForAll()
            }
            let events = try await server.administratorEvents()
            #expect(events.count { $0 == "administrator.sign-in-refused password" } == 5)
        }
    }

    @Test("an address that guesses too often has to wait")
    func limitedAddress() async throws {
        try await TestServer.run(
            in: scratch, settings: ["MIEN_LIMIT_GUESSES_PER_MINUTE": "3"]
        ) { server in
            let browser = PortalBrowser(server)
            var statuses: [Int] = []
            for _ in 0..<4 {
                statuses.append(
                    try await browser.send(
                        .post, "/v1/administrator/setup/options", ["code": "x"]
                    ).status)
            }
            #expect(statuses == [404, 404, 404, 429])
        }
    }

    // MARK: Sessions

    @Test("a session ends after 30 minutes without a request, and after 12 hours of use")
    func expiry() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.owner()
            server.time.advance(.seconds(29 * 60))
            #expect(try await browser.me() == 200)
            server.time.advance(.seconds(30 * 60 - 1))
            #expect(try await browser.me() == 200)
            server.time.advance(.seconds(30 * 60))
            #expect(try await browser.me() == 401)

            #expect(try await browser.signIn("Ada", secret).status == 204)
            for _ in 0..<(12 * 60 - 1) / 29 {
                server.time.advance(.seconds(29 * 60))
                #expect(try await browser.me() == 200)
            }
            server.time.advance(.seconds(29 * 60))
            #expect(try await browser.me() == 401)
            await server.server.sweep()
            #expect(try await browser.me() == 401)
        }
    }

    @Test("a removed administrator's session ends at once, and a changed role applies at once")
    func changedAdministrator() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.invited("Grace", as: .operator)
            let me = try await browser.send(.get, "/v1/administrator")
            let id = try #require(me.body["id"]?.stringValue)
            #expect(try await browser.send(.get, "/v1/apps").status == 200)
            _ = try await server.admin.changeAdministrator(id, to: .reviewer)
            #expect(try await browser.send(.get, "/v1/apps").status == 403)
            try await server.admin.removeAdministrator(id)
            #expect(try await browser.me() == 401)
            #expect(try await PortalBrowser(server).signIn("Grace", secret).status == 401)
        }
    }

    @Test("signing in replaces the browser's session, and planted cookies open nothing later")
    func fixation() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.owner()
            let old = browser.cookies
            #expect(try await browser.signIn("Ada", secret).status == 204)
            #expect(browser.cookies["mien-admin"] != old["mien-admin"])
            let planted = PortalBrowser(server)
            planted.cookies = old
            #expect(try await planted.me() == 401)

            server.time.advance(.seconds(30))
            let victim = PortalBrowser(server), secretOfEve = String(repeating: "A", count: 43)
            victim.cookies = ["mien-admin": secretOfEve, "mien-admin-browser": secretOfEve]
            #expect(try await victim.signIn("Ada", secret).status == 204)
            #expect(victim.cookies.values.allSatisfy { $0 != secretOfEve })
        }
    }

    @Test("all sessions end with “sign out everywhere”, of this administrator only")
    func everywhere() async throws {
        try await TestServer.run(in: scratch) { server in
            let (one, secret) = try await server.owner(), two = PortalBrowser(server)
            let (grace, _) = try await server.invited("Grace", as: .auditor)
            #expect(try await two.signIn("Ada", secret).status == 204)
            #expect(try await one.send(.delete, "/v1/administrator/sessions").status == 204)
            #expect(try await [one.me(), two.me(), grace.me()] == [401, 401, 200])
        }
    }

    // MARK: Requests of other pages

    @Test("a cookie counts only in requests of the portal's own pages")
    func crossSite() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.owner()
            func status(_ headers: [String: String]) async throws -> Int {
                try await browser.send(.get, "/v1/administrator", headers: headers).status
            }
            #expect(try await status(["mien-portal": "1", "sec-fetch-site": "same-origin"]) == 200)
            // Older browsers do not say where a request is from, but ask before they send the header.
            #expect(try await status(["mien-portal": "1"]) == 200)
            for site in ["cross-site", "same-site", "none", "", "same-origin, cross-site"] {
                #expect(
                    try await status(["mien-portal": "1", "sec-fetch-site": site]) == 401, "\(site)"
                )
            }
            for header in ["", "0", "true", "1, 1"] {
                #expect(
                    try await status(["mien-portal": header, "sec-fetch-site": "same-origin"])
                        == 401, "\(header)")
            }
            #expect(try await status(["sec-fetch-site": "same-origin"]) == 401)
            #expect(try await status([:]) == 401)
            // A wrong credential does not fall back to the cookie.
            #expect(
                try await status(["mien-portal": "1", "authorization": "Bearer adm_x.y"]) == 401)
            // No page of another origin may ask.
            let asked = try await AsyncHTTPTransport().send(
                HTTPTransportRequest(
                    method: .get, url: server.adminAddress + "/v1/administrator",
                    headers: [
                        "origin": "https://evil.example", "mien-portal": "1",
                        "cookie": browser.cookieHeader,
                    ]))
            #expect(asked.headers.keys.allSatisfy { !$0.hasPrefix("access-control-") })
            // Nor sign a browser in.
            for (path, body) in [
                (
                    "session",
                    [
                        "name": "Ada", "password": .string(PortalBrowser.password),
                        "code": .string(try browser.oneTimeCode(secret)),
                    ] as JSONValue
                ),
                ("session/passkey/options", [:]), ("session/passkey", ["credential": [:]]),
                ("setup", ["code": "x"]), ("setup/options", ["code": "x"]),
                ("invitation", ["code": "x"]), ("invitation/options", ["code": "x"]),
            ] {
                for headers in [[:], ["mien-portal": "1", "sec-fetch-site": "cross-site"]] {
                    let answer = try await PortalBrowser(server).send(
                        .post, "/v1/administrator/\(path)", body, headers: headers)
                    #expect(
                        answer.status == 403 && answer.headers["set-cookie"] == nil, "\(path)")
                }
            }
        }
    }

    @Test("cookies are HttpOnly and SameSite=Strict; over HTTPS, they are bound to the host")
    func attributes() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.owner()
            let set = try #require(
                try await browser.signIn("Ada", secret).headers["set-cookie"])
            #expect(
                set.matches(of: /; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+/).count == 2)
            #expect(set.hasPrefix("mien-admin=") && !set.contains("Domain="))
        }
        try await TestServer.run(
            in: ScratchFolder(), settings: ["MIEN_ADMIN_URL": "https://admin.example.org"]
        ) { server in
            let link = try #require(server.server.firstStart).setupCode.link.use { $0 }
            #expect(link.hasPrefix("https://admin.example.org/admin/setup#"))
            let (browser, secret) = try await server.owner()
            let set = try #require(
                try await browser.signIn("Ada", secret).headers["set-cookie"])
            #expect(
                set.hasPrefix("__Host-mien-admin=")
                    && set.matches(of: /SameSite=Strict; Max-Age=\d+; Secure/).count == 2)
            #expect(
                Set(browser.cookies.keys) == ["__Host-mien-admin", "__Host-mien-admin-browser"])
            #expect(try await browser.me() == 200)
            browser.cookies = ["mien-admin": try #require(browser.cookies["__Host-mien-admin"])]
            #expect(try await browser.me() == 401, "the name without the prefix")
        }
    }

    @Test("each role may send with its session exactly what it may send with its credential")
    func everyCellWithCookie() async throws {
        try await TestServer.run(in: scratch) { server in
            for role in AdminRole.allCases {
                for (name, needed) in AdminOperations.all.sorted(by: { $0.key < $1.key }) {
                    // Some requests end the session, so each has its own.
                    let answer = try await Self.send(
                        name, to: server, with: try await server.session(of: role))
                    #expect(
                        (answer.status == 403) != role.permissions.contains(needed.permission),
                        "\(role) \(name): \(answer.status)")
                    #expect(answer.status < 500 && answer.status != 401, "\(role) \(name)")
                }
            }
        }
    }

    @Test("a session that began ten minutes ago may send exactly what is marked for any session")
    func staleSession() async throws {
        try await TestServer.run(in: scratch) { server in
            for (name, needed) in AdminOperations.all.sorted(by: { $0.key < $1.key }) {
                let answer = try await Self.send(
                    name, to: server,
                    with: try await server.session(
                        of: .owner, age: AdministratorSession.freshness))
                let isRefused =
                    answer.status == 401 && answer.code == "insufficient_user_authentication"
                #expect(isRefused == (needed.signIn != .session), "\(name): \(answer)")
                if isRefused { #expect(answer.body["max_age"] == 600, "\(name)") }
            }
        }
    }

    /// Sends a request that names nothing that exists, with an empty body.
    private static func send(
        _ name: String, to server: TestServer, with cookies: [String: String]
    ) async throws -> PortalBrowser.Answer {
        let browser = PortalBrowser(server)
        browser.cookies = cookies
        let parts = name.split(separator: " ").map(String.init)
        let method = try #require(HTTPTransportRequest.Method(rawValue: parts[0]))
        return try await browser.send(
            method, parts[1].replacing(/\{[a-z]+\}/, with: "none"), [:])
    }
}
