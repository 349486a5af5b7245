import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

extension HostileTests {
    @Test(
        "a thief with an access token keeps an OTP token that he added; but its owner is mailed and removes it without signing in"
    )
    func removalLink() async throws {
        try await RealServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            let access = try await server.signIn()
            try await server.addToken(access)
            let mail = try await server.outbox.mail(
                with: "A one-time-code token was added to your account in Sample app")
            #expect(!mail.contains("Phone"), "the mail carries none of the thief's words")
            let code = try Outbox.code(in: mail)

            // Open the link as mail scanners do.
            let page = try await server.send(.get, "/notices?code=\(code)")
            #expect(
                page.status == 200 && page.text.contains("Remove this sign-in method?")
                    && page.text.contains("One-time-code token"))
            #expect(
                page.headers["cache-control"] == "no-store"
                    && page.headers["referrer-policy"] == "no-referrer")
            #expect(
                page.headers["content-security-policy"]?.hasPrefix(
                    "default-src 'none'; script-src 'self'") == true)
            #expect(try await server.tokens(access).count == 1, "opening the link removes nothing")

            // A stranger with a wrong code or without one.
            for wrong in [
                "", "x", String(code.dropLast()) + "_", String(repeating: "A", count: 43),
                String(repeating: "A", count: 500), "%00", "é",
            ] {
                let page = try await server.send(
                    .get, "/notices?code=\(wrong == "é" ? "%C3%A9" : wrong)")
                #expect(
                    page.status == 404 && page.text.contains("This link does not work"), "\(wrong)")
                let used = try await server.form("/notices", [("code", wrong)])
                #expect(
                    used.status == 404 && used.text.contains("This link does not work"), "\(wrong)")
            }
            #expect(try await server.send(.post, "/notices", "{}").status == 415)
            #expect(try await server.tokens(access).count == 1)

            // The link submitted 64 times concurrently.
            let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<64 {
                    tasks.addTask { try await server.form("/notices", [("code", code)]).status }
                }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(
                answers.count { $0 == 200 } == 1 && answers.count { $0 == 410 } == 63, "\(answers)")
            #expect(try await server.tokens(access).isEmpty)
            let removed = try await server.admin.audit(user: user).items.filter {
                $0.event == "otp.removed"
            }
            #expect(removed.count == 1 && removed.first?.detail["via"] == "mailed_link")
        }
    }

    @Test(
        "a thief whose passkey was locked hides behind the lock; but the link removes that passkey and nothing else"
    )
    func removalOfLockedPasskey() async throws {
        try await ClockedServer.run(
            in: scratch, settings: ["MIEN_PUBLIC_URL": SoftwarePasskey.origin]
        ) { server in
            let user = try await server.makeUser(), client = TokenClient(server: server),
                outbox = Outbox(data: server.folder)
            let access = try await client.signIn()["access_token"]
            var passkeys: [(passkey: SoftwarePasskey, id: AuthenticatorID, code: String)] = []
            var strong = access
            for number in 0..<3 {
                let passkey = try SoftwarePasskey(client).with {
                    $0.userHandle = Array(user.text.utf8)
                }
                let id = try #require(
                    try await passkey.register(strong)["id"].flatMap { AuthenticatorID($0) })
                let mail = try await outbox.mail(with: "New sign-in method: passkey", number)
                #expect(mail.contains(SoftwarePasskey.origin + "/notices?code="))
                passkeys.append((passkey, id, try Outbox.code(in: mail)))
                // A password alone may not add a second passkey.
                if number == 0 {
                    strong = try await passkey.with { $0.counter = 2 }.signIn()["access_token"]
                }
            }
            func use(_ code: String) async throws -> Int {
                try await client.post("/notices", [("code", code)]).status
            }
            func listed() async throws -> Int {
                try await client.send(.get, "/v1/me/passkeys", SoftwarePasskey.headers(access))
                    .body["items"]?.arrayValue?.count ?? -1
            }
            // Locked by an administrator after it had signed in.
            #expect(try await client.userInfo(strong).status == 200)
            try await server.admin.lock(passkeys[0].id, of: user)
            #expect(try await use(passkeys[0].code) == 200)
            #expect(try await listed() == 2)
            #expect(
                try await client.userInfo(strong).status == 401, "its sign-ins have ended")
            #expect(
                try await client.userInfo(access).status == 200, "other sign-ins have not ended")

            // Already removed by its owner.
            #expect(
                try await client.send(
                    .delete, "/v1/me/passkeys/\(passkeys[1].id.text)",
                    SoftwarePasskey.headers(access)
                ).status == 204)
            #expect(try await use(passkeys[1].code) == 410)
            #expect(try await listed() == 1)

            // The link has expired.
            try server.time.advance(.seconds(7 * 86_400 - 1))
            #expect(
                try await client.send(.get, "/notices?code=\(passkeys[2].code)", [:]).status == 200)
            try server.time.advance(.seconds(1))
            #expect(try await use(passkeys[2].code) == 404)
            try await server.restart()
            #expect(try await use(passkeys[2].code) == 404)
        }
    }

    @Test(
        "a thief makes an old link remove the replacement of its authenticator")
    func replacedAuthenticator() async throws {
        try await ClockedServer.run(in: scratch) { server in
            let user = try await server.makeUser(), client = TokenClient(server: server),
                outbox = Outbox(data: server.folder)
            _ = try await server.admin.updateUser(
                user, UserRequest(password: "the second password"))
            let first = try Outbox.code(
                in: try await outbox.mail(
                    with: "A password was added to your account by an administrator"))
            _ = try await server.admin.updateUser(user, UserRequest(password: "the third password"))
            let second = try Outbox.code(
                in: try await outbox.mail(with: "New sign-in method: password", 1))
            #expect(try await client.post("/notices", [("code", first)]).status == 410)
            let access = try await client.signIn(password: "the third password")["access_token"]
            #expect(try await client.post("/notices", [("code", second)]).status == 200)
            #expect(
                try await client.userInfo(access).status == 401,
                "all sign-ins of the password have ended")
            await #expect(throws: (any Error).self) {
                try await client.signIn(password: "the third password")
            }
        }
    }
}

extension HostileTests {
    @Test(
        "a thief adds any kind of authenticator without the owner being notified and able to remove it"
    )
    func everyWay() async throws {
        try await ClockedServer.run(in: scratch) { server in
            let user = try await server.makeUser(), client = TokenClient(server: server),
                outbox = Outbox(data: server.folder)
            let access = try await client.signIn()["access_token"]
            #expect(
                try await client.send(
                    .post, "/v1/me/recovery-codes", SoftwarePasskey.headers(access)
                ).status == 201)
            #expect(try await WireDevice(client).setUp(access).status == 200)
            guard case .success = try await server.registerFace() else {
                Issue.record("no face")
                return
            }
            var codes: [String] = []
            for words in ["set of recovery codes", "device key", "face"] {
                codes.append(
                    try Outbox.code(in: try await outbox.mail(with: "New sign-in method: \(words)"))
                )
            }
            func types() async throws -> [String] {
                try await server.admin.authenticators(of: user).map(\.type.rawValue).sorted()
            }
            #expect(
                try await types() == ["face", "native_biometrics", "password", "recovery_code"])
            for code in codes {
                #expect(try await client.post("/notices", [("code", code)]).status == 200)
            }
            #expect(try await types() == ["password"])
            #expect(
                try await client.userInfo(access).status == 200,
                "the password's sign-in has not ended")
        }
    }

    @Test("a thief buries the email about an authenticator under hundreds of others")
    func buriedMail() async throws {
        try await ClockedServer.run(in: scratch) { server in
            try await server.makeUser()
            let client = TokenClient(server: server),
                headers = SoftwarePasskey.headers(try await client.signIn()["access_token"])
            var statuses: [Int] = []
            for _ in 0..<60 {
                statuses.append(
                    try await client.send(.post, "/v1/me/recovery-codes", headers).status)
            }
            #expect(statuses == Array(repeating: 201, count: 50) + Array(repeating: 429, count: 10))
            try server.time.advance(.seconds(3600))
            let later = SoftwarePasskey.headers(try await client.signIn()["access_token"])
            #expect(try await client.send(.post, "/v1/me/recovery-codes", later).status == 201)
        }
    }

    @Test(
        "a thief exploits an account without an address: it gets no mail, and no link is created"
    )
    func withoutAddress() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser(email: nil)
            let access = try await server.signIn()
            try await server.addToken(access)
            #expect(try await server.recoveryCodes(access).count == 10)
            #expect(try server.outbox.mails().isEmpty)
        }
    }
}
