import Foundation
import MienCore
import Testing

@testable import MienJourney

@Suite("Waiting for a time")
struct WaitForTimeTests {
    private static func journey(
        _ config: [String: JSONValue], lifetime: Int = 3600
    ) -> JSONValue {
        [
            "id": "j", "version": 1, "title": "J", "start": "wait",
            "limits": ["lifetime_seconds": .number(Double(lifetime))],
            "steps": [
                "wait": [
                    "type": "wait_for_time",
                    "config": .object(["error_output_variable": "error"].merging(config) { $1 }),
                    "on": ["success": "done", "failure": "late"],
                ],
                "done": ["type": "complete_journey", "config": ["user_auth_state": "none"]],
                "late": ["type": "reject_access", "config": ["reason": "late"]],
            ],
        ]
    }

    private static func until(_ time: Instant) -> [String: JSONValue] {
        ["until": .string("\(time.milliseconds)")]
    }

    @Test("a response is accepted once the time has come, and an earlier one is told how long")
    func wait() throws {
        var play = try Play(Self.journey(["seconds": 60]))
        let start = play.now, end = start + .seconds(60)
        let prompt = try #require(try play.start().prompt)
        #expect(prompt.journeyStepID == "waitForTime")
        #expect(prompt.options.map(\.id) == ["client_input", "cancel"])
        #expect(
            prompt.data == [
                "wait_until": .number(Double(end.milliseconds)), "milliseconds_left": 60_000,
            ])
        for early in [1, 59_999] {
            play.now = start + .milliseconds(early)
            let again = try #require(try play.respond("client_input").prompt)
            #expect(
                again.data == [
                    "wait_until": .number(Double(end.milliseconds)),
                    "milliseconds_left": .number(Double(60_000 - early)),
                    "error": ["code": "not_yet"],
                ])
        }
        play.now = end
        #expect(try play.respond("client_input").completion != nil)
    }

    @Test("a time that has passed does not ask the client")
    func passed() throws {
        let now = try Play(Self.journey(["seconds": 1])).now
        for time in [now, now - .seconds(1), Instant(milliseconds: 0)] {
            var play = try Play(Self.journey(Self.until(time)))
            #expect(try play.start().completion != nil)
        }
        var play = try Play(Self.journey(Self.until(now + .milliseconds(1))))
        #expect(try play.start().prompt?.data["milliseconds_left"] == 1)
    }

    @Test("a wait that the run does not survive fails at once")
    func tooLong() throws {
        let now = try Play(Self.journey(["seconds": 1])).now
        for (config, isTooLong): ([String: JSONValue], Bool) in [
            (["seconds": 3599], false), (["seconds": 3600], true),
            (Self.until(now + .milliseconds(3_599_999)), false),
            (Self.until(now + .seconds(3600)), true), (["until": "9007199254740991"], true),
        ] {
            var play = try Play(Self.journey(config))
            let decision = try play.start()
            #expect((decision.rejection?.reason == "late") == isTooLong, "\(config)")
            #expect((decision.prompt != nil) == !isTooLong)
        }
    }

    @Test(
        "an expression without a time fails",
        arguments: ["'soon'", "-1", "missing", "1e300", "true", "1.0 / 0.0"])
    func expressions(until: String) throws {
        var play = try Play(Self.journey(["until": .string(until)]))
        #expect(try play.start().rejection?.reason == "late")
    }

    @Test("a fraction of a millisecond is waited for")
    func fraction() throws {
        let now = try Play(Self.journey(["seconds": 1])).now
        var play = try Play(Self.journey(["until": .string("\(now.milliseconds).5")]))
        #expect(try play.start().prompt?.data["milliseconds_left"] == 1)
    }

    @Test("a stored wait ends at the same time")
    func stored() throws {
        var play = try Play(Self.journey(["seconds": 60]))
        _ = try play.start()
        play.run = try JSONDecoder().decode(
            JourneyInstance.self, from: JSONEncoder().encode(play.run))
        play.now = play.now + .seconds(59)
        #expect(try play.respond("client_input").prompt?.data["milliseconds_left"] == 1000)
        play.now = play.now + .seconds(1)
        #expect(try play.respond("client_input").completion != nil)
    }

    @Test("seconds or until is required, and the later one counts")
    func settings() throws {
        let error = #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition(Self.journey([:]))
        }
        #expect(error?.path == "steps.wait.config")
        let now = try Play(Self.journey(["seconds": 1])).now
        for (until, left) in [(-5, 10), (5, 10), (20, 20)] {
            let time = Self.until(now + .seconds(until))
            var play = try Play(Self.journey(["seconds": 10].merging(time) { $1 }))
            let data = try #require(try play.start().prompt).data
            #expect(data["milliseconds_left"] == .number(Double(left * 1000)))
        }
    }

    @Test("the linter reports a wait that no run survives")
    func lint() throws {
        func codes(_ seconds: Int) throws -> [LintFinding.Code] {
            let journey = Self.journey(["seconds": .number(Double(seconds))], lifetime: 600)
            return JourneyLinter.lint(try JourneyDefinition(journey)).map(\.code)
        }
        #expect(try codes(599) == [])
        #expect(try codes(600) == [.waitTooLong])
    }

    @Test("the linter reports a cycle whose only prompt is a wait for a time that may have passed")
    func cycles() throws {
        func codes(_ config: JSONValue) throws -> [LintFinding.Code] {
            let journey: JSONValue = [
                "id": "poll", "version": 1, "title": "Poll", "start": "call",
                "steps": [
                    "call": [
                        "type": "call_webhook",
                        "config": ["url": "https://hook.example", "output_variable": "hook"],
                        "on": ["success": "check", "failure": "no"],
                    ],
                    "check": [
                        "type": "condition", "config": ["expression": "hook.status == 200"],
                        "on": ["true": "no", "false": "wait"],
                    ],
                    "wait": [
                        "type": "wait_for_time", "config": config,
                        "on": ["success": "call", "failure": "no"],
                    ],
                    "no": ["type": "reject_access"],
                ],
            ]
            return JourneyLinter.lint(try JourneyDefinition(journey)).map(\.code)
        }
        #expect(try codes(["until": "hook.status"]).contains(.endlessCycle))
        #expect(try !codes(["seconds": 5]).contains(.endlessCycle))
        #expect(try !codes(["seconds": 5, "until": "hook.status"]).contains(.endlessCycle))
    }

    @Test("recorded tests pass the time")
    func recorded() throws {
        let test = try RecordedTest([
            "journey": Self.journey(["seconds": 60]),
            "cases": [
                [
                    "name": "too early, then in time",
                    "steps": [
                        [
                            "expect": ["step": "wait_for_time"],
                            "respond": ["option": "client_input"], "after_seconds": 30,
                        ],
                        [
                            "expect": [
                                "step": "waitForTime",
                                "data": [
                                    "milliseconds_left": 30_000, "error": ["code": "not_yet"],
                                ],
                            ],
                            "respond": ["option": "client_input"], "after_seconds": 30,
                        ],
                    ],
                    "ends": "success",
                ]
            ],
        ])
        let report = JourneySimulator.run(
            try JourneyDefinition(Self.journey(["seconds": 60])), test)
        #expect(report.cases.map(\.problems) == [[]])
    }
}
