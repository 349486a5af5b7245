import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Attacks on the rules for changing authenticators, on third-party apps, and through credentials
/// from before a change.
extension HostileTests {
    /// Runs `body` with a real server, a user "ada", and an app's client.
    private func withVictim(
        _ settings: [String: String] = [:], clock: ProcessClock? = nil,
        _ body: (ServeProcess, MienAdmin, UserID, TokenClient) async throws -> Void
    ) async throws {
        let server = try await ServeProcess.start(in: scratch, settings, clock: clock)
        let admin = try server.admin(#require(server.credential))
        let user = try await admin.createUser(
            UserRequest(username: "ada", email: "ada@example.org", password: Self.password))
        try await body(server, admin, #require(UserID(user.id)), TokenClient(server: server))
        #expect(await server.stop() == 0)
    }

    private static let password = "a password nobody has",
        newPassword = "another password nobody has"

    private static func passkey(_ client: TokenClient, _ user: UserID) throws -> SoftwarePasskey {
        try SoftwarePasskey(client).with { passkey in
            (passkey.userHandle, passkey.rpID, passkey.origin) = (
                Array(user.text.utf8), "localhost", "https://localhost"
            )
        }
    }

    /// The status, the error, and the requirements of the RFC 9470 challenge.
    private static func refusal(_ answer: TokenClient.Answer) -> [String?] {
        [String(answer.status), answer.error ?? answer["code"], answer["acr_values"]]
    }

    @Test("a thief of an old access token adds or removes an authenticator")
    func staleToken() async throws {
        let clock = try ProcessClock.ofToday(in: scratch)
        try await withVictim(
            ["MIEN_FRESH_SECONDS": "60", "MIEN_PUBLIC_URL": "https://localhost"], clock: clock
        ) { server, admin, user, client in
            let tokens = try await client.signIn(), access = tokens["access_token"]
            let passkey = try Self.passkey(client, user)
            let device = try WireDevice(client, issuer: "https://localhost")
            let added = try await device.setUp(access)
            #expect(added.status == 200, "a fresh sign-in adds a device key: \(added.body)")
            try clock.advance(.seconds(61))
            let json = SoftwarePasskey.headers(access),
                stale = ["401", "insufficient_user_authentication", nil]
            #expect(Self.refusal(try await passkey.registrationOptions(access)) == stale)
            let credential = try passkey.credential(creating: ["challenge": "AAAA"])
            #expect(Self.refusal(try await passkey.register(access, credential)) == stale)
            #expect(
                Self.refusal(
                    try await WireDevice(client, issuer: "https://localhost").setUp(access))
                    == stale)
            #expect(
                Self.refusal(try await client.send(.post, "/v1/me/otp/registrations", json, "{}"))
                    == stale)
            for method in [HTTPTransportRequest.Method.post, .delete] {
                let answer = try await client.send(method, "/v1/me/recovery-codes", json, "")
                #expect(Self.refusal(answer) == stale)
            }
            #expect(
                Self.refusal(
                    try await client.send(.delete, "/v1/me/biometrics/\(device.keyID)", json))
                    == stale)
            #expect(
                Self.refusal(try await client.send(.delete, "/v1/me/passkeys/any", json)) == stale)
            #expect(
                Self.refusal(try await client.send(.delete, "/v1/me/otp/tokens/any", json)) == stale
            )
            let answer = try await passkey.registrationOptions(access)
            #expect(
                answer.headers["www-authenticate"]?.contains(
                    #"error="insufficient_user_authentication", max_age="60""#) == true)
            // Nothing was added: the administrator sees only the password and the device key.
            let types = try await admin.authenticators(of: user).map(\.type.rawValue).sorted()
            #expect(types == ["native_biometrics", "password"])
        }
    }

    @Test("somebody who only knows the password turns it into a passkey of their own")
    func passwordToPasskey() async throws {
        try await withVictim(["MIEN_PUBLIC_URL": "https://localhost"]) {
            server, admin, user, client in
            let first = try await client.signIn()
            var passkey = try Self.passkey(client, user)
            let registered = try await passkey.register(first["access_token"])
            #expect(registered.status == 200, "\(registered.body)")
            // The thief signs in with the password, as recently as possible.
            let thief = try await client.signIn(),
                weak = ["401", "insufficient_user_authentication", "2"]
            #expect(
                Self.refusal(
                    try await Self.passkey(client, user).registrationOptions(thief["access_token"]))
                    == weak)
            #expect(
                Self.refusal(
                    try await WireDevice(client, issuer: "https://localhost").setUp(
                        thief["access_token"])) == weak)
            let json = SoftwarePasskey.headers(thief["access_token"])
            #expect(
                Self.refusal(try await client.send(.post, "/v1/me/otp/registrations", json, "{}"))
                    == weak)
            // The owner signs in with the passkey and is allowed to.
            passkey.counter += 1
            let owner = try await passkey.signIn()
            #expect(owner.status == 200, "\(owner.body)")
            #expect(
                try await Self.passkey(client, user).register(owner["access_token"]).status == 200)
        }
    }

    @Test(
        "a third-party app registers a passkey for itself that signs in everywhere, or gets full access"
    )
    func thirdParty() async throws {
        try await withVictim(["MIEN_PUBLIC_URL": "https://localhost"]) {
            server, admin, user, first in
            _ = try await admin.createApp(AppRequest(id: "partner", name: "Partner"))
            var client = first
            client.app = "partner"
            let tokens = try await client.signIn(
                "ada", password: Self.password, [("scope", "openid offline_access full-access")])
            #expect(
                tokens.status == 200 && tokens["scope"] == "offline_access openid", "\(tokens.body)"
            )
            let access = tokens["access_token"], json = SoftwarePasskey.headers(access),
                passkey = try Self.passkey(client, user)
            #expect(try await passkey.registrationOptions(access)["code"] == "not_permitted")
            #expect(
                try await WireDevice(client, issuer: "https://localhost").setUp(access).status
                    == 401)
            for (method, path) in [
                (HTTPTransportRequest.Method.get, "/v1/me/passkeys"), (.get, "/v1/me/otp/tokens"),
                (.post, "/v1/me/otp/registrations"),
                (.delete, "/v1/me/passkeys/any"), (.delete, "/v1/me/biometrics/any"),
                (.get, "/v1/me/biometrics"),
            ] {
                #expect(
                    try await client.send(method, path, json, method == .post ? "{}" : "")["code"]
                        == "not_permitted", "\(path)")
            }
            #expect(
                try await client.userInfo(access).status == 200,
                "the app gets only the user's identity")
            let refreshed = try await client.refresh(
                tokens["refresh_token"], [("scope", "offline_access openid")])
            #expect(refreshed["scope"] == "offline_access openid")

            // An app that becomes a third-party app immediately loses what its tokens allowed.
            _ = try await admin.updateApp(
                AppID("partner")!, AppRequest(name: "Partner", isFirstParty: true))
            let full = try await client.signIn()
            #expect(full["scope"] == "full-access offline_access openid")
            #expect(
                try await client.send(
                    .get, "/v1/me/passkeys", SoftwarePasskey.headers(full["access_token"])
                ).status == 200)
            _ = try await admin.updateApp(
                AppID("partner")!, AppRequest(name: "Partner", isFirstParty: false))
            #expect(
                try await client.send(
                    .get, "/v1/me/passkeys", SoftwarePasskey.headers(full["access_token"]))["code"]
                    == "not_permitted")
            let narrowed = try await client.refresh(full["refresh_token"])
            #expect(narrowed["scope"] == "offline_access openid", "\(narrowed.body)")
        }
    }

    @Test(
        "an old sign-in, journey, token, code, or device survives a new password, a suspension, or a compromise"
    )
    func epoch() async throws {
        try await withVictim { server, admin, user, client in
            let changes: [(String, () async throws -> Void)] = [
                (
                    "password",
                    { _ = try await admin.updateUser(user, UserRequest(password: Self.password)) }
                ),
                (
                    "suspension",
                    {
                        _ = try await admin.updateUser(user, UserRequest(state: .suspended))
                        _ = try await admin.updateUser(user, UserRequest(state: .active))
                    }
                ),
                ("compromise", { try await admin.markCompromised(user) }),
            ]
            try await publishWaiting(admin)
            for (name, change) in changes {
                let tokens = try await client.signIn()
                let waiting = try await server.client().start("waiting")
                let devices = MemoryDeviceTokens()
                let unexchanged = try await journeyToken(server, devices: devices)
                let page = try #require(
                    await waiting.next(signingInAs: "ada", Self.password),
                    "the run waits at a page with a signed-in user")
                try await change()
                #expect(
                    try await client.refresh(tokens["refresh_token"]).error == "invalid_grant",
                    "\(name): grant")
                #expect(
                    try await client.userInfo(tokens["access_token"]).status == 401,
                    "\(name): access token")
                #expect(
                    try await exchange(client, unexchanged).error == "invalid_grant",
                    "\(name): journey token")
                await #expect(throws: MienError.self, "\(name): waiting run") {
                    try await page.respond(.clientInput)
                }
            }
            // Unlocking is routine and ends nothing.
            let tokens = try await client.signIn()
            let password = try #require(
                try await admin.authenticators(of: user).first { $0.type == .known(.password) })
            try await admin.unlock(#require(AuthenticatorID(password.id)), of: user)
            #expect(try await client.refresh(tokens["refresh_token"]).status == 200)
        }
    }

    @Test(
        "a sign-in survives the removal or locking of an authenticator that produced it, also inside a journey"
    )
    func everyAuthenticator() async throws {
        try await withVictim { server, admin, user, client in
            for lock in [false, true] {
                let tokens = try await client.signIn()
                #expect(try await client.userInfo(tokens["access_token"]).status == 200)
                let password = try #require(
                    try await admin.authenticators(of: user).first { $0.type == .known(.password) })
                let id = try #require(AuthenticatorID(password.id))
                if lock {
                    try await admin.lock(id, of: user)
                } else {
                    try await admin.removeAuthenticator(id, of: user)
                }
                #expect(try await client.userInfo(tokens["access_token"]).status == 401)
                #expect(try await client.refresh(tokens["refresh_token"]).error == "invalid_grant")
                if !lock {
                    _ = try await admin.updateUser(user, UserRequest(password: Self.password))
                }
            }
        }
    }

    // MARK: Journeys

    /// Publishes a journey that signs in and then waits.
    private func publishWaiting(_ admin: MienAdmin) async throws {
        let definition = #"""
            {"id": "waiting", "version": 1, "title": "Waiting", "start": "form", "steps": {
              "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
              "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password", "failure_behavior": "abort"}, "on": {"success": "page"}},
              "page": {"type": "information", "config": {"text": "Wait"}, "on": {"next": "done"}},
              "done": {"type": "complete_journey"}}}
            """#
        let id = JourneyID("waiting")!
        _ = try await admin.putJourney(id, version: 1, definition: Array(definition.utf8))
        _ = try await admin.publishJourney(id, version: 1)
    }

    private func journeyToken(_ server: ServeProcess, devices: MemoryDeviceTokens) async throws
        -> Sensitive<String>
    {
        let journey = try await server.client(devices).start("password-login")
        for try await step in journey.steps {
            try await step.respond(
                "password", ["username": "ada", "password": .string(Self.password)])
        }
        guard case .success(let token) = await journey.outcome() else { throw CancellationError() }
        return token
    }

    private func exchange(_ client: TokenClient, _ token: Sensitive<String>) async throws
        -> TokenClient.Answer
    {
        try await client.token(
            TokenClient.exchange,
            [("subject_token", token.use { $0 }), ("subject_token_type", TokenClient.jwt)])
    }
}

extension Journey {
    /// Signs in at the first form.
    ///
    /// - Returns: The next step.
    func next(signingInAs name: String, _ password: String) async throws -> JourneyStep? {
        for try await step in steps {
            guard step.id == .loginForm else { return step }
            try await step.respond(
                "password", ["username": .string(name), "password": .string(password)])
        }
        return nil
    }
}
