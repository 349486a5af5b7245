import Foundation
import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Attacks that act on a sign-in after it has ended, or on a weaker one than a change needs.
extension HostileTests {
    private static let signIn = """
        "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
        "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
          "failure_behavior": "abort"}, "on": {"success": "page"}},
        "page": {"type": "information", "config": {"text": "Wait"}, "on": {"next": "next"}},
        "done": {"type": "complete_journey"}
        """
    private static let registersToken = """
        "next": {"type": "register_otp", "config": {"kind": "hotp", "failure_behavior": "abort"}, "on": {"success": "done"}}
        """

    private static func authenticator(
        _ type: AuthenticatorType, of user: UserID, _ server: AttackedServer
    )
        async throws -> AuthenticatorID
    {
        let all = try await server.admin.authenticators(of: user)
        return try #require(
            all.first { $0.type == .known(type) }.flatMap { AuthenticatorID($0.id) })
    }

    private static func hasToken(_ user: UserID, _ server: AttackedServer) async throws -> Bool {
        try await server.admin.authenticators(of: user).contains { $0.type == .known(.otp) }
    }

    private func withServer(
        _ settings: [String: String] = [:], clock: ProcessClock? = nil,
        _ body: (AttackedServer, UserID) async throws -> Void
    ) async throws {
        let server = try await AttackedServer.start(in: scratch, settings, clock: clock)
        try await body(server, server.makeUser("ada"))
        #expect(await server.process.stop() == 0)
    }

    @Test(
        "a thief holds a request open while the password changes, and adds an authenticator with it"
    )
    func heldRequest() async throws {
        try await withServer { server, user in
            let changes: [(String, () async throws -> Void)] = [
                (
                    "password",
                    {
                        _ = try await server.admin.updateUser(
                            user, UserRequest(password: AttackedServer.password))
                    }
                ),
                ("compromise", { try await server.admin.markCompromised(user) }),
            ]
            for (name, change) in changes {
                let access = try #require(try await server.signIn("ada")["access_token"])
                let passkey = try SoftwarePasskey(server.tokens).with {
                    $0.userHandle = Array(user.text.utf8)
                }
                let options = try await passkey.registrationOptions(access).body["publicKey"]
                let credential = try passkey.credential(creating: #require(options))
                var held: [(path: String, connection: RawConnection)] = []
                for (path, body) in [
                    ("/v1/me/otp/registrations", [:]),
                    ("/v1/webauthn/register", ["credential": credential]),
                ] as [(String, JSONValue)] {
                    let text = JSONText.write(body),
                        connection = try await RawConnection.open(server.address)
                    try await connection.send(
                        "POST \(path) HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer \(access)\r\ncontent-type: application/json\r\ncontent-length: \(text.utf8.count)\r\n\r\n\(text.dropLast())"
                    )
                    held.append((path, connection))
                }
                try await Task.sleep(for: .milliseconds(400))
                try await change()
                for (path, connection) in held {
                    try await connection.send("}")
                    let answer = try #require(try await connection.answer())
                    #expect(answer.status == 401, "\(name): \(path)")
                }
            }
            let types = try await server.admin.authenticators(of: user).map(\.type)
            #expect(types == [.known(.password)])
        }
    }

    @Test(
        "a thief lets a run wait while the owner removes or locks what signed it in, and goes on")
    func waitingRun() async throws {
        try await withServer { server, user in
            try await server.publish("wait", steps: "\(Self.signIn), \(Self.registersToken)")
            for lock in [true, false] {
                let begun = try await server.start("wait").body["state"]?.stringValue
                let page = try await server.respond(
                    #require(begun), "password",
                    ["username": "ada", "password": .string(AttackedServer.password)])
                let state = try #require(page.body["state"]?.stringValue, "\(page.body)")
                let password = try await Self.authenticator(.password, of: user, server)
                if lock {
                    try await server.admin.lock(password, of: user)
                } else {
                    try await server.admin.removeAuthenticator(password, of: user)
                }
                let next = try await server.respond(state, "client_input")
                #expect(
                    next.status >= 400 || next.body["journey_step_id"] == "rejection",
                    "\(next.body)")
                #expect(next.body["data"]?["registration_code"] == nil)
                if lock { try await server.admin.unlock(password, of: user) }
            }
        }
    }

    @Test("a thief keeps a journey's token or a code while an administrator locks the password")
    func lockedBeforeExchange() async throws {
        try await withServer { server, user in
            try await server.makePageApp("web")
            let token = try await server.journeyToken("ada"),
                code = try await server.authorizationCode("ada", app: "web")
            try await server.admin.lock(
                Self.authenticator(.password, of: user, server), of: user)
            let exchanged = try await server.tokens.token(
                TokenClient.exchange,
                [("subject_token", token), ("subject_token_type", TokenClient.jwt)])
            #expect(exchanged.error == "invalid_grant", "\(exchanged.body)")
            let redeemed = try await TokenClient(server: server, app: "web").token(
                "authorization_code",
                [
                    ("code", code), ("redirect_uri", AttackedServer.redirect),
                    ("code_verifier", AttackedServer.verifier),
                ])
            #expect(redeemed.error == "invalid_grant", "\(redeemed.body)")
        }
    }

    @Test(
        "a thief has a journey add an authenticator with an old sign-in, a password alone, or another company's app"
    )
    func journeyChanges() async throws {
        let clock = try ProcessClock.ofToday(in: scratch)
        try await withServer(["MIEN_FRESH_SECONDS": "60"], clock: clock) { server, user in
            try await server.publish(
                "add", start: "next", needsUser: true,
                steps: "\(Self.registersToken), \"done\": {\"type\": \"complete_journey\"}")
            _ = try await server.admin.createApp(AppRequest(id: "partner", name: "Partner"))
            func add(_ access: String?, app: String = "default_application") async throws
                -> JSONValue
            {
                try await server.sendJSON(
                    .post, "/v1/journeys/add/start", body: #"{"client_id": "\#(app)"}"#,
                    access: access
                ).body
            }
            func reason(_ body: JSONValue) -> JSONValue? { body["error_data"]?["reason"] }

            let fresh = try await server.signIn("ada")["access_token"]
            #expect(try await add(fresh)["journey_step_id"] != "rejection", "the rule allows it")
            try clock.advance(.seconds(61))
            let old = try await add(fresh)
            #expect(reason(old) == "insufficient_user_authentication", "\(old)")

            let partner = try await server.signIn("ada", app: "partner")["access_token"]
            let third = try await add(partner, app: "partner")
            #expect(reason(third) == "not_allowed", "\(third)")

            let passkey = try SoftwarePasskey(server.tokens).with {
                $0.userHandle = Array(user.text.utf8)
            }
            let registered = try await passkey.register(
                server.signIn("ada")["access_token"])
            #expect(registered.status == 200, "\(registered.body)")
            let weak = try await add(server.signIn("ada")["access_token"])
            #expect(reason(weak) == "insufficient_user_authentication", "\(weak)")
        }
    }

    @Test("a thief with a password registers a passkey in a lax app and uses it in a strict one")
    func laxApp() async throws {
        try await withServer { server, user in
            try await server.publishCodeJourneys()
            for (id, journeys) in [
                ("bank", ["password-login", "token-code"]),
                ("news", ["password-login", "change-password"]),
            ] {
                _ = try await server.admin.createApp(
                    AppRequest(
                        id: id, name: id, isFirstParty: true,
                        settings: ["journeys": .array(journeys.map { .string($0) })]))
            }
            let owner = try await server.signIn("ada", app: "bank")["access_token"]
            let offer = try await server.sendJSON(
                .post, "/v1/me/otp/registrations", body: "{}", access: owner)
            let code = try #require(offer.body["registration_code"]?.stringValue, "\(offer.body)")
            let body: JSONValue = [
                "registration_code": .string(code), "public_key": TokenDevice().jwk,
                "name": "Phone", "os": "linux",
            ]
            let token = try await server.sendJSON(
                .post, "/v1/otp/tokens", body: JSONText.write(body))
            #expect(token.status == 201, "\(token.body)")

            let thief = try await server.signIn("ada", app: "news")["access_token"]
            let passkey = try SoftwarePasskey(TokenClient(server: server, app: "news")).with {
                $0.userHandle = Array(user.text.utf8)
            }
            let refused = try await passkey.registrationOptions(thief)
            #expect(refused["code"] == "insufficient_user_authentication", "\(refused.body)")
            let codes = try await server.sendJSON(
                .post, "/v1/me/recovery-codes", access: thief)
            #expect(codes.body["code"] == "insufficient_user_authentication", "\(codes.body)")
            // A password signs in to every app, too, in a journey as in a request.
            let begun = try await server.sendJSON(
                .post, "/v1/journeys/change-password/start", body: #"{"client_id": "news"}"#,
                access: thief)
            let state = try #require(begun.body["state"]?.stringValue, "\(begun.body)")
            _ = try await server.respond(
                state, "change",
                [
                    "current_password": .string(AttackedServer.password),
                    "new_password": "the thief's password",
                ])
            #expect(try await server.events("authenticator.change_refused", of: user) == 1)
            #expect(try await server.events("password.registered", of: user) == 0)
        }
    }

    @Test("a thief makes a journey lock the stronger authenticator, to be asked for less")
    func journeyLockLowersNothing() async throws {
        try await withServer { server, user in
            try await server.publishCodeJourneys()
            try await server.publish(
                "lock",
                steps: """
                    \(Self.signIn),
                    "next": {"type": "lock_authenticator", "config": {"authenticator": "otp"}, "on": {"success": "done", "failure": "done"}}
                    """)
            let owner = try await server.signIn("ada")["access_token"]
            let offer = try await server.sendJSON(
                .post, "/v1/me/otp/registrations", body: "{}", access: owner)
            let code = try #require(offer.body["registration_code"]?.stringValue)
            _ = try await server.sendJSON(
                .post, "/v1/otp/tokens",
                body: JSONText.write([
                    "registration_code": .string(code), "public_key": TokenDevice().jwk,
                    "name": "Phone", "os": "linux",
                ]))
            let begun = try #require(try await server.start("lock").body["state"]?.stringValue)
            let page = try await server.respond(
                begun, "password",
                ["username": "ada", "password": .string(AttackedServer.password)])
            let end = try await server.respond(
                #require(page.body["state"]?.stringValue), "client_input")
            #expect(end.body["journey_step_id"] == "success", "\(end.body)")
            let token = try await server.admin.authenticators(of: user).first {
                $0.type == .known(.otp)
            }
            #expect(token?.lock == .known(.disabled), "\(String(describing: token))")
            let thief = try await server.signIn("ada")["access_token"]
            let refused = try await server.sendJSON(
                .post, "/v1/me/recovery-codes", access: thief)
            #expect(refused.body["code"] == "insufficient_user_authentication", "\(refused.body)")
        }
    }

    @Test("a thief keeps a registration code after the authenticator that got it is removed")
    func codeOfRemovedAuthenticator() async throws {
        try await withServer { server, user in
            let passkey = try SoftwarePasskey(server.tokens).with {
                $0.userHandle = Array(user.text.utf8)
            }
            #expect(
                try await passkey.register(server.signIn("ada")["access_token"]).status == 200)
            let thief = try await passkey.with { $0.counter = 2 }.signIn()["access_token"]
            let offer = try await server.sendJSON(
                .post, "/v1/me/otp/registrations", body: "{}", access: thief)
            let code = try #require(offer.body["registration_code"]?.stringValue, "\(offer.body)")
            try await server.admin.removeAuthenticator(
                Self.authenticator(.passkey, of: user, server), of: user)
            let redeemed = try await server.sendJSON(
                .post, "/v1/otp/tokens",
                body: JSONText.write([
                    "registration_code": .string(code), "public_key": TokenDevice().jwk,
                    "name": "Phone", "os": "linux",
                ]))
            #expect(redeemed.status >= 400, "\(redeemed.body)")
            #expect(try await !Self.hasToken(user, server))
        }
    }

    @Test("a stranger breaks out of the sign-in page's markup with a mark that joins a quote")
    func markup() async throws {
        try await withServer { server, _ in
            try await server.makePageApp("web")
            let path = AttackedServer.authorization("web")
            func brackets(_ hint: String) async throws -> [Int] {
                let encoded = hint.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!
                let page = try await PageBrowser(server.address).open(
                    "\(path)&login_hint=\(encoded)")
                #expect(page.status == 200)
                return ["<", ">", "\""].map { mark in
                    page.text.utf8.count { $0 == mark.utf8.first }
                }
            }
            let clean = try await brackets("ada")
            // Grapheme clusters join each mark with a character before or after it.
            for joined in ["\u{600}", "\u{301}", "\u{200D}", "\r\n", ""] {
                for mark in ["\"", "<", ">", "'", "&"] {
                    let hint = "\(joined)\(mark)\(joined)"
                    #expect(
                        try await brackets(hint) == clean, "\(hint.unicodeScalars.map(\.value))")
                }
            }
        }
    }

    @Test("a stranger floods an owner's mailbox with codes")
    func codeFlood() async throws {
        try await withServer { server, _ in
            try await server.publishCodeJourneys()
            for number in 0..<30 {
                let name = number.isMultiple(of: 2) ? "ada" : "ada@example.org"
                _ = try await server.waitingForCode("mailed-code", of: name)
            }
            let folder = scratch("outbox")
            func mails() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.count ?? 0
            }
            _ = try await Patience.holds { mails() >= 8 }
            // The others would follow at once.
            try await Task.sleep(for: .seconds(1))
            let count = mails()
            #expect((8...13).contains(count), "\(count) emails")
        }
    }

    @Test("a stranger locks the owner's recovery codes by typing nonsense")
    func nonsenseCodes() async throws {
        try await withServer { server, _ in
            let access = try await server.signIn("ada")["access_token"]
            let made = try await server.sendJSON(.post, "/v1/me/recovery-codes", access: access)
            let code = try #require(made.body["codes"]?.arrayValue?.first, "\(made.body)")
            func recover(_ code: JSONValue) async throws -> JSONValue {
                let state = try #require(
                    try await server.start("recovery-code").body["state"]?.stringValue)
                return try await server.respond(
                    state, "recovery_code", ["user_identifier": "ada", "code": code]
                ).body
            }
            for _ in 0..<12 { #expect(try await recover("nonsense")["token"] == nil) }
            let owner = try await recover(code)
            #expect(owner["token"] != nil, "\(owner)")
        }
    }

    @Test("a user who is suspended while a new password is hashed is active again afterwards")
    func suspensionUndone() async throws {
        try await withServer { server, user in
            for _ in 0..<4 {
                async let password: Void = {
                    _ = try? await server.admin.updateUser(
                        user, UserRequest(password: AttackedServer.password))
                }()
                try await Task.sleep(for: .milliseconds(25))
                let answer = try? await server.admin.updateUser(
                    user, UserRequest(state: .suspended))
                await password
                if answer != nil {
                    #expect(try await server.admin.user(user).state == .known(.suspended))
                }
                _ = try await server.admin.updateUser(user, UserRequest(state: .active))
            }
        }
    }

    @Test("a stranger has a small request answered with megabytes")
    func amplifiedErrors() async throws {
        try await withServer { server, _ in
            let members = (0..<20_000).map { "\"k\($0)\": 0" }.joined(separator: ",")
            let answer = try await RawConnection.open(server.address).post(
                "/v1/journeys/respond", "{\(members)}")
            #expect(answer.status == 400 && answer.body.count < 8192, "\(answer.body.count) bytes")
        }
    }
}
