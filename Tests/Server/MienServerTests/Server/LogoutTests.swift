import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// OpenID Connect RP-Initiated Logout and Back-Channel Logout, on a real server.
@Suite("Logout", .enabled(if: Installed.isThere, Installed.reason))
struct LogoutTests {
    private static let back = "https://app.example.org/bye?from=mien"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static func query(_ fields: [(String, String?)]) -> String {
        "/oauth2/logout?"
            + fields.compactMap { name, value in
                value.map {
                    "\(name)=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
                }
            }.joined(separator: "&")
    }

    private static func makeApp(
        _ server: AttackedServer, _ id: String = "shop", _ settings: [String: JSONValue] = [:]
    ) async throws {
        let all: [String: JSONValue] = ["post_logout_redirect_uris": [.string(back)]]
        _ = try await server.admin.createApp(
            AppRequest(
                id: id, name: id, isFirstParty: true,
                settings: .object(all.merging(settings) { $1 })))
    }

    private static func get(_ path: String, _ server: AttackedServer) async throws -> (
        status: Int, location: String?, text: String
    ) {
        let answer = try await RawConnection.open(server.address).request("GET", path)
        return (
            answer.status, answer.headers["location"], String(decoding: answer.body, as: UTF8.self)
        )
    }

    @Test("an app ends its sign-in with the ID token, and the browser returns with the state")
    func logout() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let user = try await server.makeUser("ada")
        try await Self.makeApp(server)
        let discovery = try await server.sendJSON(.get, "/.well-known/openid-configuration").body
        #expect(
            discovery["end_session_endpoint"] == .string(server.issuer + "/oauth2/logout")
                && discovery["backchannel_logout_supported"] == true
                && discovery["backchannel_logout_session_supported"] == true
                && discovery["frontchannel_logout_supported"] == true
                && discovery["frontchannel_logout_session_supported"] == true)
        let first = try await server.signIn("ada", app: "shop"),
            second = try await server.signIn("ada", app: "shop")
        let answer = try await Self.get(
            Self.query([
                ("id_token_hint", first["id_token"]), ("post_logout_redirect_uri", Self.back),
                ("state", "a b&c\r\nd"), ("unknown", "ignored"),
            ]), server)
        #expect(
            answer.status == 303 && answer.location == Self.back + "&state=a%20b%26c%0D%0Ad",
            "\(answer)")
        let tokens = TokenClient(server: server, app: "shop")
        #expect(try await tokens.userInfo(first["access_token"]).status == 401)
        #expect(try await tokens.refresh(first["refresh_token"]).error == "invalid_grant")
        #expect(try await tokens.userInfo(second["access_token"]).status == 200, "another sign-in")
        // Again: already ended, which is not an error. A page, without an address to return to.
        let again = try await Self.get(
            Self.query([("id_token_hint", first["id_token"]), ("client_id", "shop")]), server)
        #expect(again.status == 200 && again.text.contains("You are signed out"))
        // By POST, as a form of the app's page.
        let form = "id_token_hint=\(second["id_token"] ?? "")"
        let posted = try await RawConnection.open(server.address).request(
            "POST", "/oauth2/logout", ["content-type": "application/x-www-form-urlencoded"],
            Array(form.utf8))
        #expect(posted.status == 200)
        #expect(try await tokens.userInfo(second["access_token"]).status == 401)
        #expect(try await server.events("tokens.revoked", of: user) == 2)
        #expect(await server.process.stop() == 0)
    }

    @Test("an expired ID token ends its sign-in, and a journey's token does not")
    func hints() async throws {
        try await ClockedServer.run(in: scratch) { server in
            try await server.makeUser("ada")
            let client = TokenClient(server: server)
            let tokens = try await client.signIn()
            func end(_ hint: String?) async throws -> Int {
                try await RawConnection.open(server.address).request(
                    "GET", Self.query([("id_token_hint", hint)])
                ).status
            }
            #expect(try await end(tokens["access_token"]) == 400, "an access token is no hint")
            #expect(try await end("a.b.c") == 400)
            #expect(try await client.userInfo(tokens["access_token"]).status == 200)
            try server.time.advance(.seconds(7200))
            #expect(try await end(tokens["id_token"]) == 200)
            #expect(try await client.refresh(tokens["refresh_token"]).error == "invalid_grant")
        }
    }

    @Test(
        "an app hears of each sign-in that ends, whatever ends it",
        .enabled(if: Peer.isThere, Peer.reason))
    func backChannel() async throws {
        let server = try await AttackedServer.start(
            in: scratch,
            [
                "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "true",
                "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
            ],
            publicURL: nil)
        let user = try await server.makeUser("ada")
        let peer = try Peer(
            "logout_receiver",
            [
                "keys": .string(server.address + "/.well-known/jwks.json"), "audience": "shop",
                "issuer": .string(server.issuer),
            ])
        let port = try await peer.port()
        try await Self.makeApp(
            server, "shop",
            ["backchannel_logout_uri": .string("http://localhost:\(port)/logout")])
        func sid(_ tokens: TokenClient.Answer) throws -> JSONValue? {
            try TokenClient.claims(tokens["id_token"])["sid"]
        }
        func hears(_ tokens: TokenClient.Answer, _ cause: String) async throws {
            let told = try await peer.next(with: "path")
            #expect(told["error"] == nil, "\(cause): \(told)")
            #expect(
                try told["claims"]?["sid"] == sid(tokens)
                    && told["claims"]?["sub"] == .string(user.text), "\(cause): \(told)")
        }
        let silent = try await server.signIn("ada")  // An app without an address.
        let first = try await server.signIn("ada", app: "shop")
        _ = try await Self.get(Self.query([("id_token_hint", first["id_token"])]), server)
        try await hears(first, "the logout endpoint")
        let second = try await server.signIn("ada", app: "shop")
        _ = try await TokenClient(server: server, app: "shop").post(
            "/oauth2/revoke",
            [("token", second["refresh_token"] ?? ""), ("client_id", "shop")])
        try await hears(second, "revocation")
        let third = try await server.signIn("ada", app: "shop")
        _ = try await server.sendJSON(
            .delete, "/v1/me/sign-ins", access: silent["access_token"])
        try await hears(third, "the user, from another app")
        let fourth = try await server.signIn("ada", app: "shop")
        try await server.admin.markCompromised(user)
        try await hears(fourth, "an administrator")
        let fifth = try await server.signIn("ada", app: "shop")
        let gone = try await server.sendJSON(.delete, "/v1/me", access: fifth["access_token"])
        #expect(gone.status == 204, "\(gone.body)")
        try await hears(fifth, "the deletion of the account")
        // Each was delivered once.
        #expect(try await peer.end().filter { $0["path"] != nil }.count == 5)
        #expect(await server.process.stop() == 0)
    }

    @Test(
        "a notice survives a crash of the server and an outage of the app, and is sent again later",
        .enabled(if: Peer.isThere, Peer.reason))
    func retries() async throws {
        try await ClockedServer.run(
            in: scratch,
            settings: [
                "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "true",
                "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
            ]
        ) { server in
            let user = try await server.makeUser("ada")
            let peer = try Peer(
                "logout_receiver",
                [
                    "keys": .string(server.address + "/.well-known/jwks.json"),
                    "audience": "shop", "issuer": .string(server.issuer),
                ])
            let port = try await peer.port()
            func makeApp(_ id: String, _ path: String) async throws {
                _ = try await server.admin.createApp(
                    AppRequest(
                        id: id, name: id,
                        settings: [
                            "backchannel_logout_uri": .string("http://localhost:\(port)/\(path)")
                        ]))
            }
            try await makeApp("shop", "busy/2")
            try await makeApp("refuses", "refuse")
            try await makeApp("redirects", "redirect")
            for app in ["shop", "refuses", "redirects"] {
                #expect(
                    try await TokenClient(server: server, app: app).signIn(
                        [("scope", "openid offline_access")]
                    ).status == 200)
            }
            try await server.admin.markCompromised(user)
            // The first three calls: one to each app.
            var paths: [String] = []
            for _ in 0..<3 {
                paths.append(try await peer.next(with: "path")["path"]?.stringValue ?? "")
            }
            #expect(Set(paths) == ["/busy/2", "/refuse", "/redirect"])
            try await server.restart()
            let second = try await peer.next(with: "path") {
                try server.time.advance(.seconds(10))
            }
            #expect(second["path"] == "/busy/2")
            let last = try await peer.next(with: "path") {
                try server.time.advance(.seconds(60))
            }
            #expect(last["path"] == "/busy/2")
            // A redirect is not followed, and a refusal is final; both are in the audit log.
            let dropped = try await Patience.see {
                try await server.admin.audit(user: user).items.filter {
                    $0.event == "logout.undelivered"
                }
            } until: {
                $0.count == 2
            }
            #expect(
                Set(dropped.compactMap { $0.detail["reason"]?.stringValue }) == [
                    "status 400", "status 307",
                ])
            #expect(try await peer.end().count { $0["path"] == "/busy/2" } == 3)
        }
    }

    @Test(
        "all notices of an app that never responds are dropped within a day, however many",
        .enabled(if: Peer.isThere, Peer.reason))
    func abandoned() async throws {
        try await ClockedServer.run(
            in: scratch,
            settings: [
                "MIEN_WEBHOOK_HOSTS": "localhost", "MIEN_WEBHOOK_ALLOW_PRIVATE": "true",
                "MIEN_WEBHOOK_SECRET": "a secret that no receiver of this test uses",
            ]
        ) { server in
            let user = try await server.makeUser("ada"), signIns = 10
            let peer = try Peer(
                "logout_receiver",
                [
                    "keys": .string(server.address + "/.well-known/jwks.json"),
                    "audience": "shop", "issuer": .string(server.issuer),
                ])
            let url = "http://localhost:\(try await peer.port())/busy/1000"
            _ = try await server.admin.createApp(
                AppRequest(
                    id: "shop", name: "shop",
                    settings: ["backchannel_logout_uri": .string(url)]))
            for _ in 0..<signIns {
                #expect(
                    try await TokenClient(server: server, app: "shop").signIn(
                        [("scope", "openid offline_access")]
                    ).status == 200)
            }
            try await server.admin.markCompromised(user)
            // The first tries have failed once the batch of eight has called.
            for _ in 0..<8 { _ = try await peer.next(with: "path") }
            try server.time.advance(.seconds(20 * 3600 + 60))
            let dropped = try await Patience.see {
                try await server.admin.audit(user: user).items.filter {
                    $0.event == "logout.undelivered"
                }.map { $0.detail["reason"]?.stringValue }
            } until: {
                $0.count == signIns
            }
            #expect(dropped == Array(repeating: "unreachable", count: signIns))
            _ = try await peer.end()
        }
    }
}

extension TokenClient {
    /// Logs in with a password, for certain fields of the exchange.
    fileprivate func signIn(_ fields: [(String, String)]) async throws -> Answer {
        try await signIn("ada", password: "a password nobody has", fields)
    }
}
