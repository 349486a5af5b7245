import Foundation
import MienCore
import Testing

@testable import MienJourney

/// Tests of what a run learns about its user.
extension JourneyRulesTests {
    @Test(
        "an unknown user, another face, no face, and a lock give the same prompts and variables"
    )
    func strangers() throws {
        var prompts: Set<ClientPrompt> = []
        var errors: Set<JSONValue> = []
        for code: StepErrorCode in [
            .invalidCredentials, .locked, .notRegistered, .captureRefused, .userMissing,
        ] {
            var play = try Play(Made.faceLogin)
            _ = try play.start()
            let opening = try play.respond("face", ["user_identifier": "ada"])
            let selfie = try play.answer(opening, .captureOpened(Made.capture, startToken: "t"))
            prompts.insert(try #require(selfie.prompt))
            let reading = try play.respond("client_input")
            let comparing = try play.answer(reading, .captured(Made.capture, summary: [:]))
            prompts.insert(try #require(try play.answer(comparing, .refused(code)).prompt))
            errors.insert(play.run.variables["error"] ?? .null)
        }
        #expect(prompts.count == 2)
        #expect(errors == [["code": "invalid_credentials", "step": "face"]])
    }

    @Test(
        "an email code that was never sent is wrong and expires like one that was, whatever the server reports"
    )
    func codes() throws {
        let definition = journey([
            "first": [
                "type": "email_otp_authentication",
                "config": ["user_identifier": "'ada'", "max_attempts": 2, "resend_limit": 1],
                "on": ["success": "done", "failure": "refused"],
            ], "done": ["type": "complete_journey"], "refused": Self.refused,
        ])
        var stories: Set<[ClientPrompt]> = []
        for code: StepErrorCode in [
            .wrongCode, .invalidCredentials, .locked, .expired, .limitReached, .userMissing,
        ] {
            var play = try Play(definition), prompts: [ClientPrompt] = []
            func note(_ decision: JourneyDecision) throws {
                prompts.append(try #require(decision.prompt))
            }
            let sending = try play.start()
            try note(try play.answer(sending, .codeSent(CodeID("otc_1")!)))
            let checking = try play.respond("client_input", ["passcode": "000000"])
            try note(try play.answer(checking, .refused(code)))
            play.now = play.now + .seconds(300)
            try note(try play.respond("client_input", ["passcode": "000000"]))
            let again = try play.respond("resend")
            try note(try play.answer(again, .codeSent(CodeID("otc_2")!)))
            let last = try play.respond("client_input", ["passcode": "000000"])
            #expect(try play.answer(last, .refused(code)).rejection?.reason == "access_denied")
            stories.insert(prompts)
        }
        #expect(stories.count == 1)
        let errors = stories.first?.map { $0.data["error"]?["code"] ?? .null }
        #expect(errors == [nil, "wrong_code", "expired", nil])
        var late = try Play(definition)
        let sending = try late.start()
        _ = try late.answer(sending, .refused(.limitReached))
        #expect(late.run.hasEnded)
    }

    @Test("a signed-in user learns the reason for their own authenticator only")
    func owner() throws {
        func error(_ config: JSONValue) throws -> JSONValue? {
            var play = try Play(
                journey([
                    "first": [
                        "type": "selfie_acquisition", "config": ["failure_behavior": "abort"],
                        "on": ["success": "face"],
                    ],
                    "face": [
                        "type": "authenticate_face", "config": config,
                        "on": ["success": "done", "failure": "wait"],
                    ],
                    "wait": [
                        "type": "information", "config": ["text": "Wait"], "on": ["next": "done"],
                    ], "done": Self.done,
                ]))
            let opening = try play.start(
                user: JourneyUser(id: Made.ada, level: .authenticated, amr: ["pwd"]))
            _ = try play.answer(opening, .captureOpened(Made.capture, startToken: "t"))
            let reading = try play.respond("client_input")
            let comparing = try play.answer(reading, .captured(Made.capture, summary: [:]))
            _ = try play.answer(comparing, .refused(.locked))
            return play.run.variables["error"]?["code"]
        }
        #expect(try error(["error_output_variable": "error"]) == "locked")
        #expect(
            try error(["error_output_variable": "error", "user_identifier": "'bob'"])
                == "invalid_credentials")
    }

    @Test(
        "once a run's user is established, no other user can sign in, be created, or be acted for"
    )
    func oneUser() throws {
        let form: JSONValue = [
            "type": "login_form",
            "config": ["branches": [["id": "password"]], "output_variable": "form"],
            "on": ["password": "check"],
        ]
        let check: JSONValue = [
            "type": "authenticate_password",
            "config": [
                "username": "form.username", "password": "form.password",
                "failure_behavior": "abort",
            ],
            "on": ["success": "done"],
        ]
        let definition = journey([
            "first": form, "check": check, "done": ["type": "complete_journey"],
        ])
        for level in [JourneyUser.Level.established, .authenticated] {
            var play = try Play(definition)
            _ = try play.start(user: JourneyUser(id: Made.ada, level: level))
            let checking = try play.respond("password", ["username": "bob", "password": "x"])
            #expect(
                try play.answer(checking, .authenticated(Made.bob, amr: ["pwd"])).rejection?.reason
                    == "invalid_credentials")
        }
        var play = try Play(definition)
        _ = try play.start(user: JourneyUser(id: Made.ada, level: .identified))
        let checking = try play.respond("password", ["username": "bob", "password": "x"])
        let user = try play.answer(checking, .authenticated(Made.bob, amr: ["pwd"])).completion?
            .user
        #expect(
            user?.id == Made.bob && user?.level == .authenticated && user?.amr == ["pwd"]
                && user?.proof?.methods == ["pwd"])

        var second = try Play(
            journey([
                "first": [
                    "type": "create_user", "config": ["username": "'eve'"],
                    "on": ["success": "done", "failure": "refused"],
                ], "done": Self.done,
                "refused": Self.refused,
            ]))
        #expect(
            try second.start(user: JourneyUser(id: Made.ada, level: .authenticated)).rejection?
                .cause == .rejected)
    }

    func acting(_ config: JSONValue, _ user: JourneyUser?) throws -> Play {
        var play = try Play(
            journey([
                "first": [
                    "type": "set_variables", "config": ["variables": ["name": "'ada'"]],
                    "on": ["next": "act"],
                ],
                "act": [
                    "type": "unlock_authenticator", "config": config,
                    "on": ["success": "done", "failure": "refused"],
                ], "done": Self.done,
                "refused": Self.refused,
            ]))
        _ = try play.start(user: user)
        return play
    }

    @Test("no step acts for a user who was only named")
    func actingUser() throws {
        func position(_ config: JSONValue, _ user: JourneyUser?) throws -> JourneyInstance.Position
        { try acting(config, user).run.position }
        let denied = Rejection(cause: .rejected, step: StepID("refused")!, reason: "access_denied")
        let ada = { JourneyUser(id: Made.ada, level: $0) }
        let face: JSONValue = ["authenticator": "face"]
        let established: JSONValue = ["authenticator": "face", "user_auth_state": "established"]
        let named: JSONValue = ["authenticator": "face", "user_identifier": "name"]
        for user in [nil, ada(.identified)] {
            for config in [face, established, named] {
                #expect(try position(config, user) == .rejected(denied))
            }
        }
        #expect(try position(face, ada(.established)) == .rejected(denied))
        let ticket = EffectTicket(step: StepID("act")!, turn: 1)
        #expect(try position(face, ada(.authenticated)) == .performing(ticket, .settingLock))
        #expect(
            try position(established, ada(.established)) == .performing(ticket, .settingLock))
        #expect(try position(named, ada(.established)) == .performing(ticket, .resolvingUser))

        for (found, isRefused) in [(Made.ada, false), (Made.bob, true), (nil, true)] {
            var play = try acting(named, ada(.established))
            let decision = try play.run.handle(
                .performed(EffectResult(ticket: ticket, answer: .user(found))),
                in: play.definition, at: play.now)
            #expect((decision.rejection != nil) == isRefused)
            if !isRefused {
                #expect(
                    decision.effect?.work
                        == .setAuthenticatorLock(
                            SetAuthenticatorLockEffect(
                                user: Made.ada, authenticator: .face, isLocked: false)))
            }
        }
    }

    @Test("a journey completes only with a user at the required level")
    func completion() throws {
        for (state, needed) in [
            ("authenticated", JourneyUser.Level.authenticated), ("established", .established),
        ] {
            for level in [nil] + JourneyUser.Level.allCases.map(Optional.some) {
                var play = try Play(
                    journey([
                        "first": [
                            "type": "complete_journey",
                            "config": ["user_auth_state": .string(state)],
                        ]
                    ]))
                let end = try play.start(user: level.map { JourneyUser(id: Made.ada, level: $0) })
                #expect(
                    (end.completion != nil) == (level.map { $0 >= needed } ?? false),
                    "\(state) \(String(describing: level))")
                #expect(end.completion?.signedInUser == (level == .authenticated ? Made.ada : nil))
            }
        }
        var strict = try Play(journey(["first": Self.done], extra: ["requires_user": true]))
        #expect(
            try strict.start(user: JourneyUser(id: Made.ada, level: .established)).rejection?.cause
                == .notSignedIn)
    }
}
