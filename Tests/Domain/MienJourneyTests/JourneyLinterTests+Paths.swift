import MienCore
import Testing

@testable import MienJourney

/// Paths through a journey: ends, cycles, and loops.
extension JourneyLinterTests {
    @Test("a journey must be completable without a face")
    func alternatives() throws {
        let form: (JSONValue) -> JSONValue = { branches in
            [
                "type": "login_form", "config": ["branches": branches, "output_variable": "form"],
                "on": ["face": "selfie", "password": "check"],
            ]
        }
        let steps: [String: JSONValue] = [
            "selfie": [
                "type": "selfie_acquisition", "config": ["failure_behavior": "abort"],
                "on": ["success": "face"],
            ],
            "face": [
                "type": "authenticate_face",
                "config": ["user_identifier": "form.user_identifier", "failure_behavior": "abort"],
                "on": ["success": "done"],
            ],
            "check": Self.check, "done": ["type": "complete_journey"],
        ]
        let both = steps.merging(["first": form([["id": "face"], ["id": "password"]])]) { $1 }
        #expect(try lint(both) == [])
        let only = try lint(steps.merging(["first": form([["id": "face"]])]) { $1 })
        #expect(
            only.contains("face_without_alternative first branches")
                && only.contains("face_without_alternative face"))
        // The other path exists but leads to the face as well.
        var pretended = both
        pretended["check"] = [
            "type": "authenticate_password",
            "config": [
                "username": "form.username", "password": "form.password",
                "failure_behavior": "abort",
            ],
            "on": ["success": "selfie"],
        ]
        #expect(try lint(pretended).contains("face_without_alternative face"))
    }

    @Test(
        "a selfie that requires colors of the screen needs a way around it, or may go without them")
    func colors() throws {
        func selfie(_ liveness: JSONValue, _ on: JSONValue) -> JSONValue {
            [
                "type": "selfie_acquisition",
                "config": ["failure_behavior": "abort", "liveness": liveness], "on": on,
            ]
        }
        let strict: JSONValue = ["light": "require"]
        #expect(
            try lint(["first": selfie(strict, ["success": "done"]), "done": Self.done])
                == ["light_without_alternative first liveness"])
        for liveness: JSONValue in [
            ["light": "observe"], ["light": "require", "light_accommodation": true],
            ["light_accommodation": false],
        ] {
            #expect(
                try lint(["first": selfie(liveness, ["success": "done"]), "done": Self.done]) == [])
        }
        let fork: JSONValue = [
            "type": "condition", "config": ["expression": "true"],
            "on": ["true": "selfie", "false": "done"],
        ]
        #expect(
            try lint([
                "first": fork, "selfie": selfie(strict, ["success": "done"]), "done": Self.done,
            ]) == [])
    }

    @Test("endless and unbounded cycles are reported, loops are not")
    func cycles() throws {
        let set: (String) -> JSONValue = {
            [
                "type": "set_variables", "config": ["variables": ["x": "1"]],
                "on": ["next": .string($0)],
            ]
        }
        let fork: JSONValue = [
            "type": "condition", "config": ["expression": "true"],
            "on": ["true": "first", "false": "done"],
        ]
        #expect(
            try lint(["first": set("fork"), "fork": fork, "done": Self.done]) == [
                "endless_cycle first", "endless_cycle fork",
            ])
        let info: JSONValue = [
            "type": "information", "config": ["text": "Hi"], "on": ["next": "fork"],
        ]
        #expect(
            try lint(["first": info, "fork": fork, "done": Self.done]) == ["unbounded_retry first"])
        let loop: JSONValue = [
            "type": "loop", "config": ["max_iterations": 3],
            "on": ["body": "info", "done": "done"],
        ]
        #expect(try lint(["first": loop, "info": info, "fork": fork, "done": Self.done]) == [])
        // A loop that is restarted whenever it ends bounds nothing.
        let again: JSONValue = [
            "type": "loop", "config": ["max_iterations": 3], "on": ["body": "set", "done": "fork"],
        ]
        #expect(
            try lint(["first": again, "set": set("first"), "fork": fork, "done": Self.done]) == [
                "endless_cycle first", "endless_cycle fork",
            ])
    }

    @Test("an outcome in a loop's body without a next step starts another iteration")
    func loopBodies() throws {
        let loop: JSONValue = [
            "type": "loop", "config": ["max_iterations": 3],
            "on": ["body": "hook", "done": "done"],
        ]
        let hook: JSONValue = ["type": "call_webhook", "config": ["url": "https://example.org"]]
        #expect(try lint(["first": loop, "hook": hook, "done": Self.done]) == [])
        // Outside the loop, the next step is missing.
        let after: JSONValue = [
            "type": "loop", "config": ["max_iterations": 3],
            "on": ["body": "hook", "done": "hook"],
        ]
        #expect(
            try lint(["first": after, "hook": hook, "done": Self.done]).contains(
                "missing_outcome hook on.failure"))

        var deep: [String: JSONValue] = [
            "info": ["type": "information", "config": ["text": "Hi"]], "done": Self.done,
        ]
        for depth in 0..<9 {
            deep["l\(depth)"] = [
                "type": "loop", "config": ["max_iterations": 1],
                "on": ["body": depth == 8 ? "info" : .string("l\(depth + 1)"), "done": "done"],
            ]
        }
        #expect(try lint(deep, start: "l0").contains("loops_too_deep l8"))
        #expect(try lint(deep, start: "l1").filter { $0.hasPrefix("loops") } == [])
    }
}
