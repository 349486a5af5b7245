import Foundation
import MienCore
import Testing

@testable import MienJourney

/// Rules that hold for every definition and for any behavior of clients and servers.
@Suite("Rules of a run")
struct JourneyRulesTests {
    func journey(_ steps: JSONValue, start: String = "first", extra: [String: JSONValue] = [:])
        -> JSONValue
    {
        .object(
            extra.merging([
                "id": "j", "version": 1, "title": "J", "start": .string(start), "steps": steps,
            ]) { $1 })
    }

    static let done: JSONValue = [
        "type": "complete_journey", "config": ["user_auth_state": "none"],
    ]
    static let refused: JSONValue = ["type": "reject_access"]

    // MARK: Secrets

    @Test(
        "a password reaches only the effect and appears in no variable, prompt, error, printout, or stored run"
    )
    func password() throws {
        let word = "hunter" + "2"
        var play = try Play(Made.faceLogin)
        _ = try play.start()
        let checking = try play.respond("password", ["username": "ada", "password": .string(word)])
        #expect(
            checking.effect?.work
                == .authenticatePassword(
                    AuthenticatePasswordEffect(
                        user: .identifier(Sensitive("ada")), password: Sensitive(word))))
        #expect(play.run.variables["form"] == ["username": "ada"])
        let stored = try JSONEncoder().encode(play.run)
        var dumped = ""
        dump(play.run, to: &dumped)
        dump(checking, to: &dumped)
        for text in [
            String(decoding: stored, as: UTF8.self), dumped, "\(play.run)", "\(checking)",
            "\(play.run.secrets)",
        ] {
            #expect(!text.contains(word))
        }

        let again = try play.answer(checking, .refused(.invalidCredentials))
        #expect(again.prompt?.journeyStepID == "loginForm" && play.run.secrets.isEmpty)

        let tooLong = String(repeating: word, count: 1000)
        let error = #expect(throws: JourneyClientError.self) {
            try play.respond("password", ["username": "ada", "password": .string(tooLong)])
        }
        #expect(!"\(String(describing: error))".contains(word))
        #expect(
            !"\(JourneyEvent.response(option: "password", data: ["password": .string(word)]))"
                .contains(word))
    }

    @Test("a secret reaches only secret settings and is discarded at the next prompt")
    func secretFlow() throws {
        let form: JSONValue = [
            "type": "login_form",
            "config": ["branches": [["id": "password"]], "output_variable": "form"],
            "on": ["password": "next"],
        ]
        let check: JSONValue = [
            "type": "authenticate_password",
            "config": [
                "username": "form.username", "password": "form.password",
                "failure_behavior": "abort",
            ],
            "on": ["success": "done"],
        ]
        let data: JSONValue = ["username": "ada", "password": "x"]

        var leak = try Play(
            journey([
                "first": form,
                "next": [
                    "type": "set_variables", "config": ["variables": ["copy": "form.password"]],
                    "on": ["next": "done"],
                ],
                "done": Self.done,
            ]))
        _ = try leak.start()
        #expect(
            try leak.respond("password", data).rejection
                == Rejection(cause: .failed, step: StepID("next")!, reason: "expression_failed"))

        var late = try Play(
            journey([
                "first": form,
                "next": [
                    "type": "information", "config": ["text": "Wait"], "on": ["next": "check"],
                ], "check": check,
                "done": Self.done,
            ]))
        _ = try late.start()
        _ = try late.respond("password", data)
        #expect(try late.respond("client_input").rejection?.reason == "secret_missing")

        // Computation in between is allowed. Overwriting the variable discards its secret.
        var direct = try Play(
            journey([
                "first": form,
                "next": [
                    "type": "condition", "config": ["expression": "true"],
                    "on": ["true": "check", "false": "done"],
                ],
                "check": check, "done": Self.done,
            ]))
        _ = try direct.start()
        #expect(try direct.respond("password", data).effect != nil)
        var overwritten = try Play(
            journey([
                "first": form,
                "next": [
                    "type": "set_variables",
                    "config": ["variables": ["form": "{'username': 'eve'}"]],
                    "on": ["next": "check"],
                ],
                "check": check, "done": Self.done,
            ]))
        _ = try overwritten.start()
        #expect(try overwritten.respond("password", data).rejection?.reason == "secret_missing")
    }

    // MARK: Results

    @Test("late and foreign results are rejected and change nothing")
    func results() throws {
        var play = try Play(Made.faceLogin)
        _ = try play.start()
        let opening = try #require(try play.respond("face", ["user_identifier": "ada"]).effect)
        func refused(_ result: EffectResult, _ why: Comment) {
            let before = play.run
            #expect(throws: JourneyClientError.invalidState, why) {
                try play.run.handle(.performed(result), in: play.definition, at: play.now)
            }
            #expect(play.run == before)
        }
        let opened = EffectAnswer.captureOpened(Made.capture, startToken: "t")
        refused(
            EffectResult(
                ticket: EffectTicket(step: StepID("face")!, turn: opening.ticket.turn),
                answer: opened), "another step")
        refused(
            EffectResult(
                ticket: EffectTicket(step: opening.ticket.step, turn: opening.ticket.turn + 1),
                answer: opened), "another visit")
        refused(
            opening.result(.captured(Made.capture, summary: [:])), "an answer to another effect")
        refused(
            opening.result(.faceAuthenticated(Made.ada, capture: Made.capture, amr: ["face"])),
            "an answer to another effect")
        #expect(throws: JourneyClientError.invalidState) { try play.respond("client_input") }
        #expect(throws: JourneyClientError.invalidState) { try play.start() }

        _ = try play.run.handle(
            .performed(opening.result(opened)), in: play.definition, at: play.now)
        refused(opening.result(opened), "the same result again")
        let reading = try #require(try play.respond("client_input").effect)
        refused(reading.result(.captured(Made.otherCapture, summary: [:])), "another capture")
        let comparing = try #require(
            try play.run.handle(
                .performed(reading.result(.captured(Made.capture, summary: [:]))),
                in: play.definition, at: play.now
            ).effect)
        refused(
            comparing.result(
                .faceAuthenticated(Made.ada, capture: Made.otherCapture, amr: ["face"])),
            "a verdict about another capture")
        refused(reading.result(.captured(Made.capture, summary: [:])), "a late result")
        refused(
            comparing.result(.authenticated(Made.ada, amr: ["pwd"])), "a password instead of a face"
        )
    }

    @Test("a definition with another version or of another journey is rejected")
    func otherVersion() throws {
        var play = try Play(Made.faceLogin)
        var other = try #require(Made.faceLogin.objectValue)
        other["version"] = 2
        let definition = try JourneyDefinition(.object(other))
        #expect(throws: JourneyClientError.invalidState) {
            try play.run.handle(.start(), in: definition, at: play.now)
        }
    }

    @Test("an expired run ends, whatever it waits for")
    func expiry() throws {
        for count in 0..<4 {
            var play = try Play(Made.faceLogin)
            if count > 0 { _ = try play.start() }
            let opening = count > 1 ? try play.respond("face", ["user_identifier": "ada"]) : nil
            if count > 2, let opening {
                _ = try play.answer(opening, .captureOpened(Made.capture, startToken: "t"))
            }
            let event: JourneyEvent =
                switch count {
                case 0: .start()
                case 2:
                    .performed(
                        try #require(opening?.effect).result(
                            .captureOpened(Made.capture, startToken: "t")))
                default: .response(option: "cancel")
                }
            var early = play.run
            #expect(
                try early.handle(
                    event, in: play.definition, at: play.now + .milliseconds(3_599_999)
                ).rejection?.cause != .expired)
            play.now = play.now + .seconds(3600)
            #expect(
                try play.run.handle(event, in: play.definition, at: play.now).rejection
                    == Rejection(cause: .expired, step: nil, reason: "expired"))
            #expect(throws: JourneyClientError.noActiveJourney) {
                try play.run.handle(event, in: play.definition, at: play.now)
            }
        }
    }

    @Test("a run that was stored and restored at any prompt continues unchanged")
    func restored() throws {
        var play = try Play(Made.faceLogin)
        func restore() throws {
            play.run = try JSONDecoder().decode(
                JourneyInstance.self, from: JSONEncoder().encode(play.run))
        }
        _ = try play.start()
        try restore()
        let opening = try play.respond("face", ["user_identifier": "ada"])
        _ = try play.answer(opening, .captureOpened(Made.capture, startToken: "t"))
        try restore()
        let reading = try play.respond("client_input")
        let comparing = try play.answer(reading, .captured(Made.capture, summary: [:]))
        #expect(
            try play.answer(
                comparing, .faceAuthenticated(Made.ada, capture: Made.capture, amr: ["face"])
            ).completion?.signedInUser == Made.ada)
        try restore()
        #expect(play.run.hasEnded && play.run.variables.isEmpty && play.run.capture == nil)
    }

    // MARK: Limits

    @Test("the step limit between two responses includes steps after effects")
    func steps() throws {
        var cycle = try Play(
            journey(
                [
                    "first": [
                        "type": "set_variables", "config": ["variables": ["a": "1"]],
                        "on": ["next": "first"],
                    ]
                ], extra: ["limits": ["max_steps": 10]]))
        #expect(
            try cycle.start().rejection
                == Rejection(cause: .tooManySteps, step: StepID("first")!, reason: "too_many_steps")
        )
        #expect(cycle.run.stepsRun == 11)

        var calls = try Play(
            journey(
                [
                    "first": [
                        "type": "call_webhook", "config": ["url": "https://example.org"],
                        "on": ["success": "first", "failure": "first"],
                    ]
                ], extra: ["limits": ["max_steps": 10]]))
        var decision = try calls.start(), count = 0
        while decision.effect != nil, count < 20 {
            decision = try calls.answer(
                decision, .webhookAnswered(status: count.isMultiple(of: 2) ? 200 : 500, body: nil))
            count += 1
        }
        #expect(count == 10 && decision.rejection?.cause == .tooManySteps)

        var asked = try Play(
            journey(
                [
                    "first": [
                        "type": "information", "config": ["text": "Hi"], "on": ["next": "first"],
                    ]
                ], extra: ["limits": ["max_steps": 2]]))
        _ = try asked.start()
        for _ in 0..<10 { #expect(try asked.respond("client_input").prompt != nil) }
    }

    @Test("the total size of all variables is limited")
    func variables() throws {
        var play = try Play(
            journey([
                "first": [
                    "type": "set_variables",
                    "config": ["variables": ["x": "parameters.x + parameters.x + parameters.x"]],
                    "on": ["next": "second"],
                ],
                "second": [
                    "type": "set_variables",
                    "config": ["variables": ["y": "x", "z": "x", "w": "x"]], "on": ["next": "done"],
                ],
                "done": Self.done,
            ]))
        let long: JSONValue = .string(String(repeating: "x", count: 15_000))
        #expect(
            try play.start(["x": long]).rejection
                == Rejection(cause: .failed, step: StepID("second")!, reason: "limit_reached"))
        #expect(throws: JourneyClientError.self) {
            try Play(journey(["first": Self.done])).run.handled(
                .start(parameters: ["x": .string(String(repeating: "x", count: 17_000))]),
                JourneyDefinition(journey(["first": Self.done])))
        }
    }

    @Test(
        "loops stop at their maximum or condition, can be nested, and restart from the beginning")
    func loops() throws {
        func count(_ config: JSONValue, _ inner: JSONValue? = nil) throws -> JSONValue? {
            var steps: [String: JSONValue] = [
                "first": [
                    "type": "set_variables", "config": ["variables": ["n": "0", "i": "0"]],
                    "on": ["next": "loop"],
                ],
                "loop": [
                    "type": "loop", "config": config,
                    "on": ["body": inner == nil ? "add" : "inner", "done": "done"],
                ],
                "add": ["type": "set_variables", "config": ["variables": ["n": "n + 1"]]],
                "done": [
                    "type": "complete_journey",
                    "config": ["user_auth_state": "none", "claims": ["n": "n", "i": "i"]],
                ],
            ]
            if let inner {
                steps["inner"] = ["type": "loop", "config": inner, "on": ["body": "add"]]
            }
            var play = try Play(journey(.object(steps)))
            return try play.start().completion.map { .object($0.claims) }
        }
        #expect(try count(["max_iterations": 3, "counter_variable": "i"]) == ["n": 3, "i": 3])
        #expect(try count(["max_iterations": 100, "condition": "n < 5"]) == ["n": 5, "i": 0])
        #expect(
            try count(["max_iterations": 3], ["max_iterations": 4, "counter_variable": "i"]) == [
                "n": 12, "i": 4,
            ])
        #expect(try count(["max_iterations": 3, "condition": "nonsense"]) == nil)
    }

    @Test("the nesting of loops is limited")
    func nesting() throws {
        var steps: [String: JSONValue] = [
            "add": ["type": "information", "config": ["text": "Hi"]], "done": Self.done,
        ]
        for depth in 0..<9 {
            steps["l\(depth)"] = [
                "type": "loop", "config": ["max_iterations": 1],
                "on": ["body": depth == 8 ? "add" : .string("l\(depth + 1)"), "done": "done"],
            ]
        }
        var play = try Play(journey(.object(steps), start: "l0"))
        #expect(try play.start().rejection?.reason == "limit_reached")
        var enough = try Play(journey(.object(steps), start: "l1"))
        #expect(try enough.start().prompt != nil)
    }

    @Test("a failure branches or aborts and sets the error variable")
    func failures() throws {
        func play(_ config: [String: JSONValue], on: JSONValue) throws -> Play {
            var play = try Play(
                journey([
                    "first": [
                        "type": "call_webhook",
                        "config": .object(config.merging(["url": "https://example.org"]) { $1 }),
                        "on": on,
                    ],
                    "wait": [
                        "type": "information",
                        "config": ["text": "Failed: {{error.code}} at {{error.step}}"],
                        "on": ["next": "done"],
                    ],
                    "done": Self.done,
                ]))
            let calling = try play.start()
            _ = try play.answer(calling, .webhookAnswered(status: 503, body: nil))
            return play
        }
        let branch = try play(
            ["error_output_variable": "error"], on: ["success": "done", "failure": "wait"])
        #expect(
            branch.run.position == .asking(StepID("wait")!, .input)
                && branch.run.variables["error"] == ["code": "webhook_failed", "step": "first"])
        let abort = try play(
            ["failure_behavior": "abort"], on: ["success": "done", "failure": "wait"])
        #expect(
            abort.run.position
                == .rejected(
                    Rejection(cause: .failed, step: StepID("first")!, reason: "webhook_failed")))
        // Without a next step, a failure ends the journey, too.
        #expect(try play([:], on: ["success": "done"]).run.position == abort.run.position)
    }
}

extension JourneyInstance {
    /// Returns the decision of a copy of the run.
    func handled(_ event: JourneyEvent, _ definition: JourneyDefinition) throws -> JourneyDecision {
        var copy = self
        return try copy.handle(event, in: definition, at: createdAt)
    }
}
