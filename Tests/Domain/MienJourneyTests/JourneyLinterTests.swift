import MienCore
import Testing

@testable import MienJourney

/// Tests each finding with one journey that has the fault, and the same journey without it.
@Suite("The linter")
struct JourneyLinterTests {
    static let done: JSONValue = [
        "type": "complete_journey", "config": ["user_auth_state": "none"],
    ]
    static let refused: JSONValue = ["type": "reject_access"]
    static let form: JSONValue = [
        "type": "login_form",
        "config": ["branches": [["id": "password"]], "output_variable": "form"],
        "on": ["password": "next"],
    ]
    static let check: JSONValue = [
        "type": "authenticate_password",
        "config": [
            "username": "form.username", "password": "form.password", "failure_behavior": "abort",
        ],
        "on": ["success": "done"],
    ]
    static let selfie: JSONValue = [
        "type": "selfie_acquisition", "config": ["failure_behavior": "abort"],
        "on": ["success": "next"],
    ]

    func findings(
        _ steps: [String: JSONValue], start: String = "first", extra: [String: JSONValue] = [:]
    ) throws -> [LintFinding] {
        let all = extra.merging([
            "id": "j", "version": 1, "title": "J", "start": .string(start), "steps": .object(steps),
        ]) { $1 }
        return JourneyLinter.lint(try JourneyDefinition(.object(all)))
    }

    /// Returns finding codes with their locations: `missing_outcome first on.failure`.
    func lint(
        _ steps: [String: JSONValue], start: String = "first", extra: [String: JSONValue] = [:]
    ) throws -> [String] {
        try findings(steps, start: start, extra: extra).map {
            [$0.code.rawValue, $0.step?.text, $0.setting].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test("unlocking an authenticator with only an email code is reported")
    func unlocks() throws {
        let unlock: JSONValue = [
            "type": "unlock_authenticator",
            "config": ["authenticator": "password", "failure_behavior": "abort"],
            "on": ["success": "done"],
        ]
        func code(leadingTo next: String) -> JSONValue {
            [
                "type": "email_otp_authentication",
                "config": ["user_identifier": "'ada'", "failure_behavior": "abort"],
                "on": ["success": .string(next)],
            ]
        }
        let recover: JSONValue = [
            "type": "recover_account", "config": ["failure_behavior": "abort"],
            "on": ["success": "unlock", "held": "refused"],
        ]
        #expect(
            try lint(["first": code(leadingTo: "unlock"), "unlock": unlock, "done": Self.done]) == [
                "unlock_without_hold unlock"
            ])
        #expect(
            try lint([
                "first": code(leadingTo: "recover"), "recover": recover, "unlock": unlock,
                "done": Self.done, "refused": Self.refused,
            ]) == [])
        let around: JSONValue = [
            "type": "recover_account", "config": ["failure_behavior": "abort"],
            "on": ["success": "unlock", "held": "unlock"],
        ]
        #expect(
            try lint([
                "first": code(leadingTo: "recover"), "recover": around, "unlock": unlock,
                "done": Self.done,
            ]) == ["unlock_without_hold unlock"])
        #expect(
            try lint(["first": unlock, "done": Self.done], extra: ["requires_user": true]) == [])
        // A new password is as good as an unlocked authenticator.
        let form: JSONValue = [
            "type": "login_form",
            "config": [
                "branches": [
                    [
                        "id": "set",
                        "schema": [
                            "properties": ["password": ["type": "string", "format": "password"]],
                            "required": ["password"],
                        ],
                    ]
                ], "output_variable": "form", "title": "New password",
            ], "on": ["set": "set"],
        ]
        let set: JSONValue = [
            "type": "set_password",
            "config": ["password": "form.password", "failure_behavior": "abort"],
            "on": ["success": "done"],
        ]
        #expect(
            try lint([
                "first": code(leadingTo: "form"), "form": form, "set": set, "done": Self.done,
            ])
                == ["unlock_without_hold set"])
        let held: JSONValue = [
            "type": "recover_account", "config": ["failure_behavior": "abort"],
            "on": ["success": "form", "held": "refused"],
        ]
        #expect(
            try lint([
                "first": code(leadingTo: "recover"), "recover": held, "form": form, "set": set,
                "done": Self.done, "refused": Self.refused,
            ]) == [])
    }

    @Test("unknown and missing targets and outcomes are reported")
    func targets() throws {
        let info: JSONValue = [
            "type": "information", "config": ["text": "Hi"], "on": ["next": "done"],
        ]
        #expect(try lint(["first": info, "done": Self.done]) == [])
        #expect(
            try lint(["first": info, "done": Self.done], start: "frist").first
                == "dangling_target start")
        #expect(
            try findings(["first": info, "dome": Self.done]).map(\.message).contains(
                "unknown step “done”; did you mean “dome”?"))
        #expect(
            try lint([
                "first": [
                    "type": "information", "config": ["text": "Hi"],
                    "on": ["next": "done", "ok": "done"],
                ], "done": Self.done,
            ]) == [
                "unknown_outcome first on.ok"
            ])
        #expect(
            try lint([
                "first": ["type": "information", "config": ["text": "Hi"]], "done": Self.done,
            ]) == [
                "no_completion", "missing_outcome first on.success", "unreachable_step done",
            ])
        let hook: JSONValue = [
            "type": "call_webhook", "config": ["url": "https://example.org"],
            "on": ["success": "done"],
        ]
        let missing = try findings(["first": hook, "done": Self.done])
        #expect(
            missing.map(\.code) == [.missingOutcome]
                && missing[0].message.contains("failure_behavior to “abort”"))
        let abort: JSONValue = [
            "type": "call_webhook",
            "config": ["url": "https://example.org", "failure_behavior": "abort"],
            "on": ["success": "done", "failure": "done"],
        ]
        #expect(
            try findings(["first": abort, "done": Self.done]).map(\.message).first?.hasPrefix(
                "never happens: failure_behavior is “abort”") == true)
        let cancel: JSONValue = [
            "type": "information", "config": ["text": "Hi"],
            "on": ["next": "done", "cancel": "done"],
        ]
        #expect(
            try findings(["first": cancel, "done": Self.done]).map(\.message).first?.hasPrefix(
                "never happens: cancel_behavior is “abort”") == true)
        let branches: JSONValue = [
            "type": "information",
            "config": [
                "text": "Hi", "custom_branches": [["id": "more"]],
                "cancel_behavior": "cancel_branch",
            ],
            "on": ["next": "done"],
        ]
        #expect(
            try lint(["first": branches, "done": Self.done]) == [
                "missing_outcome first on.cancel", "missing_outcome first on.more",
            ])
        #expect(
            try lint(["first": info, "done": Self.done, "lost": Self.refused]) == [
                "unreachable_step lost"
            ])
        #expect(try lint(["first": Self.refused]) == ["no_completion"])
        #expect(
            try lint([
                "first": [
                    "type": "complete_journey", "config": ["user_auth_state": "none"],
                    "on": ["next": "first"],
                ]
            ]) == [
                "unknown_outcome first on.success"
            ])
    }

    @Test("unknown variables, and variables not set on every path, are reported")
    func variables() throws {
        func lint(_ expression: String, form: JSONValue? = nil, extra: [String: JSONValue] = [:])
            throws -> [String]
        {
            try self.lint(
                [
                    "first": form ?? Self.form,
                    "next": [
                        "type": "set_variables",
                        "config": ["variables": ["x": .string(expression)]], "on": ["next": "done"],
                    ],
                    "done": Self.done,
                ], extra: extra)
        }
        #expect(try lint("form.username") == [])
        #expect(try lint("from.username") == ["unknown_variable next variables.x"])
        #expect(try lint("x") == ["unknown_variable next variables.x"])
        #expect(try lint("form.user") == ["unknown_member next variables.x"])
        #expect(try lint("user.level") == [])
        #expect(try lint("user.id") == ["unassigned_variable next variables.x"])
        #expect(try lint("user.name") == ["unknown_member next variables.x"])
        #expect(try lint("user.id", extra: ["requires_user": true]) == [])
        #expect(try lint("has(user.id) ? user.id : ''") == [])
        #expect(try lint("parameters.anything") == [])
        let parameters: [String: JSONValue] = [
            "parameters": ["properties": ["a": [:], "b": [:]], "required": ["a"]]
        ]
        #expect(try lint("parameters.a", extra: parameters) == [])
        #expect(
            try lint("parameters.b", extra: parameters) == ["unassigned_variable next variables.x"])
        #expect(try lint("parameters.c", extra: parameters) == ["unknown_member next variables.x"])

        let two: JSONValue = [
            "type": "login_form",
            "config": [
                "branches": [["id": "password"], ["id": "email_code"]], "output_variable": "form",
            ],
            "on": ["password": "next", "email_code": "next"],
        ]
        #expect(try lint("form.username", form: two) == ["unassigned_variable next variables.x"])
        #expect(
            try lint("has(form.username) ? form.username : form.user_identifier", form: two) == [
                "unassigned_variable next variables.x"
            ])
        #expect(try lint("has(form.username) ? form.username : ''", form: two) == [])
    }

    @Test("a condition proves which paths exist")
    func conditions() throws {
        func lint(_ condition: String) throws -> [String] {
            let use: JSONValue = [
                "type": "set_variables", "config": ["variables": ["x": "form.name"]],
                "on": ["next": "done"],
            ]
            return try self.lint([
                "first": [
                    "type": "login_form",
                    "config": [
                        "branches": [["id": "go", "schema": ["properties": ["name": [:]]]]],
                        "output_variable": "form",
                    ],
                    "on": ["go": "is"],
                ],
                "is": [
                    "type": "condition", "config": ["expression": .string(condition)],
                    "on": ["true": "use", "false": "done"],
                ], "use": use,
                "done": Self.done,
            ])
        }
        #expect(try lint("has(form.name)") == [])
        #expect(try lint("has(form.name) && size(form.name) > 3") == [])
        #expect(try lint("has(form.name) || true") == ["unassigned_variable use variables.x"])
        #expect(try lint("!has(form.name)") == ["unassigned_variable use variables.x"])
    }

    @Test("output variables are set only after success, and error variables only after failure")
    func errorVariables() throws {
        let show: (String) -> JSONValue = {
            [
                "type": "information", "config": ["text": .string("{{\($0)}}")],
                "on": ["next": "done"],
            ]
        }
        let hook: JSONValue = [
            "type": "call_webhook",
            "config": [
                "url": "https://example.org", "output_variable": "answer",
                "error_output_variable": "error",
            ],
            "on": ["success": "good", "failure": "bad"],
        ]
        let steps: (JSONValue, JSONValue) -> [String: JSONValue] = {
            ["first": hook, "good": $0, "bad": $1, "done": Self.done]
        }
        #expect(try lint(steps(show("answer.body.x"), show("error.code"))) == [])
        #expect(
            try lint(steps(show("error.code"), show("answer.status"))) == [
                "unknown_variable bad text", "unknown_variable good text",
            ])
        #expect(
            try lint(steps(show("answer.status"), show("error.reason"))) == [
                "unknown_member bad text"
            ])
    }

    @Test("secrets may be read only by secret settings and while they are held")
    func secrets() throws {
        #expect(
            try lint(["first": Self.form, "next": Self.check, "done": ["type": "complete_journey"]])
                == [])
        #expect(
            try lint([
                "first": Self.form,
                "next": [
                    "type": "set_variables", "config": ["variables": ["x": "form.password"]],
                    "on": ["next": "done"],
                ],
                "done": Self.done,
            ]) == ["secret_read next variables.x"])
        let info: JSONValue = [
            "type": "information", "config": ["text": "Wait"], "on": ["next": "check"],
        ]
        #expect(
            try lint(["first": Self.form, "next": info, "check": Self.check, "done": Self.done])
                == ["secret_forgotten check password"])
        // Only one path passes the prompt.
        let fork: JSONValue = [
            "type": "condition", "config": ["expression": "form.username == 'ada'"],
            "on": ["true": "info", "false": "check"],
        ]
        #expect(
            try lint([
                "first": Self.form, "next": fork, "info": info, "check": Self.check,
                "done": Self.done,
            ]) == ["secret_forgotten check password"])
    }

    @Test("steps that need a user require an earlier sign-in or identification")
    func users() throws {
        let unlock: (JSONValue) -> JSONValue = {
            [
                "type": "unlock_authenticator", "config": $0,
                "on": ["success": "done", "failure": "done"],
            ]
        }
        #expect(
            try lint(["first": unlock(["authenticator": "face"]), "done": Self.done]) == [
                "user_missing first"
            ])
        #expect(
            try lint(
                ["first": unlock(["authenticator": "face"]), "done": Self.done],
                extra: ["requires_user": true]) == [])
        let create: JSONValue = [
            "type": "create_user", "config": ["username": "'eve'", "failure_behavior": "abort"],
            "on": ["success": "next"],
        ]
        let unverified = "sign_up_without_code first"
        #expect(
            try lint([
                "first": create, "next": unlock(["authenticator": "face"]), "done": Self.done,
            ]) == ["user_missing next", unverified])
        #expect(
            try lint([
                "first": create,
                "next": unlock(["authenticator": "face", "user_auth_state": "established"]),
                "done": Self.done,
            ]) == [
                unverified
            ])
        #expect(
            try lint(["first": create, "next": ["type": "complete_journey"]]) == [
                "user_missing next", unverified,
            ])
        #expect(
            try lint([
                "first": create,
                "next": ["type": "complete_journey", "config": ["user_auth_state": "established"]],
            ]) == [unverified])
        // Signed in on one path, but not on the other.
        let fork: JSONValue = [
            "type": "condition", "config": ["expression": "true"],
            "on": ["true": "form", "false": "done"],
        ]
        let steps: [String: JSONValue] = [
            "first": fork,
            "form": [
                "type": "login_form",
                "config": ["branches": [["id": "password"]], "output_variable": "form"],
                "on": ["password": "next"],
            ],
            "next": Self.check, "done": ["type": "complete_journey"],
        ]
        #expect(try lint(steps) == ["user_missing done"])
        let anyone: JSONValue = [
            "type": "authenticate_face", "config": ["failure_behavior": "abort"],
            "on": ["success": "done"],
        ]
        #expect(
            try lint(["first": Self.selfie, "next": anyone, "done": Self.done]).contains(
                "user_missing next"))
    }

    @Test("a capture must exist and can be used only once")
    func captures() throws {
        let face: (String) -> JSONValue = {
            [
                "type": "authenticate_face", "config": ["user_identifier": "'ada'"],
                "on": ["success": "done", "failure": .string($0)],
            ]
        }
        let steps: ([String: JSONValue]) -> [String: JSONValue] = {
            $0.merging(["done": Self.done, "refused": Self.refused]) { $1 }
        }
        let other: JSONValue = [
            "type": "information", "config": ["text": "Or"], "on": ["next": "done"],
        ]
        #expect(
            try lint(steps(["first": Self.selfie, "next": face("other"), "other": other])).contains(
                "unreachable_step refused"))
        #expect(try lint(steps(["first": face("refused")])).contains("capture_missing first"))
        #expect(
            try lint(
                steps([
                    "first": Self.selfie, "next": face("again"), "again": face("other"),
                    "other": other,
                ])
            ).contains("capture_missing again"))
    }

    @Test("a capture asks for one consent; two texts need steps that obtain it")
    func consent() throws {
        func register(_ config: JSONValue, then next: String) -> JSONValue {
            [
                "type": "register_face", "config": config,
                "on": ["success": .string(next), "failure": "done"],
            ]
        }
        func lint(_ first: JSONValue, _ second: JSONValue) throws -> [String] {
            try self.lint(
                [
                    "first": Self.selfie,
                    "next": [
                        "type": "condition", "config": ["expression": "user.level == 'none'"],
                        "on": ["true": "one", "false": "two"],
                    ],
                    "one": register(first, then: "done"), "two": register(second, then: "done"),
                    "done": Self.done,
                ], extra: ["requires_user": true])
        }
        #expect(try lint([:], [:]) == [])
        #expect(try lint(["consent": ["text_version": "1"]], [:]) == ["consent_missing first"])
        #expect(
            try lint(
                ["consent": ["text_version": "1"]],
                ["consent": ["text_version": "2", "earlier": true]]) == [])
    }

    @Test("a selfie that is stored but taken for authentication is reported")
    func purpose() throws {
        func lint(_ purpose: String?, comparing: Bool = false) throws -> [String] {
            var selfie: [String: JSONValue] = ["failure_behavior": "abort"]
            selfie["purpose"] = purpose.map { .string($0) }
            let register: JSONValue = [
                "type": "register_face", "config": ["failure_behavior": "abort"],
                "on": ["success": "done"],
            ]
            let compare: JSONValue = [
                "type": "authenticate_face", "config": ["failure_behavior": "abort"],
                "on": ["success": "done"],
            ]
            return try self.lint(
                [
                    "first": [
                        "type": "selfie_acquisition", "config": .object(selfie),
                        "on": ["success": "choice"],
                    ],
                    "choice": [
                        "type": "condition", "config": ["expression": "user.amr == []"],
                        "on": [
                            "true": "register", "false": .string(comparing ? "compare" : "done"),
                        ],
                    ],
                    "register": register, "compare": compare, "done": Self.done,
                ].filter { comparing || $0.key != "compare" }, extra: ["requires_user": true])
        }
        #expect(try lint(nil) == [])
        #expect(try lint("registration") == [])
        #expect(try lint("authentication") == ["capture_purpose first purpose"])
        #expect(try lint(nil, comparing: true).contains("capture_purpose first purpose"))
    }

    @Test("settings that are probably unintended are reported")
    func settings() throws {
        let hook: JSONValue = [
            "type": "call_webhook",
            "config": ["url": "http://example.org", "failure_behavior": "abort"],
            "on": ["success": "done"],
        ]
        #expect(try lint(["first": hook, "done": Self.done]) == ["webhook_not_https first url"])
        let selfie: JSONValue = [
            "type": "selfie_acquisition",
            "config": ["failure_behavior": "abort", "liveness": ["mode": "image"]],
            "on": ["success": "done"],
        ]
        #expect(try lint(["first": selfie, "done": Self.done]) == ["liveness_off first liveness"])
    }

    @Test("a journey without findings never fails for a reason the linter checks")
    func agreement() throws {
        // In every example, whatever the client and the server respond, no step fails because a
        // variable, a user, a capture, or a secret is missing.
        let codes: Set<StepErrorCode> = [.expressionFailed, .secretMissing, .consentMissing]
        var generator = SmallGenerator(seed: 11)
        for name in ExampleJourneys.names {
            let definition = try ExampleJourneys.journey(name)
            let test = try ExampleJourneys.test(name)
            for _ in 0..<300 {
                var world = test.world
                var run = JourneyInstance(
                    id: InstanceID("run_1")!, of: definition, app: AppID("app_1")!,
                    at: Instant(seconds: 0))
                let user =
                    definition.requiresUser
                    ? JourneyUser(id: world.users[0].id, level: .authenticated) : nil
                var decision = try run.handle(
                    .start(user: user), in: definition, at: Instant(seconds: 0))
                for _ in 0..<60 {
                    switch decision {
                    case .perform(let effect):
                        world.selfieNow = world.selfies.keys.sorted().randomElement(
                            using: &generator)
                        world.verificationNow = world.verifications.keys.sorted().randomElement(
                            using: &generator)
                        decision = try run.handle(
                            .performed(
                                effect.result(
                                    world.perform(effect.work, at: Instant(seconds: 0)))),
                            in: definition, at: Instant(seconds: 0))
                    case .ask(let prompt):
                        let option = try #require(prompt.options.randomElement(using: &generator))
                        let right =
                            [
                                "username": "ada", "email": "ada@example.org",
                                "user_identifier": "ada", "passcode": .string(world.passcode),
                            ]
                            as [String: JSONValue]
                        let fields = (option.schema ?? .nothing).fields.filter(\.isRequired).map {
                            ($0.name, right[$0.name] ?? "correct horse")
                        }
                        let data: JSONValue = .object(Dictionary(uniqueKeysWithValues: fields))
                        decision = try run.handle(
                            .response(option: option.id, data: data), in: definition,
                            at: Instant(seconds: 0))
                    case .complete, .reject: break
                    }
                    for case .object(let error) in run.variables.values {
                        if let code = error["code"]?.stringValue.flatMap(StepErrorCode.init) {
                            #expect(!codes.contains(code), "\(name)")
                        }
                    }
                }
                if case .reject(let rejection) = decision {
                    #expect(
                        rejection.cause != .journeyError && rejection.cause != .tooManySteps,
                        "\(name)")
                    #expect(
                        StepErrorCode(rawValue: rejection.reason).map { !codes.contains($0) }
                            ?? true, "\(name): \(rejection)")
                }
            }
        }
    }
}
