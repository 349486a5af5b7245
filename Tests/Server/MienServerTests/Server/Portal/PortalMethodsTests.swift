import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite("Sign-in methods of administrators", .enabled(if: Installed.isThere, Installed.reason))
struct PortalMethodsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// A passkey of a browser at the portal.
    private static func passkey(_ server: TestServer) throws -> SoftwarePasskey {
        let port = server.adminAddress.split(separator: ":").last ?? ""
        return try SoftwarePasskey(TokenClient(server: server)).with {
            $0.origin = "http://localhost:\(port)"
            $0.rpID = "localhost"
        }
    }

    /// Sets the first administrator up with a passkey.
    private static func owner(_ server: TestServer) async throws -> (
        PortalBrowser, SoftwarePasskey
    ) {
        let browser = PortalBrowser(server), code = try server.setupCode
        let options = try await browser.send(
            .post, "/v1/administrator/setup/options", ["code": .string(code)])
        let passkey = try Self.passkey(server).with {
            $0.userHandle = Self.handle(options.body["passkey"])
        }
        let answer = try await browser.send(
            .post, "/v1/administrator/setup",
            [
                "code": .string(code), "name": "Ada", "passkey_name": "Laptop",
                "credential": try passkey.credential(
                    creating: try #require(options.body["passkey"]?["publicKey"])),
            ])
        try #require(answer.status == 204, "\(answer)")
        return (browser, passkey)
    }

    private static func handle(_ options: JSONValue?) -> [UInt8]? {
        options?["publicKey"]?["user"]?["id"]?.stringValue.flatMap { Base64URL.decode($0) }
    }

    private static func signIn(_ browser: PortalBrowser, _ passkey: SoftwarePasskey) async throws
        -> PortalBrowser.Answer
    {
        let options = try await browser.send(
            .post, "/v1/administrator/session/passkey/options")
        return try await browser.send(
            .post, "/v1/administrator/session/passkey",
            [
                "credential": try passkey.credential(
                    answering: try #require(options.body["publicKey"]))
            ])
    }

    @Test("a passkey sets up and signs in; its password sign-in is refused")
    func passkey() async throws {
        try await TestServer.run(in: scratch) { server in
            let (first, passkey) = try await Self.owner(server)
            #expect(try await first.me() == 200)
            let browser = PortalBrowser(server)
            let signedIn = try await Self.signIn(browser, passkey.with { $0.counter = 2 })
            #expect(signedIn.status == 204, "\(signedIn)")
            let methods = try await browser.send(.get, "/v1/administrator/methods")
            #expect(
                methods.body["passkeys"]?.arrayValue?.first?["name"] == "Laptop"
                    && methods.body["has_password"] == false && methods.body["sessions"] == 2
                    && methods.body["session"]?["method"] == "passkey")
            #expect(try await server.admin.administrators().first?.methods == ["passkey"])
            // No way around it with a password.
            let downgraded = try await PortalBrowser(server).send(
                .post, "/v1/administrator/session",
                ["name": "Ada", "password": "", "code": "000000"])
            #expect(downgraded.status == 401)
        }
    }

    @Test("altered, replayed, and foreign responses of passkeys are refused in the same way")
    func hostilePasskeys() async throws {
        try await TestServer.run(in: scratch) { server in
            let (_, passkey) = try await Self.owner(server)
            let browser = PortalBrowser(server)
            let stranger = try Self.passkey(server).with { $0.userHandle = passkey.userHandle }
            var answers: [PortalBrowser.Answer] = []
            for hostile in [
                stranger, passkey.with { $0.origin = "http://localhost:1" },
                passkey.with { $0.rpID = "login.example.org" },
                passkey.with { $0.userHandle = Array("adm_other".utf8) },
            ] {
                answers.append(
                    try await Self.signIn(browser, hostile.with { $0.counter = 9 }))
            }
            let unverified = passkey.with {
                $0.flags = 0x01
                $0.counter = 9
            }
            answers.append(try await Self.signIn(browser, unverified))
            #expect(answers.allSatisfy { $0.status == 401 && $0.body == answers[0].body })
            server.time.advance(.seconds(120))

            let options = try await browser.send(
                .post, "/v1/administrator/session/passkey/options")
            let body: JSONValue = [
                "credential": try passkey.with { $0.counter = 3 }.credential(
                    answering: try #require(options.body["publicKey"]))
            ]
            let path = "/v1/administrator/session/passkey"
            #expect(try await browser.send(.post, path, body).status == 204)
            #expect(try await browser.send(.post, path, body).status == 401, "a replay")
            #expect(
                try await Self.signIn(browser, passkey.with { $0.counter = 3 }).status == 401,
                "a counter that does not grow")
            #expect(
                try await server.administratorEvents().contains("administrator.possible-clone"))
            // A passkey of a user is none of an administrator, and its challenge neither.
            let users = try await PortalBrowser(server).send(
                .post, "/v1/administrator/session/passkey", ["credential": [:]])
            #expect(users.status == 400)
        }
    }

    @Test("changes need a sign-in of the last ten minutes, and no credential makes them")
    func freshness() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, _) = try await server.owner()
            let changes: [(HTTPTransportRequest.Method, String, JSONValue?)] = [
                (.post, "passkeys/options", nil), (.post, "passkeys", ["credential": [:]]),
                (.delete, "passkeys/aut_x", nil), (.put, "password", ["password": "a b c d e f"]),
                (.delete, "password", nil), (.post, "authenticator-app/options", nil),
                (.put, "authenticator-app", ["one_time_code": "123456"]),
            ]
            let credential = server.credential.use { $0 }
            for (method, path, body) in changes {
                let stolen = try await PortalBrowser(server).send(
                    method, "/v1/administrator/\(path)", body,
                    headers: ["authorization": "Bearer \(credential)", "mien-portal": "1"])
                #expect(stolen.code == "insufficient_user_authentication", "\(path)")
            }
            server.time.advance(.seconds(600))
            for (method, path, body) in changes {
                let late = try await browser.send(method, "/v1/administrator/\(path)", body)
                #expect(
                    late.code == "insufficient_user_authentication"
                        && late.body["max_age"] == 600, "\(path)")
            }
            for (path, body) in [
                ("administrators/invitations", ["name": "Eve", "role": "owner"] as JSONValue),
                ("administrators", ["name": "Eve", "role": "owner"]),
                ("administrators/adm_x/setup-code", [:]),
            ] {
                let late = try await browser.send(.post, "/v1/\(path)", body)
                #expect(late.code == "insufficient_user_authentication", "\(path)")
            }
            let late = try await browser.send(
                .put, "/v1/administrators/adm_x/role", ["role": "owner"])
            #expect(late.code == "insufficient_user_authentication")
            #expect(try await server.admin.administrators().count == 1)
        }
    }

    @Test("a passkey is added beside a password, and each change ends other sessions")
    func addPasskey() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, secret) = try await server.owner(), other = PortalBrowser(server)
            #expect(try await other.signIn("Ada", secret).status == 204)
            let options = try await browser.send(.post, "/v1/administrator/passkeys/options")
            let passkey = try Self.passkey(server).with {
                $0.userHandle = Self.handle(options.body)
            }
            let credential = try passkey.credential(
                creating: try #require(options.body["publicKey"]))
            let added = try await browser.send(
                .post, "/v1/administrator/passkeys", ["credential": credential, "name": "Phone"])
            #expect(added.status == 201 && added.body["name"] == "Phone", "\(added)")
            #expect(try await [browser.me(), other.me()] == [200, 401])
            let again = try await browser.send(
                .post, "/v1/administrator/passkeys", ["credential": credential])
            #expect(again.status == 400, "the challenge is used up")
            #expect(
                try await Self.signIn(other, passkey.with { $0.counter = 2 }).status == 204)

            // A sign-in with the password does not remove the stronger method.
            let id = try #require(added.body["id"]?.stringValue)
            let weak = try await browser.send(.delete, "/v1/administrator/passkeys/\(id)")
            #expect(weak.code == "insufficient_user_authentication")
            #expect(
                try await other.send(.delete, "/v1/administrator/passkeys/\(id)").status == 204)
            #expect(
                try await other.send(.delete, "/v1/administrator/passkeys/\(id)").status == 404)
            let last = try await other.send(.delete, "/v1/administrator/password")
            #expect(last.status == 409, "the only way in")
        }
    }

    @Test("a password is changed, and the app replaced; the old ones stop working")
    func replace() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, old) = try await server.owner()
            let weak = try await browser.send(
                .put, "/v1/administrator/password", ["password": "password"])
            #expect(weak.body["errors"]?.arrayValue?.first?["field"] == "password")
            #expect(
                try await browser.send(
                    .put, "/v1/administrator/password", ["password": "another horse battery"]
                ).status == 204)
            let options = try await browser.send(
                .post, "/v1/administrator/authenticator-app/options")
            let new = try OTPSecret(
                base32: try #require(options.body["secret"]?.stringValue))
            let uri = try #require(options.body["uri"]?.stringValue)
            #expect(uri.hasPrefix("otpauth://totp/Mien%20localhost:Ada?secret=\(new.base32)"))
            #expect((options.body["qr_code"]?["size"]?.numberValue ?? 0) >= 21)
            let both = try await browser.send(
                .put, "/v1/administrator/authenticator-app",
                ["one_time_code": "123456", "password": "another horse battery"])
            let said = both.body["errors"]?.arrayValue?.first?["message"]?.stringValue
            #expect(said?.hasPrefix("is set already") == true && said?.contains("/v1/") == false)
            // Until a code confirms it, the old app stays.
            #expect(
                try await PortalBrowser(server).signIn(
                    "Ada", old, password: "another horse battery"
                ).status == 204)
            let path = "/v1/administrator/authenticator-app"
            let wrong = try await browser.send(
                .put, path, ["one_time_code": .string(try browser.oneTimeCode(old))])
            #expect(wrong.status == 400)
            let right: JSONValue = ["one_time_code": .string(try browser.oneTimeCode(new))]
            #expect(try await browser.send(.put, path, right).status == 204)
            #expect(try await browser.send(.put, path, right).status == 409, "used up")
            server.time.advance(.seconds(30))
            for (password, secret, status) in [
                (PortalBrowser.password, new, 401), ("another horse battery", old, 401),
                ("another horse battery", new, 204),
            ] {
                #expect(
                    try await PortalBrowser(server).signIn("Ada", secret, password: password)
                        .status == status)
            }
        }
    }

    @Test("an administrator with a passkey adds a password, and removes it again")
    func addPassword() async throws {
        try await TestServer.run(in: scratch) { server in
            let (browser, passkey) = try await Self.owner(server)
            #expect(
                try await browser.send(
                    .put, "/v1/administrator/password", ["password": "another horse battery"]
                ).status == 409, "there is none to change")
            let options = try await browser.send(
                .post, "/v1/administrator/authenticator-app/options")
            let secret = try OTPSecret(
                base32: try #require(options.body["secret"]?.stringValue))
            let path = "/v1/administrator/authenticator-app"
            let code = JSONValue.string(try browser.oneTimeCode(secret))
            let alone = try await browser.send(.put, path, ["one_time_code": code])
            #expect(alone.body["errors"]?.arrayValue?.first?["field"] == "password")
            #expect(
                try await browser.send(
                    .put, path,
                    ["one_time_code": code, "password": .string(PortalBrowser.password)]
                ).status == 204)
            server.time.advance(.seconds(30))
            #expect(try await PortalBrowser(server).signIn("Ada", secret).status == 204)
            #expect(
                try await browser.send(.delete, "/v1/administrator/password").status == 204)
            server.time.advance(.seconds(30))
            #expect(try await PortalBrowser(server).signIn("Ada", secret).status == 401)
            #expect(
                try await Self.signIn(
                    PortalBrowser(server), passkey.with { $0.counter = 5 }
                ).status == 204)
        }
    }
}
