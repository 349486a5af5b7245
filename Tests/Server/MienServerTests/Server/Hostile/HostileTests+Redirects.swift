import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Attacks that redirect a browser or a link to the attacker's host. docs/vulnerabilities-elsewhere.md
/// lists the sources.
extension HostileTests {
    @Test("a phisher redirects the browser to an address that only resembles the app's")
    func redirects() async throws {
        let server = try await AttackedServer.start(in: scratch)
        let registered = [
            AttackedServer.redirect, "http://localhost/cb", "com.example.app://host/back",
        ]
        _ = try await server.admin.createApp(
            AppRequest(
                id: "web", name: "Web",
                settings: [
                    "redirect_uris": .array(registered.map { .string($0) }), "sign_in_page": true,
                ]))
        for good in registered + ["http://localhost:8080/cb"] {
            #expect(
                try await Self.authorize(server, ["redirect_uri": good]).headers["location"]?
                    .hasPrefix("/signin/") == true, "\(good)")
        }
        for address in [
            // Another host that begins, ends, or looks like the registered one.
            "https://evil.example/back", "https://app.example.org.evil.example/back",
            "https://evil.example/app.example.org/back",
            "https://app.example.org@evil.example/back",
            "https://app.example.org@@evil.example/back", "https://a@b@evil.example/back",
            "https://evil.example\\@app.example.org/back",
            "https://app.example.org\\.evil.example/back",
            "https://app.example.org:443@evil.example/",
            "https://app.example.org./back", "https://APP.example.org/back",
            "https://app.example.org:443/back", "https://app.example.org:8443/back",
            "//app.example.org/back", "///evil.example", "/back", "https:app.example.org/back",
            "http://app.example.org/back",
            // Another path, or one that changes under normalization.
            "https://app.example.org/back/", "https://app.example.org/back/..;/evil",
            "https://app.example.org/back/../evil",
            "https://app.example.org/%2e%2e/back", "https://app.example.org/BACK",
            "https://app.example.org/back?next=https://evil.example",
            "https://app.example.org/back#fragment", "https://app.example.org/back%00",
            "https://app.example.org/back ",
            // Unregistered loopback addresses.
            "http://127.0.0.1/cb", "http://127.0.0.1:8080/cb", "http://[::1]:8080/cb",
            "http://localhost@evil.example/cb", "http://localhost.evil.example/cb",
            // A port may differ there, but nothing else.
            "http://localhost:8080@evil.example/cb", "http://localhost:8080.evil.example/cb",
            "http://localhost:/cb", "http://localhost:0/cb", "http://localhost:65536/cb",
            "http://localhost:8080", "http://localhost:8080/CB", "http://localhost:8080/cb/",
            "http://localhost:8080/cb?x=y", "http://localhost:8080/cb#x",
            "https://localhost:8080/cb", "http://LOCALHOST:8080/cb", "http://localhost:+80/cb",
            "http://localhost:8080\\@evil.example/cb", "http://localhost:80 80/cb",
            "http://127.1:8080/cb", "http://[0:0:0:0:0:0:0:1]:8080/cb",
            // Schemes that browsers execute.
            "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x",
            "com.example.app.evil://host/back", "com.example.app:host/back", "*",
            "",
        ] {
            let answer = try await Self.authorize(server, ["redirect_uri": address])
            #expect(
                answer.status == 400 && answer.headers["location"] == nil,
                "\(address): \(answer.status)")
        }
        // No redirect for an unknown app or a repeated redirect URI.
        #expect(
            try await Self.authorize(
                server, ["client_id": "nobody", "redirect_uri": "https://evil.example/"]
            ).headers["location"] == nil)
        let twice = try await RawConnection.open(server.address).request(
            "GET",
            AttackedServer.authorization("web") + "&redirect_uri=https%3A%2F%2Fevil.example%2F")
        #expect(twice.status == 400 && twice.headers["location"] == nil)
        // Implicit and hybrid flows leak tokens through URLs, so the server does not offer them.
        for type in ["token", "id_token", "code token", "none", ""] {
            let location =
                try await Self.authorize(server, ["response_type": type]).headers["location"] ?? ""
            #expect(
                location.hasPrefix(AttackedServer.redirect + "?")
                    && location.contains("error=unsupported_response_type"), "\(type): \(location)")
        }
        for mode in ["fragment", "form_post", "form_post.jwt", "query.jwt"] {
            let location =
                try await Self.authorize(server, ["response_mode": mode, "prompt": "none"]).headers[
                    "location"] ?? ""
            #expect(
                location.hasPrefix(AttackedServer.redirect + "?error=login_required"),
                "\(mode): \(location)")
        }
        // An administrator cannot register a URL that executes code or that leads to a host other
        // than the displayed one.
        for address in [
            "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x",
            "https://app.example.org@evil.example/", "http://evil.example/",
        ] {
            await #expect(throws: (any Error).self, "\(address)") {
                _ = try await server.admin.createApp(
                    AppRequest(name: "Evil", settings: ["redirect_uris": [.string(address)]]))
            }
        }
        // Registered URLs are compared exactly, not as patterns.
        _ = try await server.admin.createApp(
            AppRequest(
                id: "star", name: "Star",
                settings: ["redirect_uris": ["https://app.example.org/*"], "sign_in_page": true]))
        let starred = try await Self.authorize(
            server, ["client_id": "star", "redirect_uri": "https://app.example.org/anything"])
        #expect(starred.status == 400 && starred.headers["location"] == nil)
        #expect(await server.process.stop() == 0)
    }

    private static func authorize(_ server: AttackedServer, _ changed: [String: String?])
        async throws -> RawAnswer
    {
        try await RawConnection.open(server.address).request(
            "GET", AttackedServer.authorization("web", changed))
    }

    @Test(
        "an attacker puts a host name into emails and tokens by sending it in a header",
        .enabled(if: Installed.isThere, Installed.reason))
    func forwardedHosts() async throws {
        let server = try await AttackedServer.start(in: scratch, ["MIEN_TRUST_PROXY": "true"])
        try await server.makeUser("ada")
        try await server.publishCodeJourneys()
        let evil = "evil.example"
        let headers = [
            "x-forwarded-host": evil, "x-forwarded-proto": "http", "x-forwarded-port": "1",
            "forwarded": "host=\(evil);proto=http",
            "x-host": evil, "x-original-host": evil, "x-zitadel-forward-host": evil,
            "x-forwarded-server": evil, "x-original-url": "/v1/users",
            "x-rewrite-url": "/v1/users",
        ]
        func send(_ method: String, _ path: String, _ body: String = "") async throws -> RawAnswer {
            let connection = try await RawConnection.open(server.address)
            var text =
                "\(method) \(path) HTTP/1.1\r\nhost: \(evil)\r\ncontent-type: application/json\r\ncontent-length: \(body.utf8.count)\r\n"
            for (name, value) in headers { text += "\(name): \(value)\r\n" }
            try await connection.send(text + "\r\n" + body)
            return try #require(try await connection.answer())
        }
        let discovery = try await send("GET", "/.well-known/openid-configuration")
        #expect(
            try discovery.json["issuer"] == .string(server.issuer)
                && !String(decoding: discovery.body, as: UTF8.self).contains(evil))
        let page = try await send("GET", "/oauth2/authorize")
        #expect(!String(decoding: page.body, as: UTF8.self).contains(evil))
        let begun = try await send(
            "POST", "/v1/journeys/mailed-code/start", #"{"client_id": "default_application"}"#)
        let state = try #require(try begun.json["state"]?.stringValue)
        let asked = try await send(
            "POST", "/v1/journeys/respond",
            AttackedServer.response(state, "email_code", ["user_identifier": "ada"]))
        #expect(asked.status == 200)
        let mails = try await Patience.see {
            try Self.mails(scratch)
        } until: {
            !$0.isEmpty
        }
        #expect(mails.count == 1 && mails.allSatisfy { !$0.contains(evil) })
        // Headers do not change the route, either.
        #expect(try await send("GET", "/healthz").json["status"] == "alive")
        #expect(await server.process.stop() == 0)
    }

    private static func mails(_ scratch: ScratchFolder) throws -> [String] {
        let files =
            (try? FileManager.default.contentsOfDirectory(
                at: scratch("outbox"), includingPropertiesForKeys: nil)) ?? []
        return try files.filter { $0.pathExtension == "eml" }.map {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }
}
