import Foundation
import MienCore
import Testing

@testable import MienJourney

@Suite("Steps with OTP tokens")
struct OTPStepTests {
    private static func journey(_ type: String, _ config: [String: JSONValue], requiresUser: Bool)
        -> JSONValue
    {
        [
            "id": "j", "version": 1, "title": "J", "requires_user": .bool(requiresUser),
            "start": "s",
            "steps": [
                "s": [
                    "type": .string(type), "config": .object(config),
                    "on": ["success": "done", "failure": "no"],
                ],
                "done": ["type": "complete_journey"],
                "no": ["type": "reject_access"],
            ],
        ]
    }

    private static let ada = JourneyUser(id: Made.ada, level: .authenticated, amr: ["pwd"])
    private static let passcode: JSONValue = ["passcode": "123456"]

    private func register(_ config: [String: JSONValue] = [:]) throws -> (Play, JourneyDecision) {
        var play = try Play(Self.journey("register_otp", config, requiresUser: true))
        let asked = try play.start(user: Self.ada)
        guard asked.work(OfferOTPEffect.self)?.user == Made.ada else {
            throw JourneyClientError.invalidState
        }
        let offered = EffectAnswer.otpOffered(
            CodeID("otc_1")!, registrationCode: Sensitive("secret"),
            expiresAt: play.now + .seconds(600))
        let prompt = try play.answer(asked, offered)
        return (play, prompt)
    }

    @Test(
        "a registration shows its code once, waits for the device, and ends with the device's first code"
    )
    func registration() throws {
        var (play, asked) = try register(["kind": "hotp", "digits": 8])
        #expect(
            asked.prompt?.journeyStepID == "otpRegistration"
                && asked.prompt?.data["registration_code"] == "secret")
        #expect(
            asked.prompt?.data["kind"] == "hotp" && asked.prompt?.data["code_length"] == 8
                && asked.prompt?.data["attempts_left"] == 5)
        let checking = try play.respond("client_input", Self.passcode)
        #expect(
            checking.effect?.work
                == .confirmOTP(
                    ConfirmOTPEffect(
                        user: Made.ada, registration: CodeID("otc_1")!,
                        passcode: Sensitive("123456"))))
        // Another user's registration is not accepted.
        #expect(throws: JourneyClientError.invalidState) {
            try play.answer(checking, .otpRegistered(Made.bob))
        }
        #expect(throws: JourneyClientError.invalidState) {
            try play.answer(checking, .authenticated(Made.ada, amr: ["otp"]))
        }
        asked = try play.answer(checking, .refused(.notRegistered))
        #expect(
            asked.prompt?.data["error"] == ["code": "not_registered"]
                && asked.prompt?.data["registration_code"] == nil)
        #expect(asked.prompt?.data["attempts_left"] == 4)
        asked = try play.answer(
            try play.respond("client_input", Self.passcode), .otpRegistered(Made.ada))
        #expect(asked.completion != nil)
    }

    @Test("a CAP token has at least eight digits, which is also its default; others have six")
    func digits() throws {
        for (config, length) in [
            ([:], 6), (["kind": "hotp"], 6), (["kind": "cap"], 8),
            (["kind": "cap", "digits": 10], 10),
        ] as [([String: JSONValue], Double)] {
            #expect(try register(config).1.prompt?.data["code_length"] == .number(length))
        }
        for digits in [6, 7, 11] {
            let error = #expect(throws: JourneyDefinitionError.self) {
                try register(["kind": "cap", "digits": .number(Double(digits))])
            }
            #expect(error?.path == "steps.s.config.digits", "\(digits)")
        }
    }

    @Test("neither the registration code nor the code is in a stored run")
    func stored() throws {
        let (play, _) = try register()
        let encoded = String(decoding: try JSONEncoder().encode(play.run), as: UTF8.self)
        #expect(
            encoded.contains("otc_1") && !encoded.contains("secret") && !encoded.contains("123456"))
    }

    @Test("a registration ends when it expires or after too many wrong codes")
    func ends() throws {
        var (late, _) = try register()
        late.now = late.now + .seconds(600)
        #expect(try late.respond("client_input", Self.passcode).rejection != nil)
        var (wrong, _) = try register(["max_attempts": 2])
        let first = try wrong.respond("client_input", Self.passcode)
        #expect(try wrong.answer(first, .refused(.wrongCode)).prompt?.data["attempts_left"] == 1)
        let second = try wrong.respond("client_input", Self.passcode)
        #expect(try wrong.answer(second, .refused(.wrongCode)).rejection != nil)
        var (locked, _) = try register()
        #expect(
            try locked.answer(try locked.respond("client_input", Self.passcode), .refused(.locked))
                .rejection != nil)
    }

    @Test("registering an OTP token requires a signed-in user")
    func stranger() throws {
        var play = try Play(Self.journey("register_otp", [:], requiresUser: false))
        #expect(try play.start().rejection != nil)
        var other = try Play(
            Self.journey("register_otp", ["user_identifier": "'bob'"], requiresUser: true))
        let resolving = try other.start(user: Self.ada)
        #expect(try other.answer(resolving, .user(Made.bob)).rejection != nil)
    }

    @Test(
        "a code is requested with the same prompt for everyone, before any lookup, and signs in its owner"
    )
    func authentication() throws {
        var prompts: [JSONValue] = []
        for code in [StepErrorCode.invalidCredentials, .locked, .notRegistered] {
            var play = try Play(
                Self.journey(
                    "authenticate_otp", ["user_identifier": "'ada'", "max_attempts": 2],
                    requiresUser: false))
            let asked = try play.start()
            #expect(
                asked.prompt?.data == ["attempts_left": 2]
                    && asked.prompt?.journeyStepID == "otpAuthentication")
            let checking = try play.respond("client_input", Self.passcode)
            #expect(
                checking.effect?.work
                    == .authenticateOTP(
                        AuthenticateOTPEffect(
                            user: .identifier(Sensitive("ada")), passcode: Sensitive("123456"))))
            let again = try play.answer(checking, .refused(code))
            prompts.append(try #require(again.prompt?.data))
            let last = try play.answer(
                try play.respond("client_input", Self.passcode), .refused(code))
            #expect(last.rejection != nil)
        }
        #expect(
            prompts
                == Array(
                    repeating: ["attempts_left": 1, "error": ["code": "wrong_code"]], count: 3))

        var play = try Play(
            Self.journey("authenticate_otp", ["user_identifier": "'ada'"], requiresUser: false))
        _ = try play.start()
        let done = try play.answer(
            try play.respond("client_input", Self.passcode), .authenticated(Made.ada, amr: ["otp"]))
        #expect(done.completion?.signedInUser == Made.ada)

        // For a known user, a result about another user is rejected.
        var known = try Play(Self.journey("authenticate_otp", [:], requiresUser: true))
        _ = try known.start(user: Self.ada)
        let checking = try known.respond("client_input", Self.passcode)
        #expect(throws: JourneyClientError.invalidState) {
            try known.answer(checking, .authenticated(Made.bob, amr: ["otp"]))
        }
        #expect(
            try known.answer(checking, .authenticated(Made.ada, amr: ["otp"])).completion != nil)
    }

    @Test("an outage ends the step and does not count as a wrong code")
    func outage() throws {
        var play = try Play(
            Self.journey(
                "authenticate_otp", ["user_identifier": "'ada'", "failure_behavior": "abort"],
                requiresUser: false))
        _ = try play.start()
        #expect(
            try play.answer(try play.respond("client_input", Self.passcode), .refused(.unavailable))
                .rejection?.reason == "unavailable")
    }

    @Test("the signed data is the shown data and becomes a claim only after signing")
    func signing() throws {
        let config: [String: JSONValue] = ["approval_data": ["amount": "'120.50'"]]
        for isRight in [true, false] {
            var play = try Play(Self.journey("transaction_signing_otp", config, requiresUser: true))
            let challenging = try play.start(user: Self.ada)
            #expect(
                challenging.effect?.work == .challengeOTP(approvalData: ["amount": "120.50"]))
            let asked = try play.answer(
                challenging, .deviceChallenge(ChallengeID("chl_1")!, challenge: "c.d"))
            #expect(
                asked.prompt?.journeyStepID == "otpTransactionSigning"
                    && asked.prompt?.data["transaction_challenge"] == "c.d")
            #expect(asked.prompt?.data["approval_data"] == ["amount": "120.50"])
            let checking = try play.respond("client_input", ["passcode": "12345678"])
            let work = try #require(checking.work(VerifyOTPSignatureEffect.self)),
                signature = work.signature
            #expect(work.user == .id(Made.ada))
            #expect(
                signature.challenge.text == "chl_1"
                    && signature.approvalData == ["amount": "120.50"])
            #expect(throws: JourneyClientError.invalidState) {
                try play.answer(checking, .authenticated(Made.bob, amr: ["otp"]))
            }
            let end = try play.answer(
                checking,
                isRight
                    ? .authenticated(Made.ada, amr: ["otp"])
                    : .refused(.invalidCredentials))
            #expect((end.completion != nil) == isRight && (end.rejection != nil) == !isRight)
        }
    }

    @Test("recorded tests support OTP tokens")
    func simulated() throws {
        let test = try RecordedTest([
            "journey": Self.journey(
                "authenticate_otp", ["user_identifier": "parameters.name", "max_attempts": 2],
                requiresUser: false),
            "world": [
                "users": [["username": "ada", "token": true], ["username": "bob"]],
                "token_code": "777777",
            ],
            "cases": [
                [
                    "name": "right", "parameters": ["name": "ada"],
                    "steps": [
                        [
                            "expect": ["step": "otpAuthentication"],
                            "respond": ["option": "client_input", "data": ["passcode": "777777"]],
                        ]
                    ],
                    "ends": ["success": ["user": "ada", "amr": ["otp"]]],
                ],
                [
                    "name": "no token", "parameters": ["name": "bob"],
                    "steps": [
                        [
                            "expect": ["step": "otpAuthentication"],
                            "respond": ["option": "client_input", "data": ["passcode": "777777"]],
                        ],
                        [
                            "expect": ["step": "otpAuthentication", "data": ["attempts_left": 1]],
                            "respond": ["option": "client_input", "data": ["passcode": "777777"]],
                        ],
                    ], "ends": "rejection",
                ],
            ],
        ])
        guard case .inline(let definition) = test.journey else {
            throw JourneyDefinitionError(path: "journey", reason: "expected an inline journey")
        }
        let report = JourneySimulator.run(try JourneyDefinition(definition), test)
        #expect(report.cases.map(\.problems) == [[], []])
    }

    @Test("an approval waits until the user has decided on the other device, or it expires")
    func approval() throws {
        let data = ["amount": "120.50"]
        func asked() throws -> (Play, JourneyDecision) {
            var play = try Play(
                Self.journey(
                    "transaction_approval_otp", ["approval_data": ["amount": "'120.50'"]],
                    requiresUser: true))
            let requesting = try play.start(user: Self.ada)
            #expect(
                requesting.effect?.work
                    == .requestApproval(RequestApprovalEffect(user: Made.ada, approvalData: data)))
            let asked = try play.answer(
                requesting,
                .approvalOpened(
                    ChallengeID("chl_1")!, code: "7K3QF-2M9XA",
                    expiresAt: play.now + .seconds(300)))
            return (play, asked)
        }
        var (play, prompt) = try asked()
        #expect(
            prompt.prompt?.data["approval_code"] == "7K3QF-2M9XA"
                && prompt.prompt?.data["approval_data"] == ["amount": "120.50"]
                && prompt.prompt?.data["error"] == nil)
        let reading = try play.respond("client_input", nil)
        #expect(
            reading.effect?.work
                == .readApproval(
                    ReadApprovalEffect(user: Made.ada, approval: ChallengeID("chl_1")!)))
        let again = try play.answer(reading, .refused(.notYet))
        #expect(
            again.prompt?.data["error"] == ["code": "not_yet"]
                && again.prompt?.data["approval_code"] == "7K3QF-2M9XA")
        let done = try play.answer(
            try play.respond("client_input", nil), .authenticated(Made.ada, amr: ["otp"]))
        #expect(
            done.completion?.signedInUser == Made.ada && done.completion?.approvalData == data)

        for code in [StepErrorCode.declined, .expired, .invalidCredentials] {
            var (play, _) = try asked()
            #expect(
                try play.answer(try play.respond("client_input", nil), .refused(code)).rejection
                    != nil)
        }
        // A decision of the last second is still read; without one, the request has expired.
        var (late, _) = try asked()
        late.now = late.now + .seconds(301)
        #expect(
            try late.answer(
                try late.respond("client_input", nil), .authenticated(Made.ada, amr: ["otp"])
            ).completion != nil)
        var (undecided, _) = try asked()
        undecided.now = undecided.now + .seconds(300)
        #expect(
            try undecided.answer(try undecided.respond("client_input", nil), .refused(.notYet))
                .rejection != nil)
        var (over, _) = try asked()
        over.now = over.now + .seconds(330)
        #expect(try over.respond("client_input", nil).rejection != nil)
    }

    @Test("an approval needs a user who has signed in, not only a name")
    func strangersAsk() throws {
        let journey = Self.journey(
            "transaction_approval_otp", ["approval_data": ["amount": "'120.50'"]],
            requiresUser: false)
        var play = try Play(journey)
        #expect(try play.start().rejection != nil)
    }

    @Test("recorded tests decide for the other device", arguments: ["approved", "declined"])
    func recorded(decision: String) throws {
        func reply(_ user: JSONValue) throws -> EffectAnswer {
            var world = try SimulatedWorld(["users": [user], "approval": .string(decision)])
            let id = ChallengeID("chl_1")!
            world.challenges[id] = "x"
            let owner = try #require(world.user("ada")?.id)
            return ReadApprovalEffect(user: owner, approval: id).simulated(in: &world)
        }
        let answer = try reply(["username": "ada", "token": true])
        if decision == "approved" {
            guard case .proof(let proof) = answer else {
                Issue.record("not approved: \(answer)")
                return
            }
            #expect(proof.amr == ["otp"])
        } else {
            #expect(answer == .refused(.declined))
        }
        // As on a server, nobody decides without a token.
        #expect(try reply(["username": "ada"]) == .refused(.notYet))
    }
}
