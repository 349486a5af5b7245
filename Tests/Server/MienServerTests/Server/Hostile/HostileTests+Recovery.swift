import MienAPI
import MienClient
import MienCore
import MienTesting
import Testing

@testable import MienServer

extension HostileTests {
    @Test(
        "a thief with one recovery code gets in more than once, by repeated or concurrent attempts"
    )
    func recoveryCodeRace() async throws {
        try await RealServer.run(in: scratch) { server in
            let user = try await server.makeUser(), access = try await server.signIn()
            #expect(
                try await server.send(.get, "/v1/me/recovery-codes", access: access).json[
                    "remaining"] == 0)
            let old = try await server.recoveryCodes(access),
                codes = try await server.recoveryCodes(access)
            #expect(Set(old + codes).count == 20 && codes.allSatisfy { $0.utf8.count == 23 })
            _ = try await server.outbox.mail(
                with: "A set of recovery codes was added to your account")

            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { tasks in
                for _ in 0..<64 {
                    tasks.addTask {
                        let connection = try await RawConnection.open(server.process.address)
                        return try await Self.recover(connection, code: codes[0])
                    }
                }
                return try await tasks.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(outcomes.count(where: \.self) == 1)
            // The other attempts counted as guesses, so the gate is closed for strangers until an
            // administrator unlocks it.
            let set = try #require(
                try await server.admin.authenticators(of: user).first {
                    $0.type == .known(.recoveryCode)
                }
            )
            try await server.admin.unlock(try #require(AuthenticatorID(set.id)), of: user)
            let connection = try await RawConnection.open(server.process.address)
            for used in [codes[0], old[1], "", "not a code"] {
                #expect(
                    try await !Self.recover(connection, code: used), "used, replaced, or malformed")
            }
            #expect(
                try await server.send(.get, "/v1/me/recovery-codes", access: access).json[
                    "remaining"] == 9)
            #expect(
                try await Self.recover(
                    connection, code: codes[1].lowercased().replacing("-", with: " ")))
            _ = try await server.outbox.mail(with: "8 codes are left")

            // Five wrong codes close the gate for the right one.
            for _ in 0..<5 {
                #expect(try await !Self.recover(connection, code: "00000-00000-00000-00000"))
            }
            #expect(try await !Self.recover(connection, code: codes[2]))
            #expect(
                try await server.send(.get, "/v1/me/recovery-codes", access: access).json[
                    "remaining"] == 8)
            #expect(
                try await server.send(.delete, "/v1/me/recovery-codes", access: access).status
                    == 204)
            #expect(
                try await server.send(.delete, "/v1/me/recovery-codes", access: access).status
                    == 404)
        }
    }

    /// Sends one answer to the form of `recovery-code`.
    private static func recover(_ connection: RawConnection, _ name: String = "ada", code: String)
        async throws -> Bool
    {
        let started = try await connection.post(
            "/v1/journeys/recovery-code/start", #"{"client_id": "default_application"}"#)
        let state = try #require(try started.json["state"]?.stringValue)
        let body: JSONValue = [
            "state": .string(state), "option": "recovery_code",
            "data": ["user_identifier": .string(name), "code": .string(code)],
        ]
        let answer = try await connection.post("/v1/journeys/respond", JSONText.write(body))
        return try answer.json["journey_step_id"] == "success"
    }

    @Test(
        "a thief who reads the owner's mail gains access before the hold ends; but the owner's devices cancel the recovery"
    )
    func heldRecovery() async throws {
        try await RealServer.run(in: scratch) { server in
            let user = try await server.makeUser(), devices = KeptDeviceToken()
            let access = try await server.signIn(from: server.client(devices))
            var mails = 0
            func ask() async throws -> JourneyOutcome? {
                defer { mails += 1 }
                return try await server.recoverByMail(mails)
            }
            guard case .rejection(let rejection) = try await ask() else {
                Issue.record("not held")
                return
            }
            #expect(JSONText.write(rejection).contains("recovery_held"))
            #expect(try await server.recoveries(access).count == 1)
            _ = try await ask()
            #expect(try await server.recoveries(access).count == 1, "asking again changes nothing")
            #expect(
                try server.outbox.mails().count { $0.subject.contains("recover") } == 1,
                "no second email is sent")

            // A device on which the owner had signed in.
            let known = try #require(await devices.text)
            for (wrong, status) in [
                ("dev_1.AAAA", 404), (known + "A", 404), (String(repeating: "a", count: 4000), 404),
            ] {
                #expect(try await server.cancelRecovery(wrong) == status)
            }
            // A device that became known after the request cannot cancel it.
            let late = KeptDeviceToken(),
                lateAccess = try await server.signIn(from: server.client(late))
            let lateToken = try #require(await late.text)
            #expect(try await server.cancelRecovery(lateToken) == 404)
            #expect(
                try await server.send(.delete, "/v1/me/recovery", access: lateAccess).status == 404)
            #expect(try await server.client(late).cancelRecoveries() == false)
            #expect(try await server.client(devices).cancelRecoveries())
            #expect(try await server.recoveries(access).isEmpty)

            // A sign-in from before the request, and the mailed link.
            _ = try await ask()
            #expect(try await server.send(.delete, "/v1/me/recovery", access: access).status == 204)
            #expect(try await server.send(.delete, "/v1/me/recovery", access: access).status == 404)
            _ = try await ask()
            let link = try Outbox.code(
                in: try await server.outbox.mail(with: "Someone asked to recover", 2))
            let page = try await server.send(.get, "/notices?code=\(link)")
            #expect(page.status == 200 && page.text.contains("Cancel this recovery?"))
            #expect(
                try await server.recoveries(access).count == 1, "opening the link cancels nothing")
            #expect(try await server.form("/notices", [("code", link)]).status == 200)
            #expect(try await server.form("/notices", [("code", link)]).status == 410)
            #expect(try await server.recoveries(access).isEmpty)

            // The limit is three requests per day.
            _ = try await ask()
            #expect(try await server.recoveries(access).isEmpty)
            #expect(try server.outbox.mails().count { $0.subject.contains("recover") } == 3)
            let endings = try await server.admin.audit(user: user).items.filter {
                $0.event == "recovery.canceled"
            }.compactMap { $0.detail["how"] }
            #expect(endings == ["canceled_by_device", "canceled_by_sign_in", "canceled_by_link"])
        }
    }

    @Test(
        "a thief who waits for the end of a hold completes a canceled recovery, or one that was proved in another way"
    )
    func afterTheHold() async throws {
        try await ClockedServer.run(in: scratch) { server in
            _ = try await server.makeUser()
            let outbox = Outbox(data: server.folder), client = TokenClient(server: server)
            func ask(_ number: Int) async throws -> JourneyOutcome? {
                let journey = try await server.client().start("recovery-email")
                for try await step in journey.steps {
                    switch step.id {
                    case .loginForm:
                        try await step.respond("email_code", ["user_identifier": "ada"])
                    case .emailOTPAuthentication:
                        let text = try await outbox.mail(with: "Your code is", number)
                        let code = try #require(text.firstMatch(of: /Your code is ([0-9]+)/)?.1)
                        try await step.respond(.clientInput, ["passcode": .string(String(code))])
                    default: try await step.respond(.clientInput)
                    }
                }
                return await journey.outcome()
            }
            func isHeld(_ number: Int) async throws -> Bool {
                if case .rejection = try await ask(number) { true } else { false }
            }
            #expect(try await isHeld(0))
            try server.time.advance(.seconds(86_399))
            #expect(try await isHeld(1))
            try server.time.advance(.seconds(1))
            guard case .success(let token) = try await ask(2) else {
                Issue.record("the hold is over")
                return
            }
            #expect(try token.use { try TokenClient.claims($0) }["recovered"] == true)
            _ = try await outbox.mail(with: "Your account was recovered")
            #expect(try await client.signIn().status == 200)
            // A recovery completes once: another run begins a new hold.
            #expect(try await isHeld(3))
            // If not completed within a week after the hold, the request expires, too.
            try server.time.advance(.seconds(8 * 86_400))
            #expect(try await isHeld(4))
            try await server.restart()
            #expect(try await isHeld(5))
            // A new password ends earlier requests.
            let user = try await server.userID("ada")
            _ = try await server.admin.updateUser(
                user, UserRequest(password: "the second password"))
            try server.time.advance(.seconds(86_400))
            #expect(try await isHeld(6))
        }
    }
}

/// Stores the newest token so that the test can read it.
private actor KeptDeviceToken: DeviceTokenStorage {
    private var kept: Sensitive<String>?

    var text: String? { kept?.use { $0 } }
    func token(for key: DeviceTokenKey) -> Sensitive<String>? { kept }
    func store(_ token: Sensitive<String>, for key: DeviceTokenKey) { kept = token }
    func remove(_ key: DeviceTokenKey) { kept = nil }
}

extension RealServer {
    func recoveryCodes(_ access: String) async throws -> [String] {
        let answer = try await send(.post, "/v1/me/recovery-codes", access: access)
        let codes = (answer.json["codes"]?.arrayValue ?? []).compactMap(\.stringValue)
        #expect(answer.status == 201 && codes.count == 10)
        return codes
    }

    func recoveries(_ access: String) async throws -> [JSONValue] {
        let answer = try await send(.get, "/v1/me/recovery", access: access)
        return try #require(answer.json["items"]?.arrayValue, "\(answer.text)")
    }

    func cancelRecovery(_ token: String) async throws -> Int {
        let body: JSONValue = ["client_id": "default_application", "device_token": .string(token)]
        return try await send(.post, "/v1/recovery/cancel", JSONText.write(body)).status
    }

    /// Runs `recovery-email` with the mailed code.
    ///
    /// - Parameter number: The index of the email with the code, from 0.
    func recoverByMail(_ number: Int) async throws -> JourneyOutcome? {
        try await run("recovery-email") { step in
            switch step.id {
            case .loginForm: try await step.respond("email_code", ["user_identifier": "ada"])
            case .emailOTPAuthentication:
                let text = try await outbox.mail(with: "Your code is", number)
                let code = try #require(text.firstMatch(of: /Your code is ([0-9]+)/)?.1)
                try await step.respond(.clientInput, ["passcode": .string(String(code))])
            default: try await step.respond(.clientInput)
            }
        }
    }
}
