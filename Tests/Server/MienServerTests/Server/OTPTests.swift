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
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private static let signedIn = """
        "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
        "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password",
          "failure_behavior": "abort"}, "on": {"success": "next"}},
        "done": {"type": "complete_journey"}
        """
    private static let named = """
        "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "form"}, "on": {"email_code": "next"}},
        "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
        """
    private static let journeys = [
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

    private func withServer(_ body: @Sendable (TestServer, UserID) async throws -> Void)
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
    private static func start(_ journey: String, _ server: TestServer, as name: String = "ada")
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

    private static func claims(_ outcome: JourneyOutcome?) throws -> JSONValue? {
        guard case .success(let token) = outcome else { return nil }
        return try token.use { try TokenClient.claims($0) }
    }

    /// - Returns: The claims of the journey's token if the codes sign in.
    private static func signIn(_ codes: [String], _ server: TestServer, as name: String = "ada")
        async throws -> JSONValue?
    {
        let run = try await start("otp-login", server, as: name)
        for code in codes { try await run.respond(.clientInput, ["passcode": .string(code)]) }
        return try claims(await run.outcome())
    }

    /// Registers an OTP token through the journey, which uses its first code.
    private static func register(_ server: TestServer, _ journey: String = "otp-register")
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

    // MARK: Accepted

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

    // MARK: Rejected

    @Test(
        "after five wrong codes, the right one is also refused, in the same words, until the lock ends"
    )
    func lock() async throws {
        try await withServer { server, user in
            let token = try await Self.register(server)
            var last: JSONValue?
            for _ in 0..<5 {
                let run = try await Self.start("otp-login", server)
                last = try await run.respond(.clientInput, ["passcode": "000000"]).data
            }
            let locked = try await Self.start("otp-login", server)
            #expect(
                try await locked.respond(
                    .clientInput, ["passcode": .string(token.code(counter: 1))]
                ).data == last)
            let authenticator = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.otp) })
            let unlock = "/v1/users/\(user.text)/authenticators/\(authenticator.id)/unlock"
            #expect(
                try await server.sendJSON(
                    .post, unlock, body: "", access: server.credential.use { $0 }
                )
                .status == 204)
            #expect(try await Self.signIn([token.code(counter: 1)], server) != nil)

            // Another token does not bypass an administrator's lock.
            #expect(
                try await server.sendJSON(
                    .post, "/v1/users/\(user.text)/authenticators/\(authenticator.id)/lock",
                    body: "", access: server.credential.use { $0 }
                ).status == 204)
            #expect(
                try await Self.signIn([token.code(counter: 2), token.code(counter: 3)], server)
                    == nil)
            let offer = try await server.sendJSON(
                .post, "/v1/users/\(user.text)/otp/default_application/registrations", body: "{}",
                access: server.credential.use { $0 })
            #expect(offer.status == 409)
        }
    }

    @Test(
        "users, users without a token, suspended users, and unknown users get the same prompts and refusals"
    )
    func strangers() async throws {
        try await withServer { server, _ in
            _ = try await Self.register(server)
            _ = try await server.makeUser("bob")
            _ = try await server.makeUser("eve")
            _ = try await server.admin.updateUser(
                server.userID("eve"), UserRequest(state: .suspended))
            for journey in ["otp-login", "otp-sign"] {
                var seen: Set<[String]> = []
                for name in ["ada", "bob", "eve", "nobody"] {
                    let run = try await Self.start(journey, server, as: name)
                    var lines: [String] = []
                    while await run.outcome() == nil, lines.count < 5 {
                        lines.append(shown(await run.response, of: name))
                        try await run.respond(.clientInput, ["passcode": "000000"])
                    }
                    if case .rejection = await run.outcome() { lines.append("rejected") }
                    seen.insert(lines)
                }
                #expect(
                    seen.count == 1 && seen.first?.last == "rejected"
                        && (seen.first?.count ?? 0) > 1, "\(seen)")
            }
        }
    }

    /// Returns the step without random values and without what the client itself sent.
    private func shown(_ step: MienServiceResponse, of name: String) -> String {
        var data = step.data?.objectValue ?? [:]
        #expect(data["user_identifier"] == nil || data["user_identifier"] == .string(name))
        data["user_identifier"] = nil
        for key in ["challenge", "transaction_challenge"] {
            data[key] = data[key]?.stringValue.map { .string("\($0.count) characters") }
        }
        return
            "\(String(describing: step.journeyStepId)) \(JSONText.write(.object(data))) \(step.clientResponseOptions.keys.sorted())"
    }

    @Test(
        "a registration code works once, for ten minutes, until another is made; all failures look the same"
    )
    func registration() async throws {
        try await withServer { server, user in
            let admin = server.credential.use { $0 },
                path = "/v1/users/\(user.text)/otp/default_application/registrations"
            func code() async throws -> String {
                try #require(
                    try await server.sendJSON(.post, path, body: "{}", access: admin).body[
                        "registration_code"]?.stringValue)
            }
            let device = TokenDevice(), used = try await code()
            _ = try await device.redeem(used, server)
            let replaced = try await code(), late = try await code()
            server.time.advance(.seconds(600))
            let (id, secret) = (used.split(separator: ".")[0], late.split(separator: ".")[1])
            var answers: Set<String> = []
            for wrong in [
                used, replaced, late, late, "\(id).\(secret)", String(late.dropLast()), "x",
                late + "x",
            ] {
                let answer = try await device.ask(wrong, server)
                #expect(answer.status == 401, "\(answer.body)")
                answers.insert(JSONText.write(answer.body))
            }
            #expect(answers.count == 1)
            let suspended = try await code()
            _ = try await server.admin.updateUser(user, UserRequest(state: .suspended))
            #expect(try await device.ask(suspended, server).status == 401)
            #expect(!server.logs.text.contains(used) && !server.logs.text.contains(secret))
        }
    }

    @Test(
        "a device whose answer was lost gets the same token again: with its own key, in time, before its first code"
    )
    func again() async throws {
        try await withServer { server, user in
            let admin = server.credential.use { $0 },
                path = "/v1/users/\(user.text)/otp/default_application/registrations"
            func code() async throws -> String {
                try #require(
                    try await server.sendJSON(
                        .post, path, body: #"{"kind": "hotp"}"#, access: admin
                    )
                    .body["registration_code"]?.stringValue)
            }
            let device = TokenDevice(), first = try await code()
            let token = try await device.redeem(first, server)
            for _ in 0..<2 {
                let same = try await device.redeem(first, server)
                #expect(same.id == token.id && same.secret == token.secret)
            }
            #expect(try await TokenDevice().ask(first, server).status == 401, "another key")
            #expect(
                try await server.admin.audit().items.count { $0.event == "otp.registered" } == 1)
            #expect(try await Self.signIn([token.code(counter: 0)], server) != nil)
            #expect(try await device.ask(first, server).status == 401, "it has been used")

            let second = try await code(), other = try await device.redeem(second, server)
            #expect(other.secret != token.secret)
            #expect(try await device.ask(first, server).status == 401, "its token is gone")
            server.time.advance(.milliseconds(599_999))
            #expect(try await device.redeem(second, server).id == other.id)
            server.time.advance(.milliseconds(1))
            #expect(try await device.ask(second, server).status == 401, "too late")
            let third = try await code()
            _ = try await device.redeem(third, server)
            _ = try await server.admin.updateUser(user, UserRequest(state: .suspended))
            #expect(try await device.ask(third, server).status == 401, "suspended")
        }
    }

    @Test("a malformed device request is rejected and does not use up the code")
    func malformed() async throws {
        try await withServer { server, user in
            let path = "/v1/users/\(user.text)/otp/default_application/registrations",
                admin = server.credential.use { $0 }
            let code = try #require(
                try await server.sendJSON(.post, path, body: "{}", access: admin).body[
                    "registration_code"]?.stringValue)
            let device = TokenDevice()
            for (name, value) in [
                ("public_key", ["kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"]),
                ("public_key", "x"), ("public_key", nil), ("name", ""),
                ("name", "a\nb"),
                ("os", 1), ("os", .string(String(repeating: "x", count: 33))),
                ("registration_code", 1), ("more", 1),
                (
                    "public_key",
                    [
                        "kty": "OKP", "crv": "Ed25519",
                        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                    ]
                ),
            ] as [(String, JSONValue)] {
                let answer = try await device.ask(code, server, changed: [name: value])
                #expect(
                    answer.status == 400
                        && answer.body["errors"]?.arrayValue?.first?["field"] == .string(name),
                    "\(name) \(answer.body)")
            }
            for body in [
                #"{"kind": "sms"}"#, #"{"digits": 5}"#, #"{"digits": 11}"#, #"{"app": "x"}"#, "[]",
            ] {
                #expect(
                    try await server.sendJSON(.post, path, body: body, access: admin).status == 400,
                    "\(body)")
            }
            #expect(
                try await server.sendJSON(
                    .post, "/v1/users/usr_nobody/otp/default_application/registrations", body: "{}",
                    access: admin
                ).status == 404)
            #expect(
                try await server.sendJSON(
                    .post, "/v1/users/\(user.text)/otp/nothing/registrations", body: "{}",
                    access: admin
                ).status == 404)
            #expect(try await server.sendJSON(.post, path, body: "{}").status == 401)
            #expect(
                try await server.sendJSON(.post, "/v1/me/otp/registrations", body: "{}").status
                    == 401)
            _ = try await device.redeem(code, server)
        }
    }

    @Test(
        "a registration code ends with the sign-in that asked for it; an administrator's does not")
    func endedRegistration() async throws {
        try await withServer { server, user in
            let access = try #require(
                try await TokenClient(server: server).signIn()["access_token"])
            let owner = try #require(try await TokenClient(server: server).signIn()["access_token"])
            for isAdministrators in [false, true] {
                let offered = try await server.sendJSON(
                    .post,
                    isAdministrators
                        ? "/v1/users/\(user.text)/otp/default_application/registrations"
                        : "/v1/me/otp/registrations", body: "{}",
                    access: isAdministrators ? server.credential.use { $0 } : access)
                let code = try #require(
                    offered.body["registration_code"]?.stringValue, "\(offered)")
                if !isAdministrators {
                    #expect(
                        try await server.sendJSON(
                            .delete, "/v1/me/sign-ins", body: "", access: owner
                        ).status == 204)
                }
                let answer = try await TokenDevice().ask(code, server)
                #expect(answer.status == (isAdministrators ? 201 : 401), "\(answer)")
            }
        }
    }

    @Test("a journey waits for the device, and ends after too many wrong codes")
    func confirmation() async throws {
        try await withServer { server, _ in
            let run = try await Self.start("otp-register", server)
            let code = try #require(await run.response.data?["registration_code"]?.stringValue)
            let early = try await run.respond(.clientInput, ["passcode": "123456"])
            #expect(
                early.data?["error"]?["code"] == "not_registered"
                    && early.data?["attempts_left"] == 4 && early.data?["registration_code"] == nil)
            let token = try await TokenDevice().redeem(code, server)
            #expect(
                try await run.respond(.clientInput, ["passcode": "000000"]).data?["error"]?["code"]
                    == "wrong_code")
            try await run.respond(.clientInput, ["passcode": .string(token.code(counter: 3))])
            #expect(try Self.claims(await run.outcome()) != nil)

            // Replacing a token requires two factors.
            #expect(try Self.claims(await Self.start("otp-register", server).outcome()) == nil)
            let user = try await server.userID("ada")
            let registered = try #require(
                try await server.admin.authenticators(of: user).first { $0.type == .known(.otp) })
            try await server.admin.removeAuthenticator(
                #require(AuthenticatorID(registered.id)), of: user)

            let other = try await Self.start("otp-register", server)
            for _ in 0..<5 { try await other.respond(.clientInput, ["passcode": "000000"]) }
            #expect(try Self.claims(await other.outcome()) == nil)
            let late = try await Self.start("otp-register", server)
            server.time.advance(.seconds(600))
            try await late.respond(.clientInput, ["passcode": "000000"])
            #expect(try Self.claims(await late.outcome()) == nil)
        }
    }
}
