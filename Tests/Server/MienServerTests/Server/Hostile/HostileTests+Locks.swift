import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Attacks on the lock gate.
extension HostileTests {
    @Test(
        "a stranger who knows the password tries 48 one-time codes by signing in on a new device before each"
    )
    func codesFromNewDevices() async throws {
        try await withLockServer { server in
            try await server.setLock("otp", (40, 1, 40), of: LockServer.shop)
            let (user, token, phone) = try await server.userWithToken("ada")
            // The stranger's devices are known because the password succeeded on each, but no
            // one-time code has.
            for index in 0..<48 {
                let device = MemoryDeviceTokens()
                #expect(try await server.passwordLogin("ada", on: device))
                _ = try await server.codeLogin(
                    "ada", code: String(format: "%06d", index), on: device)
                if index == 38 {
                    #expect(try await server.authenticator(.otp, of: user).lock == .known(.open))
                }
            }
            let judged = try await server.authenticator(.otp, of: user).totalFailures
            #expect(judged == 40, "\(judged) codes were evaluated")
            let locked = try await server.authenticator(.otp, of: user)
            #expect(
                locked.lock == .known(.disabled) && locked.lockedBy == .known(.failures)
                    && locked.devices.count == 1)
            #expect(
                try await !server.codeLogin(
                    "ada", code: token.code(counter: 2), on: MemoryDeviceTokens()),
                "the right code is too late")

            // The owner's own phone is not locked out, and its sign-in does not give the stranger
            // new attempts.
            #expect(try await server.codeLogin("ada", code: token.code(counter: 3), on: phone))
            #expect(try await server.authenticator(.otp, of: user).lock == .known(.disabled))
            #expect(
                try await !server.codeLogin(
                    "ada", code: token.code(counter: 4), on: MemoryDeviceTokens()))
        }
    }

    @Test(
        "a stranger who knows the password evicts the owner's device from the list of known devices, to lock the owner out"
    )
    func crowdOfDevices() async throws {
        try await withLockServer { server in
            try await server.setLock("otp", (2, 60, 100), of: LockServer.shop)
            let (_, token, phone) = try await server.userWithToken("ada")
            for _ in 0..<25 {
                #expect(try await server.passwordLogin("ada", on: MemoryDeviceTokens()))
            }
            for _ in 0..<2 {
                #expect(
                    try await !server.codeLogin("ada", code: "000000", on: MemoryDeviceTokens()))
            }
            #expect(
                try await !server.codeLogin(
                    "ada", code: token.code(counter: 2), on: MemoryDeviceTokens()),
                "locked on unknown devices")
            #expect(
                try await server.codeLogin("ada", code: token.code(counter: 3), on: phone),
                "the phone has not been evicted")
        }
    }

    @Test("a stranger continues guessing a password at the app with the laxer lock policy")
    func laxerApp() async throws {
        try await withLockServer { server in
            try await server.setLock("password", (2, 3600, 50), of: "bank")
            let user = try await server.makeUser("ada")
            for _ in 0..<6 {
                #expect(
                    try await !server.passwordLogin(
                        "ada", password: "wrong", on: MemoryDeviceTokens()))
            }
            let lock = try await server.authenticator(.password, of: user)
            #expect(
                lock.lock == .known(.locked) && lock.totalFailures == 2,
                "the bank's policy applies at the shop, too: \(lock)")
            #expect(try await !server.passwordLogin("ada", on: MemoryDeviceTokens()))

            // Both apps accept the same password, so failures at either add up.
            try await server.setLock("password", (3, 3600, 50), of: "bank")
            let bob = try await server.makeUser("bob")
            for app in [LockServer.shop, "bank", LockServer.shop] {
                #expect(
                    try await !server.passwordLogin(
                        "bob", password: "wrong", on: MemoryDeviceTokens(), app: app))
            }
            #expect(try await server.authenticator(.password, of: bob).lock == .known(.locked))
            #expect(try await !server.passwordLogin("bob", on: MemoryDeviceTokens(), app: "bank"))
        }
    }

    @Test(
        "a thief with a user's access token removes an OTP token and adds another, so that its failures are forgotten"
    )
    func removedAndAdded() async throws {
        try await withLockServer { server in
            try await server.setLock("otp", (4, 3600, 50), of: LockServer.shop)
            let (user, token, _) = try await server.userWithToken("ada")
            for _ in 0..<3 {
                #expect(
                    try await !server.codeLogin("ada", code: "000000", on: MemoryDeviceTokens()))
            }
            let access = try await TokenClient(server: server.process, app: LockServer.shop).signIn(
                "ada")["access_token"]
            #expect(
                try await server.process.sendJSON(
                    .delete, "/v1/me/otp/tokens/\(token.id)", body: "", access: access
                ).status == 204)
            let again = try await server.registerToken("ada")
            #expect(again.id != token.id)
            #expect(try await server.authenticator(.otp, of: user).failures == 3)
            #expect(try await !server.codeLogin("ada", code: "000000", on: MemoryDeviceTokens()))
            #expect(
                try await server.authenticator(.otp, of: user).lock == .known(.locked), "the fourth"
            )
        }
    }

    @Test("a user whose OTP token an administrator locked has a journey unlock it")
    func journeyUnlocks() async throws {
        try await withLockServer { server in
            let (user, token, phone) = try await server.userWithToken("ada")
            let id = try #require(
                AuthenticatorID(try await server.authenticator(.otp, of: user).id))
            try await server.admin.lock(id, of: user)
            #expect(try await server.journey("unlock-token", "ada"), "the journey itself continues")
            var lock = try await server.authenticator(.otp, of: user)
            #expect(lock.lock == .known(.disabled) && lock.lockedBy == .known(.administrator))
            #expect(try await !server.codeLogin("ada", code: token.code(counter: 2), on: phone))

            // A journey's own lock can be lifted by a journey and by an administrator.
            try await server.admin.unlock(id, of: user)
            #expect(try await server.journey("lock-token", "ada"))
            lock = try await server.authenticator(.otp, of: user)
            #expect(lock.lock == .known(.disabled) && lock.lockedBy == .known(.journey))
            #expect(
                try await !server.codeLogin("ada", code: token.code(counter: 3), on: phone),
                "on a known device, too")
            #expect(try await server.journey("unlock-token", "ada"))
            #expect(try await server.codeLogin("ada", code: token.code(counter: 4), on: phone))
        }
    }

    @Test(
        "a thief with a user's access token removes or replaces a passkey that an administrator locked"
    )
    func lockedPasskey() async throws {
        try await withLockServer(["MIEN_PUBLIC_URL": SoftwarePasskey.origin]) { server in
            let user = try await server.makeUser("ada"),
                client = TokenClient(server: server.process, app: LockServer.shop)
            let access = try await client.signIn("ada")["access_token"]
            let passkey = try SoftwarePasskey(client).with { $0.userHandle = Array(user.text.utf8) }
            let id = try #require(try await passkey.register(access)["id"])
            try await server.admin.lock(try #require(AuthenticatorID(id)), of: user)
            let removal = try await server.process.sendJSON(
                .delete, "/v1/me/passkeys/\(id)", body: "", access: access)
            #expect(removal.status == 409 && removal.body["code"] == "conflict", "\(removal.body)")
            let options = try await passkey.registrationOptions(access)
            #expect(
                options.status == 409, "another passkey would bypass the lock: \(options.body)")
            #expect(try await passkey.signIn().status == 401)
            #expect(
                try await server.authenticator(.passkey, of: user).lockedBy
                    == .known(.administrator))
            try await server.admin.unlock(try #require(AuthenticatorID(id)), of: user)
            #expect(try await passkey.with { $0.counter = 2 }.signIn().status == 200)
        }
    }

    @Test("a stranger who knows a user's name locks the user out of the user's passkey")
    func passkeyOfAnother() async throws {
        try await withLockServer(["MIEN_PUBLIC_URL": SoftwarePasskey.origin]) { server in
            try await server.setLock("passkey", (2, 3600, 3), of: LockServer.shop)
            let user = try await server.makeUser("ada"),
                client = TokenClient(server: server.process, app: LockServer.shop)
            let access = try await client.signIn("ada")["access_token"]
            let passkey = try SoftwarePasskey(client).with { $0.userHandle = Array(user.text.utf8) }
            #expect(try await passkey.register(access).status == 200)
            func signIn(_ passkey: SoftwarePasskey, _ device: String?) async throws
                -> TokenClient.Answer
            {
                let credential = try await passkey.credential(
                    answering: passkey.signInOptions("ada"))
                return try await passkey.signIn(
                    credential, device.map { ["device_token": .string($0)] } ?? [:])
            }
            let first = try await signIn(passkey.with { $0.counter = 2 }, "new")
            let device = try #require(first["device_token"], "\(first.body)")
            let stranger = passkey.with { $0.flags = 1 }
            for _ in 0..<4 { #expect(try await signIn(stranger, "new").status == 401) }
            #expect(try await server.authenticator(.passkey, of: user).lock == .known(.locked))
            #expect(
                try await signIn(passkey.with { $0.counter = 3 }, nil).status == 401,
                "from an unknown device")
            let own = try await signIn(passkey.with { $0.counter = 4 }, device)
            #expect(own.status == 200 && own["device_token"] == nil, "\(own.body)")
        }
    }

    // MARK: The server under attack

    private func withLockServer(
        _ settings: [String: String] = [:], _ body: (LockServer) async throws -> Void
    ) async throws {
        let standard = [
            "MIEN_LIMIT_GUESSES_PER_MINUTE": "10000", "MIEN_LIMIT_STARTS_PER_MINUTE": "100000",
            "MIEN_LIMIT_REQUESTS_PER_MINUTE": "1000000",
        ]
        let process = try await ServeProcess.start(in: scratch, standard.merging(settings) { $1 })
        let server = LockServer(
            process: process, admin: try process.admin(try #require(process.credential)))
        try await server.setUp()
        try await body(server)
        #expect(await process.stop() == 0)
    }
}

/// A `mien serve` with two apps, and journeys that use and lock OTP tokens.
private struct LockServer: Sendable {
    let process: ServeProcess
    let admin: MienAdmin

    static let shop = "default_application"
    static let password = "a password nobody has"
    private static let form = """
        "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
        "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
          "failure_behavior": "abort"}, "on": {"success": "next"}}, "done": {"type": "complete_journey"}
        """
    private static let journeys = [
        (
            "register-token",
            "\(form), \"next\": {\"type\": \"register_otp\", \"config\": {\"kind\": \"hotp\", \"failure_behavior\": \"abort\"}, \"on\": {\"success\": \"done\"}}"
        ),
        (
            "code-login",
            "\(form), \"next\": {\"type\": \"authenticate_otp\", \"config\": {\"user_identifier\": \"form.username\", \"max_attempts\": 1, \"failure_behavior\": \"abort\"}, \"on\": {\"success\": \"done\"}}"
        ),
        (
            "lock-token",
            "\(form), \"next\": {\"type\": \"lock_authenticator\", \"config\": {\"authenticator\": \"otp\"}, \"on\": {\"success\": \"done\", \"failure\": \"done\"}}"
        ),
        (
            "unlock-token",
            "\(form), \"next\": {\"type\": \"unlock_authenticator\", \"config\": {\"authenticator\": \"otp\"}, \"on\": {\"success\": \"done\", \"failure\": \"done\"}}"
        ),
    ]

    func setUp() async throws {
        _ = try await admin.createApp(AppRequest(id: "bank", name: "Bank"))
        for (id, steps) in Self.journeys {
            let text =
                #"{"id": "\#(id)", "version": 1, "title": "Locks", "start": "form", "steps": {\#(steps)}}"#
            _ = try await admin.putJourney(JourneyID(id)!, version: 1, definition: Array(text.utf8))
            _ = try await admin.publishJourney(JourneyID(id)!, version: 1)
        }
    }

    func setLock(
        _ method: String, _ policy: (attempts: Int, seconds: Int, disable: Int), of app: String
    ) async throws {
        let numbers: [String: JSONValue] = [
            "failed_attempts": .number(Double(policy.attempts)),
            "lockout_seconds": .number(Double(policy.seconds)),
            "disable_after": .number(Double(policy.disable)),
        ]
        _ = try await admin.updateApp(
            AppID(app)!, AppRequest(name: app, settings: ["locks": [method: .object(numbers)]]))
    }

    func makeUser(_ name: String) async throws -> UserID {
        let user = try await admin.createUser(
            UserRequest(username: name, email: "\(name)@example.org", password: Self.password))
        return try #require(UserID(user.id))
    }

    /// Creates a user with an OTP token in the shop, and the phone on which its second code has
    /// signed in.
    func userWithToken(_ name: String) async throws -> (
        user: UserID, token: TokenDevice.Token, phone: MemoryDeviceTokens
    ) {
        let user = try await makeUser(name), token = try await registerToken(name),
            phone = MemoryDeviceTokens()
        #expect(try await codeLogin(name, code: token.code(counter: 1), on: phone))
        return (user, token, phone)
    }

    func registerToken(_ name: String) async throws -> TokenDevice.Token {
        let run = try await start(
            "register-token", name, Self.password, MemoryDeviceTokens(), Self.shop)
        let code = try #require(await run.response.data?["registration_code"]?.stringValue)
        let token = try await TokenDevice().redeem(code, process, app: LockServer.shop)
        try await run.respond(.clientInput, ["passcode": .string(token.code(counter: 0))])
        return token
    }

    /// - Returns: Whether the password signs in.
    func passwordLogin(
        _ name: String, password: String = password, on device: MemoryDeviceTokens,
        app: String = shop
    ) async throws -> Bool {
        try await hasSucceeded(start("password-login", name, password, device, app))
    }

    func codeLogin(_ name: String, code: String, on device: MemoryDeviceTokens) async throws -> Bool
    {
        let run = try await start("code-login", name, Self.password, device, Self.shop)
        try await run.respond(.clientInput, ["passcode": .string(code)])
        return await hasSucceeded(run)
    }

    func journey(_ journey: String, _ name: String) async throws -> Bool {
        try await hasSucceeded(start(journey, name, Self.password, MemoryDeviceTokens(), Self.shop))
    }

    func authenticator(_ type: AuthenticatorType, of user: UserID) async throws
        -> AuthenticatorAnswer
    {
        try #require(try await admin.authenticators(of: user).first { $0.type == .known(type) })
    }

    private func start(
        _ journey: String, _ name: String, _ password: String, _ device: MemoryDeviceTokens,
        _ app: String
    ) async throws -> Journey {
        let run = try await process.client(device, app: app).start(journey)
        try await run.respond(
            "password", ["username": .string(name), "password": .string(password)])
        return run
    }

    private func hasSucceeded(_ run: Journey) async -> Bool {
        if case .success = await run.outcome() { true } else { false }
    }
}
