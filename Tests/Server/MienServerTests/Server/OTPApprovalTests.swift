import Foundation
import MienAPI
import MienClient
import MienCore
import MienKeys
import MienTesting
import Testing

/// Transactions that a browser starts and a phone approves.
@Suite("Approval on another device", .enabled(if: Installed.isThere, Installed.reason))
struct OTPApprovalTests {
    private static let journey = """
        {"id": "pay", "version": 1, "title": "Pay", "start": "form", "steps": {
          "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "form"}, "on": {"password": "check"}},
          "check": {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password"}, "on": {"success": "ask", "failure": "no"}},
          "ask": {"type": "transaction_approval_otp", "config": {
            "approval_data": {"amount": "'120.50'", "to": "'CH93'"}}, "on": {"success": "done", "failure": "no"}},
          "no": {"type": "reject_access"}, "done": {"type": "complete_journey"}}}
        """
    private static let data: JSONValue = ["amount": "120.50", "to": "CH93"]

    private func run(_ body: @Sendable (TestServer, UserID, TokenDevice.Token) async throws -> Void)
        async throws
    {
        try await TestServer.run(in: ScratchFolder()) { server in
            let user = try await server.makeUser()
            _ = try await server.admin.putJourney(
                JourneyID("pay")!, version: 1, definition: Array(Self.journey.utf8))
            _ = try await server.admin.publishJourney(JourneyID("pay")!, version: 1)
            try await body(server, user, try await Self.token(of: user, server))
        }
    }

    private static func token(of user: UserID, _ server: TestServer) async throws
        -> TokenDevice.Token
    {
        let offer = try await server.sendJSON(
            .post, "/v1/users/\(user.text)/otp/default_application/registrations", body: "{}",
            access: server.credential.use { $0 })
        return try await TokenDevice().redeem(
            try #require(offer.body["registration_code"]?.stringValue), server)
    }

    private static func start(_ server: TestServer, as name: String = "ada") async throws -> (
        run: Journey, code: String
    ) {
        let run = try await server.client().start("pay")
        try await run.respond(
            "password", ["username": .string(name), "password": "a password nobody has"])
        let asked = await run.response
        #expect(
            asked.journeyStepId == .otpTransactionApproval && asked.data?["approval_data"] == data
                && asked.data?["poll_seconds"] == 2)
        return (run, try #require(asked.data?["approval_code"]?.stringValue))
    }

    /// The phone: shows the transaction of a code.
    private static func show(_ code: String, _ token: TokenDevice.Token, _ server: TestServer)
        async throws -> (status: Int, body: JSONValue)
    {
        try await server.sendJSON(
            .post, "/v1/otp/approvals/show",
            body: JSONText.write(
                ["token_id": .string(token.id), "approval_code": .string(code)]))
    }

    private static func decide(
        _ code: String, _ token: TokenDevice.Token, _ passcode: String?, _ server: TestServer
    ) async throws -> Int {
        var body: [String: JSONValue] = [
            "token_id": .string(token.id), "approval_code": .string(code),
        ]
        if let passcode { body["passcode"] = .string(passcode) }
        return try await server.sendJSON(
            .post, "/v1/otp/approvals", body: JSONText.write(.object(body))
        ).status
    }

    private static func signature(
        _ code: String, _ token: TokenDevice.Token, _ server: TestServer
    ) async throws -> String {
        let shown = try await show(code, token, server)
        #expect(
            shown.status == 200 && shown.body["app_id"] == "default_application"
                && shown.body["approval_data"] == data, "\(shown)")
        return try token.signature(
            of: ["amount": "120.50", "to": "CH93"],
            challenge: try #require(shown.body["transaction_challenge"]?.stringValue))
    }

    private static func claims(_ outcome: JourneyOutcome?) throws -> JSONValue? {
        guard case .success(let token) = outcome else { return nil }
        return try token.use { try TokenClient.claims($0) }
    }

    @Test("the browser waits until the phone has signed what it shows")
    func approved() async throws {
        try await run { server, user, token in
            let (run, code) = try await Self.start(server)
            try await run.respond(.clientInput)
            let waiting = await run.response
            #expect(
                waiting.data?["error"] == ["code": "not_yet"]
                    && waiting.data?["approval_code"] == .string(code))
            // However it is typed.
            let typed = " " + code.lowercased().replacing("-", with: "")
            let response = try await Self.signature(typed, token, server)
            #expect(try await Self.decide(typed, token, response, server) == 204)
            try await run.respond(.clientInput)
            let claims = try Self.claims(await run.outcome())
            #expect(
                claims?["approval_data"] == Self.data
                    && Set(claims?["amr"]?.arrayValue ?? []) == ["otp", "pwd"]
                    && claims?["sub"] == .string(user.text))
            #expect(try await Self.show(code, token, server).status == 401, "used up")
        }
    }

    @Test("the SDK shows the transaction, and approves or declines it")
    func kit() async throws {
        try await run { server, _, token in
            let approvals = try OTPApprovals(MienOptions(serverPath: server.address))
            let (run, code) = try await Self.start(server)
            let waiting = try #require(try await approvals.transaction(code, for: token.id))
            #expect(
                waiting.app == "default_application"
                    && waiting.shown.lines.map { "\($0.name)=\($0.value)" } == [
                        "amount=120.50", "to=CH93",
                    ])
            let wrong = try #require(OneTimeCode(typed: "00000000"))
            #expect(try await !approvals.approve(waiting, with: wrong))
            #expect(
                try await approvals.approve(
                    waiting, with: waiting.shown.response(with: token.secret)))
            #expect(try await !approvals.decline(waiting), "the first decision counts")
            try await run.respond(.clientInput)
            #expect(try Self.claims(await run.outcome()) != nil)

            let (other, second) = try await Self.start(server)
            let next = try #require(try await approvals.transaction(second, for: token.id))
            #expect(try await approvals.decline(next))
            #expect(
                try await !approvals.approve(next, with: next.shown.response(with: token.secret)))
            try await other.respond(.clientInput)
            #expect(try Self.claims(await other.outcome()) == nil)
            for code in ["", "nonsense", "00000-00000"] {
                #expect(try await approvals.transaction(code, for: token.id) == nil)
            }
        }
    }

    @Test("a signature of other data, of another request, or a sign-in code approves nothing")
    func wrong() async throws {
        try await run { server, _, token in
            let (run, code) = try await Self.start(server),
                (_, other) = try await Self.start(server)
            let elsewhere = try await Self.signature(other, token, server)
            let challenge = try #require(
                try await Self.show(code, token, server).body["transaction_challenge"]?.stringValue)
            let forged = try token.sign("\(challenge.split(separator: ".")[0]).AAAA")
            for passcode in [elsewhere, forged, try token.code(at: server.time.now)] {
                #expect(try await Self.decide(code, token, passcode, server) == 401)
            }
            try await run.respond(.clientInput)
            #expect(await run.response.data?["error"] == ["code": "not_yet"])
        }
    }

    @Test("a run that is canceled closes its request, and no other")
    func cancelled() async throws {
        try await run { server, _, token in
            let (run, code) = try await Self.start(server),
                (other, second) = try await Self.start(server)
            let response = try await Self.signature(code, token, server)
            try await run.respond(.cancel)
            #expect(try Self.claims(await run.outcome()) == nil)
            #expect(try await Self.show(code, token, server).status == 401)
            #expect(try await Self.decide(code, token, response, server) == 401)
            #expect(
                try await Self.decide(
                    second, token, Self.signature(second, token, server), server) == 204)
            try await other.respond(.clientInput)
            #expect(try Self.claims(await other.outcome()) != nil)
        }
    }

    @Test("wrong signatures are counted by the lock of sign-ins")
    func locked() async throws {
        try await run { server, _, token in
            let (_, code) = try await Self.start(server)
            let right = try await Self.signature(code, token, server)
            for _ in 0..<5 {
                #expect(try await Self.decide(code, token, "00000000", server) == 401)
            }
            #expect(try await Self.decide(code, token, right, server) == 401, "locked")
            let refused = try await server.admin.audit().items.filter {
                $0.event == "otp.refused" && $0.actor == "device"
            }
            #expect(refused.count >= 5, "each wrong signature is in the audit log")
        }
    }

    @Test("another user's token can neither see nor decide a transaction")
    func stranger() async throws {
        try await run { server, _, _ in
            let mallory = try await server.admin.createUser(
                UserRequest(username: "mallory")
            ).id
            let theirs = try await Self.token(of: try #require(UserID(mallory)), server)
            let (run, code) = try await Self.start(server)
            #expect(try await Self.show(code, theirs, server).status == 401)
            #expect(try await Self.decide(code, theirs, nil, server) == 401)
            #expect(try await Self.decide(code, theirs, "00000000", server) == 401)
            try await run.respond(.clientInput)
            #expect(await run.response.data?["error"] == ["code": "not_yet"])
        }
    }

    @Test("a decision of the last second counts; then the request expires, for both devices")
    func late() async throws {
        try await run { server, _, token in
            let (decided, code) = try await Self.start(server),
                (undecided, other) = try await Self.start(server)
            let response = try await Self.signature(code, token, server)
            server.time.advance(.seconds(299))
            #expect(try await Self.decide(code, token, response, server) == 204)
            server.time.advance(.seconds(2))
            #expect(try await Self.show(other, token, server).status == 401)
            for (run, counts) in [(decided, true), (undecided, false)] {
                try await run.respond(.clientInput)
                #expect(try (Self.claims(await run.outcome()) != nil) == counts)
            }
        }
    }

    @Test(
        "a user's token of another app, and one that an administrator has locked, see and decide nothing"
    )
    func otherToken() async throws {
        try await run { server, user, token in
            _ = try await server.admin.createApp(AppRequest(id: "bank", name: "Bank"))
            let offer = try await server.sendJSON(
                .post, "/v1/users/\(user.text)/otp/bank/registrations", body: "{}",
                access: server.credential.use { $0 })
            let other = try await TokenDevice().redeem(
                try #require(offer.body["registration_code"]?.stringValue), server, app: "bank")
            let (run, code) = try await Self.start(server)
            let challenge = try #require(
                try await Self.show(code, token, server).body["transaction_challenge"]?.stringValue)
            #expect(try await Self.show(code, other, server).status == 401)
            let signed = try other.signature(
                of: ["amount": "120.50", "to": "CH93"], challenge: challenge)
            #expect(try await Self.decide(code, other, signed, server) == 401)
            // The signature of another token of the same app does not count for this one.
            let second = try await Self.token(of: user, server)
            let theirs = try second.signature(
                of: ["amount": "120.50", "to": "CH93"], challenge: challenge)
            #expect(try await Self.decide(code, token, theirs, server) == 401)
            let lock = "/v1/users/\(user.text)/authenticators/\(token.id)/lock"
            _ = try await server.sendJSON(
                .post, lock, body: "", access: server.credential.use { $0 })
            #expect(try await Self.show(code, token, server).status == 401)
            #expect(try await Self.decide(code, token, nil, server) == 401)
            try await run.respond(.clientInput)
            #expect(await run.response.data?["error"] == ["code": "not_yet"])
        }
    }

    @Test("an approval ends with the token that gave it, before the journey acts on it")
    func removed() async throws {
        try await run { server, user, token in
            let (run, code) = try await Self.start(server)
            let response = try await Self.signature(code, token, server)
            #expect(try await Self.decide(code, token, response, server) == 204)
            let path = "/v1/users/\(user.text)/authenticators/\(token.id)"
            #expect(
                try await server.sendJSON(
                    .delete, path, body: "", access: server.credential.use { $0 }
                ).status == 204)
            try await run.respond(.clientInput)
            #expect(try Self.claims(await run.outcome()) == nil)
            let events = try await server.admin.audit().items.map(\.event)
            #expect(!events.contains("otp.accepted"), "refused in the step itself")
        }
    }

    @Test("an approval given before all sign-ins ended does not sign in")
    func ended() async throws {
        try await run { server, user, token in
            let (run, code) = try await Self.start(server)
            let response = try await Self.signature(code, token, server)
            #expect(try await Self.decide(code, token, response, server) == 204)
            _ = try await server.admin.markCompromised(user)
            _ = try? await run.respond(.clientInput)
            #expect(try Self.claims(await run.outcome()) == nil)
        }
    }

    @Test("of several decisions at once, one counts")
    func race() async throws {
        try await run { server, _, token in
            let (_, code) = try await Self.start(server)
            let response = try await Self.signature(code, token, server)
            let done = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await Self.decide(
                            code, token, number.isMultiple(of: 2) ? response : nil, server)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 == 204 ? 1 : 0) }
            }
            #expect(done == 1)
        }
    }

    @Test("malformed requests name the field")
    func malformed() async throws {
        try await run { server, _, token in
            for code in ["", "7K3QF", "7K3QF-2M9X!", String(repeating: "0", count: 33)] {
                let answer = try await Self.show(code, token, server)
                #expect(
                    answer.status == 400
                        && answer.body["errors"]?.arrayValue?.first?["field"] == "approval_code",
                    "\(answer)")
            }
        }
    }
}
