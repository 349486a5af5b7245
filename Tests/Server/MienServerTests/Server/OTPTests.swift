import Crypto
import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

@Suite("OTP tokens and one-time codes", .enabled(if: Installed.isThere, Installed.reason))
struct OTPTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    static let signedIn = """
        "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
        "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
          "failure_behavior": "abort"}, "on": {"success": "next"}},
        "done": {"type": "complete_journey"}
        """
    static let named = """
        "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "form"}, "on": {"email_code": "next"}},
        "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
        """
    static let journeys = [
        (
            "otp-register",
            "\(signedIn), \"next\": {\"type\": \"register_otp\", \"config\": {\"kind\": \"hotp\", \"failure_behavior\": \"abort\"}, \"on\": {\"success\": \"done\"}}"
        ),
        (
            "otp-register-time",
            "\(signedIn), \"next\": {\"type\": \"register_otp\", \"config\": {\"digits\": 8, \"failure_behavior\": \"abort\"}, \"on\": {\"success\": \"done\"}}"
        ),
        (
            "otp-login",
            "\(named), \"next\": {\"type\": \"authenticate_otp\", \"config\": {\"user_identifier\": \"form.user_identifier\", \"max_attempts\": 2}, \"on\": {\"success\": \"done\", \"failure\": \"no\"}}"
        ),
        (
            "otp-sign",
            "\(named), \"next\": {\"type\": \"transaction_signing_otp\", \"config\": {\"user_identifier\": \"form.user_identifier\", \"approval_data\": {\"amount\": \"'120.50'\", \"to\": \"'CH93'\"}}, \"on\": {\"success\": \"done\", \"failure\": \"no\"}}"
        ),
    ]

    func withServer(_ body: @Sendable (TestServer, UserID) async throws -> Void)
        async throws
    {
        try await TestServer.run(in: scratch) { server in
            let user = try await server.makeUser()
            for (id, steps) in Self.journeys {
                let text =
                    #"{"id": "\#(id)", "version": 1, "title": "Tokens", "start": "form", "steps": {\#(steps)}}"#
                _ = try await server.admin.putJourney(
                    JourneyID(id)!, version: 1, definition: Array(text.utf8))
                _ = try await server.admin.publishJourney(JourneyID(id)!, version: 1)
            }
            try await body(server, user)
        }
    }

    /// Runs a journey up to the step that requests a code.
    static func start(_ journey: String, _ server: TestServer, as name: String = "ada")
        async throws -> Journey
    {
        let run = try await server.client().start(journey)
        if journey.hasPrefix("otp-register") {
            try await run.respond(
                "password", ["username": .string(name), "password": "a password nobody has"])
        } else {
            try await run.respond("email_code", ["user_identifier": .string(name)])
        }
        return run
    }

    static func claims(_ outcome: JourneyOutcome?) throws -> JSONValue? {
        guard case .success(let token) = outcome else { return nil }
        return try token.use { try TokenClient.claims($0) }
    }

    /// - Returns: The claims of the journey's token if the codes sign in.
    static func signIn(_ codes: [String], _ server: TestServer, as name: String = "ada")
        async throws -> JSONValue?
    {
        let run = try await start("otp-login", server, as: name)
        for code in codes { try await run.respond(.clientInput, ["passcode": .string(code)]) }
        return try claims(await run.outcome())
    }

    /// Registers an OTP token through the journey, which uses its first code.
    static func register(_ server: TestServer, _ journey: String = "otp-register")
        async throws -> TokenDevice.Token
    {
        let run = try await start(journey, server)
        let asked = await run.response
        #expect(asked.journeyStepId == .otpRegistration)
        let token = try await TokenDevice().redeem(
            try #require(asked.data?["registration_code"]?.stringValue), server)
        let code =
            try journey == "otp-register" ? token.code(counter: 0) : token.code(at: server.time.now)
        try await run.respond(.clientInput, ["passcode": .string(code)])
        #expect(try claims(await run.outcome()) != nil)
        return token
    }

    @Test(
        "a journey registers a counter token; each code signs in once, within the look-ahead, and never behind"
    )
    func counting() async throws {
        try await withServer { server, user in
            let token = try await Self.register(server)
            #expect(token.digits == 6)
            #expect(
                try await Self.signIn([token.code(counter: 0), token.code(counter: 0)], server)
                    == nil, "already used at registration")
            let claims = try await Self.signIn([token.code(counter: 1)], server)
            #expect(claims?["sub"] == .string(user.text) && claims?["amr"] == ["otp"])
            #expect(
                try await Self.signIn([token.code(counter: 1), token.code(counter: 13)], server)
                    == nil, "already used; too far ahead")
            #expect(try await Self.signIn([token.code(counter: 12)], server) != nil, "ten ahead")
            #expect(
                try await Self.signIn([token.code(counter: 5), token.code(counter: 12)], server)
                    == nil, "skipped; used")
            #expect(
                try await Self.signIn([token.code(counter: 5), token.code(counter: 13)], server)
                    != nil, "a wrong code, then the next one")
        }
    }

    @Test("a token whose button was pressed too often works again after two consecutive codes")
    func resynchronization() async throws {
        try await withServer { server, _ in
            let token = try await Self.register(server)
            #expect(try await Self.signIn([token.code(counter: 15)], server) == nil)
            #expect(
                try await Self.signIn([token.code(counter: 17), token.code(counter: 15)], server)
                    == nil, "neither consecutive nor in order")
            #expect(try await Self.signIn([token.code(counter: 16)], server) != nil)
            #expect(
                try await Self.signIn([token.code(counter: 16), token.code(counter: 14)], server)
                    == nil, "used; skipped")
            #expect(try await Self.signIn([token.code(counter: 17)], server) != nil)
            // Within one sign-in, and from further ahead.
            #expect(
                try await Self.signIn(
                    [token.code(counter: 900), token.code(counter: 901)], server) != nil)
            #expect(
                try await Self.signIn(
                    [token.code(counter: 5000), token.code(counter: 5001)], server) == nil,
                "too far")
        }
    }

    @Test(
        "a time-based token's code is valid in its time step, once, and no older code is valid after it"
    )
    func timed() async throws {
        try await withServer { server, _ in
            let token = try await Self.register(server, "otp-register-time")
            #expect(token.digits == 8)
            let now = server.time.now
            #expect(
                try await Self.signIn(
                    [token.code(at: now), token.code(at: now - .seconds(30))], server) == nil,
                "used; older")
            #expect(
                try await Self.signIn(
                    [token.code(at: now + .seconds(60)), token.code(at: now + .seconds(30))], server
                ) != nil, "far too early; slightly early")
            server.time.advance(.seconds(60))
            #expect(
                try await Self.signIn(
                    [token.code(at: now + .seconds(30)), token.code(at: now + .seconds(60))], server
                ) != nil)
            server.time.advance(.seconds(3600))
            #expect(
                try await Self.signIn(
                    [token.code(at: now + .seconds(90)), token.code(at: server.time.now)], server)
                    != nil)
        }
    }

    @Test("of 16 concurrent requests with one code, one signs in")
    func atOnce() async throws {
        try await withServer { server, _ in
            let token = try await Self.register(server), code = try token.code(counter: 1)
            var runs: [Journey] = []
            for _ in 0..<16 { runs.append(try await Self.start("otp-login", server)) }
            let accepted = await withTaskGroup(of: Bool.self) { group in
                for run in runs {
                    group.addTask {
                        _ = try? await run.respond(.clientInput, ["passcode": .string(code)])
                        return (try? Self.claims(await run.outcome())) ?? nil != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(accepted == 1)
        }
    }

    @Test("a transaction is signed as displayed; the response is valid for it alone, once")
    func signing() async throws {
        try await withServer { server, user in
            let token = try await Self.register(server),
                data: [String: JSONValue] = ["amount": "120.50", "to": "CH93"]
            func challenge(_ run: Journey) async throws -> String {
                let asked = await run.response
                #expect(
                    asked.journeyStepId == .otpTransactionSigning
                        && asked.data?["approval_data"] == .object(data))
                return try #require(asked.data?["transaction_challenge"]?.stringValue)
            }
            let run = try await Self.start("otp-sign", server), text = try await challenge(run)
            let response = try token.signature(of: data, challenge: text)
            #expect(response.count == 8)
            try await run.respond(.clientInput, ["passcode": .string(response)])
            let claims = try Self.claims(await run.outcome())
            #expect(
                claims?["approval_data"] == .object(data) && claims?["amr"] == ["otp"]
                    && claims?["sub"] == .string(user.text))

            let again = try await Self.start("otp-sign", server)
            #expect(try await challenge(again) != text)
            try await again.respond(.clientInput, ["passcode": .string(response)])
            #expect(try Self.claims(await again.outcome()) == nil, "for another challenge")

            let other = try await Self.start("otp-sign", server),
                parts = try await challenge(other).split(separator: ".")
            let forged = Base64URL.encode(
                SHA256.hash(data: Array(#"{"amount":"9.50","to":"CH93"}"#.utf8)))
            try await other.respond(
                .clientInput, ["passcode": .string(try token.sign("\(parts[0]).\(forged)"))])
            #expect(try Self.claims(await other.outcome()) == nil, "for other data")

            let login = try await Self.start("otp-sign", server)
            try await login.respond(.clientInput, ["passcode": .string(try token.code(counter: 1))])
            #expect(try Self.claims(await login.outcome()) == nil, "a code is not a signature")
            #expect(try await Self.signIn([token.code(counter: 1)], server) != nil)
        }
    }

    @Test(
        "users request registration codes, list their tokens, and remove them; administrators offer one"
    )
    func own() async throws {
        try await withServer { server, user in
            let access = try #require(
                try await TokenClient(server: server).signIn()["access_token"])
            let offered = try await server.sendJSON(
                .post, "/v1/me/otp/registrations", body: #"{"kind": "hotp", "digits": 7}"#,
                access: access)
            #expect(
                offered.status == 201 && offered.body["kind"] == "hotp"
                    && offered.body["digits"] == 7, "\(offered.body)")
            #expect(
                offered.body["expires_at"]
                    == .number(Double((server.time.now + .seconds(600)).milliseconds)))
            let token = try await TokenDevice().redeem(
                try #require(offered.body["registration_code"]?.stringValue), server)
            #expect(
                try await Self.signIn([token.code(counter: 0)], server) != nil && token.digits == 7)
            let listed = try await server.sendJSON(
                .get, "/v1/me/otp/tokens", body: "", access: access)
            #expect(listed.body["items"]?.arrayValue?.count == 1)
            let item = listed.body["items"]?.arrayValue?.first
            #expect(
                item?["id"] == .string(token.id) && item?["name"] == "Ada's phone"
                    && item?["kind"] == "hotp" && item?["secret"] == nil)

            let path = "/v1/users/\(user.text)/otp/default_application/registrations"
            let byAdmin = try await server.sendJSON(
                .post, path, body: "{}", access: server.credential.use { $0 })
            #expect(byAdmin.status == 201 && byAdmin.body["kind"] == "totp", "\(byAdmin.body)")
            let second = try await TokenDevice().redeem(
                try #require(byAdmin.body["registration_code"]?.stringValue), server)
            #expect(try await Self.signIn([token.code(counter: 1)], server) != nil, "one device")
            #expect(
                try await Self.signIn([second.code(at: server.time.now)], server) != nil,
                "and the other")
            #expect(
                try await server.admin.authenticators(of: user).count { $0.type == .known(.otp) }
                    == 2)

            let both = try await server.sendJSON(
                .get, "/v1/me/otp/tokens", body: "", access: access)
            #expect(
                Set(both.body["items"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? [])
                    == [token.id, second.id])

            for (id, status) in [(token.id, 204), (token.id, 404), (second.id, 204)] {
                #expect(
                    try await server.sendJSON(
                        .delete, "/v1/me/otp/tokens/\(id)", body: "", access: access
                    ).status == status)
            }
            #expect(try await Self.signIn([token.code(counter: 2), "000000"], server) == nil)
            server.time.advance(.seconds(300))
            #expect(
                try await Self.signIn([second.code(at: server.time.now), "000000"], server) == nil)
            let events = try await server.admin.audit().items.map(\.event)
            for event in [
                "otp.offered", "otp.registered", "otp.accepted", "otp.refused", "otp.removed",
            ] {
                #expect(events.contains(event), "\(event)")
            }
        }
    }

    @Test("the SDK gets an OTP token and signs exactly the displayed data")
    func sdk() async throws {
        try await withServer { server, user in
            let options = MienOptions(serverPath: server.address, retry: RetryPolicy(attempts: 1)),
                provisioning = try OTPProvisioning(options)
            let offered = try await server.admin.offerToken(
                to: user, app: AppID("default_application")!,
                OTPRegistrationRequest(kind: .hotp, digits: 8))
            #expect(offered.digits == 8 && offered.kind == .known(.hotp))
            let token = try await provisioning.redeem(
                Sensitive(offered.registrationCode), name: "Ada's phone", system: "linux")
            guard case .hotp(let hotp, firstCounter: 0) = token.kind else {
                Issue.record("\(token)")
                return
            }
            #expect(
                try await Self.signIn([hotp.code(at: 0, with: token.secret).text], server) != nil)
            let run = try await Self.start("otp-sign", server),
                challenge = try #require(
                    await run.response.data?["transaction_challenge"]?.stringValue)
            #expect(throws: OTPError(.challenge, "")) {
                try token.signature(of: ["amount": "9.50", "to": "CH93"], challenge: challenge)
            }
            let signature = try token.signature(
                of: ["amount": "120.50", "to": "CH93"], challenge: challenge)
            try await run.respond(.clientInput, ["passcode": .string(signature.text)])
            #expect(try Self.claims(await run.outcome()) != nil)
            let again = await #expect(throws: MienError.self) {
                try await provisioning.redeem(
                    Sensitive(offered.registrationCode), name: "Eve's phone", system: "linux")
            }
            #expect(again?.code == .invalidCredentials)
            var dumped = ""
            dump(token, to: &dumped)
            #expect(!dumped.contains(token.secret.base32) && dumped.contains(token.id))
        }
    }
}
