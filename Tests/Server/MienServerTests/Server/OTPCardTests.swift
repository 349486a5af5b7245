import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// CAP tokens: from registration to signatures, on a server.
@Suite("CAP tokens", .enabled(if: Installed.isThere, Installed.reason))
struct OTPCardTests {
    private static let named = """
        "form": {"type": "login_form", "config": {"branches": [{"id": "email_code"}], "output_variable": "form"}, "on": {"email_code": "next"}},
        "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}
        """
    private static let journeys = [
        (
            "login",
            "\(named), \"next\": {\"type\": \"authenticate_otp\", \"config\": {\"user_identifier\": \"form.user_identifier\", \"max_attempts\": 1}, \"on\": {\"success\": \"done\", \"failure\": \"no\"}}"
        ),
        (
            "sign",
            "\(named), \"next\": {\"type\": \"transaction_signing_otp\", \"config\": {\"user_identifier\": \"form.user_identifier\", \"approval_data\": {\"amount\": \"'120.50'\", \"to\": \"'CH93'\"}}, \"on\": {\"success\": \"done\", \"failure\": \"no\"}}"
        ),
        (
            "approve",
            #""form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}}, "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password", "failure_behavior": "abort"}, "on": {"success": "next"}}, "next": {"type": "transaction_approval_otp", "config": {"approval_data": {"amount": "'120.50'", "to": "'CH93'"}}, "on": {"success": "done", "failure": "no"}}, "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}"#
        ),
        (
            "register",
            #""form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}}, "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password", "failure_behavior": "abort"}, "on": {"success": "next"}}, "next": {"type": "register_otp", "config": {"kind": "cap", "failure_behavior": "abort"}, "on": {"success": "done"}}, "done": {"type": "complete_journey"}"#
        ),
    ]

    /// A server with the app `bank`, and a user with a CAP token for it.
    private struct Bank: Sendable {
        let server: TestServer
        let user: UserID
        let secret: String
        let token: TokenDevice.Token
        let cap = try! CAP()

        /// The code of a sign-in, or with `mode` an answer or signature.
        func code(_ atc: UInt16, _ mode: CAPMode = .identify) throws -> String {
            try cap.code(mode, at: atc, with: token.secret).text
        }

        func post(_ path: String, _ body: [String: JSONValue]) async throws -> (
            status: Int, body: JSONValue
        ) {
            let own: [String: JSONValue] = ["client_id": "bank", "client_secret": .string(secret)]
            return try await server.sendJSON(
                .post, "/v1/otp/\(path)", body: JSONText.write(.object(own.merging(body) { $1 })))
        }

        func verify(_ passcode: String, _ more: [String: JSONValue] = [:]) async throws -> Bool {
            let body: [String: JSONValue] = [
                "user_identifier": "ada", "passcode": .string(passcode),
            ]
            let answer = try await post("verify", body.merging(more) { $1 })
            #expect(answer.status == 200, "\(answer)")
            return answer.body == ["valid": true]
        }

        func start(_ journey: String) async throws -> Journey {
            let run = try await JourneyClient(
                MienOptions(
                    serverPath: server.address, applicationId: "bank",
                    clientSecret: Sensitive(secret), retry: RetryPolicy(attempts: 1))
            ).start(journey)
            if journey == "approve" {
                try await run.respond(
                    "password", ["username": "ada", "password": "a password nobody has"])
            } else {
                try await run.respond("email_code", ["user_identifier": "ada"])
            }
            return run
        }

        func signsIn(_ code: String) async throws -> Bool {
            let run = try await start("login")
            try await run.respond(.clientInput, ["passcode": .string(code)])
            return try OTPCardTests.claims(await run.outcome())?["amr"] == ["otp"]
        }
    }

    private static func claims(_ outcome: JourneyOutcome?) throws -> JSONValue? {
        guard case .success(let token) = outcome else { return nil }
        return try token.use { try TokenClient.claims($0) }
    }

    private static func offer(
        _ server: TestServer, _ user: UserID, app: String, _ body: String = #"{"kind": "cap"}"#
    ) async throws -> (status: Int, body: JSONValue) {
        try await server.sendJSON(
            .post, "/v1/users/\(user.text)/otp/\(app)/registrations", body: body,
            access: server.credential.use { $0 })
    }

    private func run(_ body: @Sendable (Bank) async throws -> Void) async throws {
        try await TestServer.run(in: ScratchFolder()) { server in
            let user = try await server.makeUser()
            for (id, steps) in Self.journeys {
                let text =
                    #"{"id": "\#(id)", "version": 1, "title": "Cards", "start": "form", "steps": {\#(steps)}}"#
                _ = try await server.admin.putJourney(
                    JourneyID(id)!, version: 1, definition: Array(text.utf8))
                _ = try await server.admin.publishJourney(JourneyID(id)!, version: 1)
            }
            let app = try await server.admin.createApp(
                AppRequest(id: "bank", name: "Bank", type: .confidential))
            let offer = try await Self.offer(server, user, app: "bank")
            #expect(
                offer.status == 201 && offer.body["kind"] == "cap" && offer.body["digits"] == 8,
                "\(offer)")
            let token = try await TokenDevice().redeem(
                try #require(offer.body["registration_code"]?.stringValue), server, app: "bank")
            #expect(
                token.digits == 8 && token.secret.bytes.count == 16
                    && token.card == [
                        "mask": "000000FFFFFF0000000000000000000000000000", "iaf": "00",
                        "psn": "00", "iad": "0000000000000000",
                    ])
            try await body(
                Bank(
                    server: server, user: user, secret: try #require(app.clientSecret),
                    token: token))
        }
    }

    @Test("a code signs in once, within the look-ahead, and never behind")
    func codes() async throws {
        try await run { bank in
            #expect(try await bank.verify(bank.code(1)))
            #expect(try await !bank.verify(bank.code(1)), "used")
            #expect(try await bank.signsIn(bank.code(3)))
            #expect(try await !bank.signsIn(bank.code(2)), "skipped")
            #expect(try await bank.verify(bank.code(14)), "ten ahead of 4")
            #expect(try await !bank.verify(bank.code(26)), "eleven ahead of 15")
            // As a reader shows it.
            let typed = try String(bank.code(15).drop { $0 == "0" })
            #expect(try await bank.signsIn(typed))
            #expect(try await !bank.verify(bank.code(50)))
            #expect(try await bank.verify(bank.code(51)), "resynchronized by two consecutive codes")
            #expect(try await bank.signsIn(bank.code(52)))
        }
    }

    @Test("a challenge is answered, numbers are signed, and each uses up its counter")
    func questions() async throws {
        try await run { bank in
            let challenge: [String: JSONValue] = ["cap_challenge": "1234"],
                numbers: [String: JSONValue] = ["cap_numbers": ["1000", "3101234567"]]
            let answers = try CAPQuestion(challenge: "1234").mode,
                signs = try CAPQuestion(signing: ["1000", "3101234567"]).mode
            #expect(try await bank.verify(bank.code(1, answers), challenge))
            #expect(try await !bank.verify(bank.code(1, answers), challenge), "used")
            #expect(try await !bank.verify(bank.code(1)), "its counter is used up for all modes")
            #expect(try await bank.verify(bank.code(2, signs), numbers))
            #expect(try await !bank.verify(bank.code(3, signs), ["cap_numbers": ["1000"]]))
            #expect(try await bank.verify(bank.code(3, answers), challenge))
            #expect(try await !bank.verify(bank.code(4), challenge), "a sign-in is no answer")
            #expect(try await !bank.verify(bank.code(4, answers)), "an answer is no sign-in")
            #expect(try await bank.verify(bank.code(4)))

            for (body, field) in [
                (["cap_challenge": "0"], "cap_challenge"),
                (["cap_challenge": "123456789"], "cap_challenge"),
                (["cap_numbers": []], "cap_numbers"),
                (["cap_numbers": .array(Array(repeating: "1", count: 8))], "cap_numbers"),
                (["cap_numbers": ["12345678901"]], "cap_numbers"),
                (["cap_numbers": ["1"], "cap_challenge": "1"], "cap_numbers"),
                (["cap_challenge": "1", "challenge": "000691234568"], "cap_challenge"),
                (["cap_challenge": "1", "values": ["amount": "1"]], "challenge"),
            ] as [([String: JSONValue], String)] {
                let own: [String: JSONValue] = ["user_identifier": "ada", "passcode": "1"]
                let answer = try await bank.post("verify", own.merging(body) { $1 })
                #expect(
                    answer.status == 400
                        && answer.body["errors"]?.arrayValue?.first?["field"] == .string(field),
                    "\(body): \(answer)")
            }
        }
    }

    @Test("transactions are signed in a journey, without a connection, and on another device")
    func signatures() async throws {
        try await run { bank in
            // In a journey.
            let data = ["amount": "120.50", "to": "CH93"]
            func sign(_ run: Journey, _ atc: UInt16) async throws -> String {
                let challenge = try #require(
                    await run.response.data?["transaction_challenge"]?.stringValue)
                return try ShownTransaction(data, challenge: challenge).response(
                    of: bank.cap, at: atc, with: bank.token.secret
                ).text
            }
            let run = try await bank.start("sign"), response = try await sign(run, 1)
            try await run.respond(.clientInput, ["passcode": .string(response)])
            let claims = try Self.claims(await run.outcome())
            #expect(
                claims?["sub"] == .string(bank.user.text)
                    && claims?["approval_data"] == ["amount": "120.50", "to": "CH93"])
            let again = try await bank.start("sign"), late = try await sign(again, 1)
            try await again.respond(.clientInput, ["passcode": .string(late)])
            #expect(try Self.claims(await again.outcome()) == nil, "a used counter")
            let code = try await bank.start("sign")
            try await code.respond(.clientInput, ["passcode": .string(bank.code(2))])
            #expect(try Self.claims(await code.outcome()) == nil, "a code is not a signature")

            // Without a connection.
            let asked = try await bank.post(
                "challenges", ["user_identifier": "ada", "template": 2])
            let digits = try #require(asked.body["challenge"]?.stringValue)
            let shown = try ShownTransaction(
                DynamicChallenge(digits), [.account: "CH93", .amount: "120.5"])
            let signed = try shown.response(of: bank.cap, at: 3, with: bank.token.secret).text
            let values: JSONValue = ["account": "CH93", "amount": "120.50"]
            #expect(
                try await bank.verify(signed, ["challenge": .string(digits), "values": values]))
            #expect(try await !bank.verify(bank.code(3)), "its counter is used up")

            // On another device.
            let waiting = try await bank.start("approve"),
                typed = try #require(await waiting.response.data?["approval_code"]?.stringValue)
            let approvals = try OTPApprovals(
                MienOptions(serverPath: bank.server.address, retry: RetryPolicy(attempts: 1)))
            let found = try #require(try await approvals.transaction(typed, for: bank.token.id))
            func approval(_ atc: UInt16) throws -> OneTimeCode {
                try found.shown.response(of: bank.cap, at: atc, with: bank.token.secret)
            }
            #expect(try await !approvals.approve(found, with: approval(3)), "a used counter")
            #expect(try await approvals.approve(found, with: approval(4)))
            try await waiting.respond(.clientInput)
            let approved = try Self.claims(await waiting.outcome())?["amr"]?.arrayValue
            #expect(Set(approved ?? []) == ["pwd", "otp"])
            #expect(try await !bank.verify(bank.code(4)))
            #expect(try await bank.verify(bank.code(5)))
        }
    }

    @Test("wrong codes, answers, and signatures are counted by one lock")
    func lock() async throws {
        try await run { bank in
            let right = try bank.code(1)
            #expect(try await !bank.verify("00000000"))
            #expect(try await !bank.verify("1", ["cap_challenge": "1"]))
            #expect(try await !bank.verify("1", ["cap_numbers": ["1"]]))
            #expect(try await !bank.signsIn("99999999"))
            #expect(
                try await bank.server.sendJSON(
                    .post, "/v1/otp/tokens/confirm",
                    body: JSONText.write([
                        "token_id": .string(bank.token.id), "passcode": "00000000",
                    ])
                ).status == 401)
            #expect(try await !bank.verify(right), "locked")
            bank.server.time.advance(.seconds(3600))
            #expect(try await bank.verify(right))
        }
    }

    @Test("of 16 concurrent requests with one code, one is valid")
    func atOnce() async throws {
        try await run { bank in
            let code = try bank.code(1)
            let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 { group.addTask { try await bank.verify(code) } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(valid == 1)
        }
    }

    @Test("other tokens answer no question, and a user may have both kinds")
    func both() async throws {
        try await run { bank in
            let offer = try await Self.offer(
                bank.server, bank.user, app: "bank", #"{"kind": "hotp", "digits": 8}"#)
            let other = try await TokenDevice().redeem(
                try #require(offer.body["registration_code"]?.stringValue), bank.server,
                app: "bank")
            #expect(
                try await !bank.verify(other.code(counter: 0), ["cap_challenge": "1"]))
            #expect(try await bank.verify(other.code(counter: 0)))
            #expect(try await bank.verify(bank.code(1)))
            #expect(try await bank.verify(other.code(counter: 1)))
        }
    }

    @Test("a journey and an administrator register one; six or seven digits are refused")
    func registration() async throws {
        try await run { bank in
            let run = try await bank.server.client().start("register")
            try await run.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            let asked = await run.response
            #expect(asked.data?["kind"] == "cap" && asked.data?["code_length"] == 8)
            let token = try await TokenDevice().redeem(
                try #require(asked.data?["registration_code"]?.stringValue), bank.server)
            let first = try bank.cap.code(.identify, at: 1, with: token.secret).text
            try await run.respond(.clientInput, ["passcode": .string(first)])
            #expect(try Self.claims(await run.outcome()) != nil)

            for digits in [6, 7, 11] {
                let refused = try await Self.offer(
                    bank.server, bank.user, app: "bank", #"{"kind": "cap", "digits": \#(digits)}"#)
                #expect(
                    refused.status == 400
                        && refused.body["errors"]?.arrayValue?.first?["field"] == "digits",
                    "\(refused)")
            }
            let offered = try await Self.offer(
                bank.server, bank.user, app: "default_application",
                #"{"kind": "cap", "digits": 10}"#)
            #expect(offered.status == 201 && offered.body["digits"] == 10, "\(offered)")
            let device = TokenDevice(), code = offered.body["registration_code"]?.stringValue ?? ""
            let long = try await device.redeem(code, bank.server),
                again = try await device.redeem(code, bank.server)
            #expect(again.secret == long.secret && again.id == long.id, "the answer was lost")
            #expect(
                long.digits == 10
                    && long.card?["mask"] == "000000FFFFFFFF80000000000000000000000000")
        }
    }
}
