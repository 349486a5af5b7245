import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

/// Users set, change, and reset their passwords on a real server.
@Suite("Own passwords", .enabled(if: Installed.isThere, Installed.reason))
struct OwnPasswordTests {
    private static let next = "another good password"
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// The field errors of a refused request, as `field: message`.
    private static func faults(_ answer: RealServer.Answer) -> [String] {
        (answer.json["errors"]?.arrayValue ?? []).map {
            "\($0["field"]?.stringValue ?? ""): \($0["message"]?.stringValue ?? "")"
        }
    }

    private static func isOpen(_ access: String, _ server: RealServer) async throws -> Bool {
        try await server.send(.get, "/oauth2/userinfo", access: access).status == 200
    }

    @Test(
        "a new password takes the current one, ends every other sign-in, and keeps the one that set it"
    )
    func change() async throws {
        try await RealServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            let own = try await server.signIn(), other = try await server.signIn()
            func put(_ body: JSONValue) async throws -> RealServer.Answer {
                try await server.send(.put, "/v1/me/password", access: own, JSONText.write(body))
            }
            let next = JSONValue.string(Self.next), current = JSONValue.string(RealServer.password)
            #expect(
                Self.faults(try await put(["password": next])) == [
                    "current_password: is required to replace a password"
                ])
            #expect(
                Self.faults(try await put(["password": next, "current_password": "wrong"])) == [
                    "current_password: is wrong, or the password is locked"
                ])
            #expect(
                Self.faults(try await put(["password": "short", "current_password": current])) == [
                    "password: the password must have at least 8 characters"
                ])
            #expect(
                Self.faults(try await put(["password": next, "old_password": current])).count == 1)
            #expect(try await Self.isOpen(other, server), "nothing has changed yet")

            let answer = try await put(["password": next, "current_password": current])
            #expect(answer.status == 204, "\(answer.text)")
            #expect(try await Self.isOpen(own, server))
            #expect(try await !Self.isOpen(other, server))
            #expect(try await !Self.signsIn(server, RealServer.password))
            #expect(try await Self.signsIn(server, Self.next))
            _ = try await server.outbox.mail(with: "A password was added to your account")
            let events = try await server.admin.audit(user: user).items.map(\.event)
            #expect(events.contains("password.registered") && events.contains("password.refused"))
        }
    }

    @Test("a device that changes the password stays known, and the others do not")
    func devices() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser()
            let mine = MemoryDeviceTokens(), other = MemoryDeviceTokens()
            let own = try await server.signIn(from: server.client(mine))
            _ = try await server.signIn(from: server.client(other))
            let key = DeviceTokenKey(
                server: server.process.address, application: "default_application")
            let token = try #require(await mine.token(for: key)).use { $0 }
            let body: JSONValue = [
                "password": .string(Self.next), "current_password": .string(RealServer.password),
                "device_token": .string(token),
            ]
            #expect(
                try await server.send(
                    .put, "/v1/me/password", access: own, JSONText.write(body)
                ).status == 204)
            // A known device keeps its token; any other gets a new one.
            let before = await other.token(for: key)?.use { $0 }
            _ = try await Self.signIn(server, Self.next, from: server.client(mine))
            _ = try await Self.signIn(server, Self.next, from: server.client(other))
            #expect(await mine.token(for: key)?.use { $0 } == token)
            #expect(await other.token(for: key)?.use { $0 } != before)
        }
    }

    @Test("the SDK changes the password, and the journey change-password changes it again")
    func journey() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser()
            let options = MienOptions(
                serverPath: server.process.address, applicationId: "default_application",
                retry: RetryPolicy(attempts: 1))
            let session = try MienSession(options)
            try await session.configure()
            guard
                case .success(let token) = try await Self.outcome(server, RealServer.password)
            else {
                Issue.record("no sign-in")
                return
            }
            try await session.signIn(journeyToken: token)
            do {
                try await session.setPassword(Sensitive(Self.next), current: Sensitive("wrong"))
                Issue.record("a wrong password was accepted")
            } catch let error as MienError {
                #expect(error.problem?.errors?.map(\.field) == ["current_password"])
            }
            try await session.setPassword(
                Sensitive(Self.next), current: Sensitive(RealServer.password))
            let other = try await Self.signIn(server, Self.next)

            let journey = try await server.client().start("change-password", session: session)
            var answers = [
                ("wrong", "a third good password"), (Self.next, "short"),
                (Self.next, "a third good password"),
            ]
            for try await step in journey.steps {
                #expect(step.id == .loginForm && !answers.isEmpty)
                let (current, new) = answers.removeFirst()
                try await step.respond(
                    "change",
                    ["current_password": .string(current), "new_password": .string(new)])
            }
            guard case .success(let proof) = await journey.outcome() else {
                Issue.record("\(String(describing: await journey.outcome()))")
                return
            }
            let claims = try proof.use { try TokenClient.claims($0) }
            #expect(claims["sid"] != nil && claims["amr"] == ["pwd"])
            _ = try await session.userInfo()
            #expect(try await !Self.isOpen(other, server))
            #expect(try await Self.signsIn(server, "a third good password"))
            #expect(try await !Self.signsIn(server, Self.next))
        }
    }

    @Test("a recovery code resets a forgotten password at once, locked or not")
    func code() async throws {
        try await RealServer.run(in: scratch) { server in
            try await server.makeUser()
            let access = try await server.signIn(), codes = try await server.recoveryCodes(access)
            for _ in 0..<5 { #expect(try await !Self.signsIn(server, "wrong")) }
            #expect(try await !Self.signsIn(server, RealServer.password), "locked")
            let outcome = try await server.run("password-reset") { step in
                switch step.id {
                case .loginForm where step.options["recovery_code"] != nil:
                    try await step.respond(
                        "recovery_code",
                        ["user_identifier": "ada", "code": .string(codes[0])])
                default: try await step.respond("set", ["new_password": .string(Self.next)])
                }
            }
            // The run's own proof outlives the sign-ins that it ended.
            let recovered = try await server.access(outcome)
            #expect(try await Self.isOpen(recovered, server))
            #expect(try await !Self.isOpen(access, server))
            #expect(try await Self.signsIn(server, Self.next), "the lock is gone")
            #expect(try await !Self.signsIn(server, RealServer.password))
            // The recovered sign-in may replace the password without the current one.
            #expect(
                try await server.send(
                    .put, "/v1/me/password", access: recovered, #"{"password": "a third good one"}"#
                ).status == 204)
            #expect(try await Self.signsIn(server, "a third good one"))
        }
    }

    @Test("a mailed code resets a forgotten password after the hold")
    func mail() async throws {
        try await ClockedServer.run(in: scratch) { server in
            _ = try await server.makeUser()
            let outbox = Outbox(data: server.folder), tokens = TokenClient(server: server)
            func reset(_ number: Int) async throws -> JourneyOutcome? {
                let journey = try await server.client().start("password-reset")
                for try await step in journey.steps {
                    switch step.id {
                    case .loginForm where step.options["email_code"] != nil:
                        try await step.respond("email_code", ["user_identifier": "ada"])
                    case .loginForm:
                        try await step.respond("set", ["new_password": .string(Self.next)])
                    case .emailOTPAuthentication:
                        let text = try await outbox.mail(with: "Your code is", number)
                        let code = try #require(text.firstMatch(of: /Your code is ([0-9]+)/)?.1)
                        try await step.respond(.clientInput, ["passcode": .string(String(code))])
                    default: try await step.respond(.clientInput)
                    }
                }
                return await journey.outcome()
            }
            guard case .rejection(let held) = try await reset(0) else {
                Issue.record("not held")
                return
            }
            #expect(held["reason"] == "recovery_held")
            #expect(try await tokens.signIn("ada").status == 200, "nothing has changed")
            try server.time.advance(.seconds(86_400))
            guard case .success(let token) = try await reset(1) else {
                Issue.record("the hold is over")
                return
            }
            #expect(try token.use { try TokenClient.claims($0) }["recovered"] == true)
            #expect(try await tokens.signIn("ada", password: Self.next).status == 200)
        }
    }

    // MARK: Signing in

    private static func outcome(
        _ server: RealServer, _ password: String, from client: JourneyClient? = nil
    ) async throws -> JourneyOutcome? {
        try await server.run("password-login", from: client) {
            try await $0.respond("password", ["username": "ada", "password": .string(password)])
        }
    }

    private static func signIn(
        _ server: RealServer, _ password: String, from client: JourneyClient? = nil
    ) async throws -> String {
        try await server.access(outcome(server, password, from: client))
    }

    /// Whether the password signs in at the first try.
    private static func signsIn(_ server: RealServer, _ password: String) async throws -> Bool {
        let journey = try await server.client().start("password-login")
        let answer = try await journey.respond(
            "password", ["username": "ada", "password": .string(password)])
        return answer.token != nil
    }
}
