import Foundation
import MienCore
import Testing

@testable import MienJourney

@Suite("Definitions")
struct DefinitionTests {
    static func step(_ type: String, _ config: JSONValue = [:], on: JSONValue = [:]) -> JSONValue {
        [
            "id": "j", "version": 1, "title": "J", "start": "s",
            "steps": ["s": ["type": .string(type), "config": config, "on": on]],
        ]
    }

    /// The minimal config of each type.
    static let least: [StepType: [String: JSONValue]] = [
        .loginForm: ["branches": [["id": "password"]]],
        .authenticatePassword: ["password": "form.password"],
        .registerFace: ["consent": ["text_version": "1"]],
        .transactionSigningNativeBiometrics: ["approval_data": ["amount": "'1'"]],
        .transactionSigningOTP: ["approval_data": ["amount": "'1'"]],
        .transactionApprovalOTP: ["approval_data": ["amount": "'1'"]],
        .recoveryCodeAuthentication: ["code": "form.code"],
        .setPassword: ["password": "form.password"],
        .changePassword: ["current_password": "form.old", "new_password": "form.new"],
        .recordConsent: ["text_version": "1", "text": "Yes?"], .createUser: ["username": "'ada'"],
        .lockAuthenticator: ["authenticator": "face"],
        .unlockAuthenticator: ["authenticator": "face"], .information: ["text": "Hello"],
        .waitForTime: ["seconds": 60],
        .callWebhook: ["url": "https://example.org/hook"], .condition: ["expression": "true"],
        .loop: ["max_iterations": 3],
        .setVariables: ["variables": ["a": "1"]],
    ]

    @Test(
        "every type accepts its required settings and rejects a config that lacks one",
        arguments: StepType.allCases)
    func required(type: StepType) throws {
        let config = Self.least[type] ?? [:]
        _ = try JourneyDefinition(Self.step(type.rawValue, .object(config)))
        for setting in type.implementation.settings where setting.isRequired {
            var less = config
            less[setting.name] = nil
            let error = #expect(throws: JourneyDefinitionError.self) {
                try JourneyDefinition(Self.step(type.rawValue, .object(less)))
            }
            #expect(
                error?.path == "steps.s.config.\(setting.name)"
                    && error?.reason == "required but missing")
        }
    }

    /// Returns valid and invalid values for a setting.
    private static func samples(_ kind: Setting.Kind) -> (good: [JSONValue], bad: [JSONValue]) {
        switch kind {
        case .expression, .secret:
            (["a.b", "'x' + 'y'"], [1, "a +", nil, .string(String(repeating: "a", count: 4097))])
        case .template: (["Hi {{a}}", "plain"], [1, "", "{{", "{{a +}}"])
        case .text(let length):
            (
                ["x", .string(String(repeating: "x", count: length))],
                ["", 1, .string(String(repeating: "x", count: length + 1))]
            )
        case .code: (["a_b.c-1"], ["", "A", "a b", .string(String(repeating: "x", count: 65))])
        case .integer(let range):
            (
                [.number(Double(range.lowerBound)), .number(Double(range.upperBound))],
                [
                    .number(Double(range.lowerBound - 1)), .number(Double(range.upperBound + 1)),
                    "1", .number(Double(range.lowerBound) + 0.5),
                ]
            )
        case .flag: ([true, false], [1, "true", nil])
        case .choice(let words): (words.map { .string($0) }, ["nonsense", 1, nil])
        case .variable:
            (
                ["a", "_a1"],
                ["1a", "a-b", "", "user", "in", 1, .string(String(repeating: "x", count: 65))]
            )
        case .expressions(let most):
            (
                [["a": "1"], ["a": "1", "b": "c.d"]],
                [
                    ["a": 1], ["a": "1 +"], ["a b": "1"], "a",
                    .object(Dictionary(uniqueKeysWithValues: (0...most).map { ("a\($0)", "1") })),
                ]
            )
        case .customBranches:
            (
                [
                    [],
                    [
                        [
                            "id": "b", "label": "B",
                            "schema": ["properties": ["x": ["type": "number"]]],
                        ]
                    ],
                ],
                [
                    [["label": "B"]], [["id": "cancel"]], [["id": "b"], ["id": "b"]],
                    [["id": "a b"]], [["id": "b", "kind": "face"]], "b",
                ]
            )
        case .loginBranches:
            (
                [[["id": "face"]], [["id": "b", "kind": "passkey", "label": "B", "schema": [:]]]],
                [
                    [], [["kind": "face"]], [["id": "success"]], [["id": "b", "kind": "nose"]],
                    [["id": "b", "schema": ["properties": ["x": ["type": "text"]]]]],
                ]
            )
        case .consent:
            (
                [["text_version": "1", "given": "a", "earlier": true]],
                [[:], ["text_version": 1], ["text_version": "1", "version": "2"], "1"]
            )
        case .liveness:
            (
                [
                    [:],
                    [
                        "mode": "liveness_passive", "threshold": 0, "quality": 100,
                        "timeout_seconds": 30,
                    ],
                    ["actions": ["turn_left", "blink"], "action_count": 2],
                ],
                [
                    ["mode": "smile"], ["threshold": 101], ["quality": -1], ["timeout_seconds": 1],
                    ["modes": "image"], "image", ["actions": "blink"],
                    ["actions": ["blink", "open_mouth"]], ["actions": ["turn_left"]],
                    ["actions": ["turn_left", "turn_left"]],
                    ["actions": ["turn_left", "smile"]], ["action_count": 1],
                    ["actions": ["turn_left", "blink"], "action_count": 3],
                ]
            )
        case .url:
            (
                ["https://example.org/a?b=c", "http://localhost:1"],
                [
                    "example.org", "ftp://x", "https://", "https://a@b/", "https://a b",
                    "https://x/{{a}}", 1,
                ]
            )
        case .returnAddress:
            (
                ["https://example.org/a?b=c", "com.example.shop://back", "com.example.shop:/back"],
                ["shop://back", "javascript:alert(1)", "com.example.shop", "https://a@b/", 1]
            )
        }
    }

    @Test("every setting accepts exactly the values in its table", arguments: StepType.allCases)
    func settings(type: StepType) throws {
        let least = Self.least[type] ?? [:]
        for setting in type.implementation.settings {
            // These two depend on each other and have their own tests.
            if ["user_identifier", "user_auth_state"].contains(setting.name),
                type.implementation.settings.contains(where: { $0.name == "user_auth_state" })
            {
                continue
            }
            let samples = Self.samples(setting.kind)
            func config(_ value: JSONValue) -> JSONValue {
                Self.step(type.rawValue, .object(least.merging([setting.name: value]) { $1 }))
            }
            for value in samples.good {
                #expect(throws: Never.self, "\(setting.name): \(value)") {
                    try JourneyDefinition(config(value))
                }
            }
            for value in samples.bad {
                let error = #expect(
                    throws: JourneyDefinitionError.self, "\(setting.name): \(value)"
                ) { try JourneyDefinition(config(value)) }
                #expect(
                    error?.path.hasPrefix("steps.s.config.\(setting.name)") ?? false,
                    "\(String(describing: error))")
            }
            if let standard = setting.defaultValue {
                #expect(throws: Never.self) { try JourneyDefinition(config(standard)) }
            }
        }
        let error = #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition(
                Self.step(type.rawValue, .object(least.merging(["nonsense": 1]) { $1 })))
        }
        #expect(error?.path == "steps.s.config.nonsense")
    }

    @Test("user_auth_state and user_identifier")
    func userState() throws {
        func made(_ config: JSONValue) throws -> ActingUser {
            let definition = try JourneyDefinition(Self.step("register_native_biometrics", config))
            return try #require(
                (definition.steps[StepID("s")!]?.step as? RegisterNativeBiometrics)?.change.user)
        }
        #expect(try made([:]).state == .authenticated)
        #expect(try made(["user_auth_state": "established"]).state == .established)
        #expect(try made(["user_identifier": "form.id"]).state == .identifier)
        #expect(
            try made(["user_identifier": "form.id", "user_auth_state": "identifier"]).identifier?
                .source == "form.id")
        for config: JSONValue in [
            ["user_auth_state": "identifier"],
            ["user_auth_state": "authenticated", "user_identifier": "a"],
            ["user_auth_state": "nobody"],
        ] {
            #expect(throws: JourneyDefinitionError.self) { try made(config) }
        }
    }

    @Test(
        "errors name the problem and its path",
        arguments: [
            (["id": "a b"], "id", "expected 1 to 64 of A-Z, a-z, 0-9, “_”, “-” and “.”"),
            (["version": 0], "version", "expected an integer from 1 to 1000000"),
            (["version": "1"], "version", nil),
            (["title": ""], "title", nil),
            (["titel": "x"], "titel", nil),
            (["start": "a b"], "start", "expected 1 to 64 of A-Z, a-z, 0-9, “_” and “-”"),
            (["steps": [:]], "steps", "a journey needs at least one step"),
            (["steps": []], "steps", "expected an object, not a list"),
            (["steps": ["a b": [:]]], "steps.a b", nil),
            (["steps": ["s": [:]]], "steps.s.type", "required but missing"),
            (["steps": ["s": ["type": "loginform"]]], "steps.s.type", nil),
            (["steps": ["s": ["type": "reject_access", "extra": 1]]], "steps.s.extra", nil),
            (
                ["steps": ["s": ["type": "reject_access", "on": ["success": 1]]]],
                "steps.s.on.success", "expected the name of a step"
            ),
            (
                [
                    "steps": [
                        "s": [
                            "type": "information", "config": ["text": "x"],
                            "on": ["next": "s", "success": "s"],
                        ]
                    ]
                ], "steps.s.on.success", nil
            ),
            (
                ["limits": ["max_steps": 1001]], "limits.max_steps",
                "expected an integer from 1 to 1000"
            ),
            (["limits": ["steps": 1]], "limits.steps", nil),
            (["limits": ["lifetime_seconds": 59]], "limits.lifetime_seconds", nil),
            (["requires_user": "yes"], "requires_user", nil),
            (
                ["parameters": ["properties": ["p": ["type": "string", "format": "password"]]]],
                "parameters.properties.p", nil
            ),
            (["parameters": ["required": ["p"]]], "parameters.required[0]", nil),
        ] as [(JSONValue, String, String?)])
    func wrong(change: JSONValue, path: String, reason: String?) throws {
        let base = try #require(Self.step("reject_access").objectValue)
        let changed = base.merging(try #require(change.objectValue)) { $1 }
        let error = try #require(
            #expect(throws: JourneyDefinitionError.self) { try JourneyDefinition(.object(changed)) }
        )
        #expect(error.path == path, "\(error)")
        if let reason { #expect(error.reason == reason) }
    }

    @Test("typos get a suggestion")
    func hints() throws {
        let type = #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition(Self.step("login_from"))
        }
        #expect(
            type?.reason.hasPrefix("unknown step type; did you mean “login_form”?")
                ?? false)
        let setting = #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition(Self.step("loop", ["max_iteration": 1]))
        }
        #expect(
            setting?.description
                == "steps.s.config.max_iteration: unknown setting; did you mean “max_iterations”? (allowed: condition, counter_variable, max_iterations)"
        )
        let choice = #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition(Self.step("selfie_acquisition", ["failure_behavior": "abrt"]))
        }
        #expect(choice?.reason == "expected one of branch, abort; did you mean “abort”?")
    }

    @Test("documents that are too large, too deep, or not JSON are rejected")
    func bytes() throws {
        let good = JSONText.write(Self.step("reject_access"))
        #expect(try JourneyDefinition.parse(Array(good.utf8)).id.text == "j")
        #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition.parse(
                Array((good + String(repeating: " ", count: 256 * 1024)).utf8))
        }
        let error = #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition.parse(Array(good.dropLast().utf8))
        }
        #expect(error?.path == "" && error?.reason.hasPrefix("line 1, column ") ?? false)
        var deep: JSONValue = 1
        for _ in 0..<21 { deep = [deep] }
        #expect(throws: JourneyDefinitionError.self) { try JourneyDefinition(deep) }
        let many = Dictionary(
            uniqueKeysWithValues: (0...500).map {
                ("s\($0)", ["type": "reject_access"] as JSONValue)
            })
        #expect(throws: JourneyDefinitionError.self) {
            try JourneyDefinition([
                "id": "j", "version": 1, "title": "J", "start": "s0", "steps": .object(many),
            ])
        }
    }

    @Test("a damaged definition is read or rejected and never crashes the parser")
    func damage() throws {
        var generator = SmallGenerator(seed: 7)
        for name in ExampleJourneys.names {
            let bytes = try ExampleJourneys.bytes("\(name).json")
            for _ in 0..<300 {
                var damaged = bytes
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(
                    in: 0x20..<0x7f, using: &generator)
                guard let definition = try? JourneyDefinition.parse(damaged) else { continue }
                _ = JourneyLinter.lint(definition)
                _ = JourneyGraph.mermaid(definition)
            }
        }
    }

    @Test("a definition survives a round trip, and so does an alias of an outcome")
    func coding() throws {
        let journey = try ExampleJourneys.journey("sign-up")
        #expect(
            try JSONDecoder().decode(JourneyDefinition.self, from: JSONEncoder().encode(journey))
                == journey)
        #expect(journey.steps[StepID("without_face")!]?.on == [.success: StepID("done")!])
    }

    @Test("valid input is accepted, and every problem of invalid input is reported")
    func input() throws {
        let schema = try InputSchema(
            [
                "properties": [
                    "email": ["format": "email"],
                    "pin": ["format": "password", "minLength": 4, "maxLength": 6],
                    "age": ["type": "number"],
                    "news": ["type": "boolean"], "born": ["format": "date"],
                    "phone": ["format": "phone"], "code": ["format": "code"],
                    "nick": ["format": "username"],
                ], "required": ["email", "pin"],
            ], path: "")
        #expect(
            schema.fields.map(\.name) == [
                "email", "pin", "age", "born", "code", "news", "nick", "phone",
            ])
        let good = schema.validate([
            "email": "a@b.c", "pin": "12345", "age": 3, "news": false, "born": "2024-02-29",
            "phone": "+49 30-123456", "code": "007", "nick": nil,
        ])
        #expect(
            good
                == .success(
                    ValidInput(
                        plain: [
                            "email": "a@b.c", "age": 3, "news": false, "born": "2024-02-29",
                            "phone": "+49 30-123456", "code": "007",
                        ],
                        sensitive: ["pin": Sensitive("12345")])))
        let bad = schema.validate([
            "email": "a@b@c", "pin": "123", "age": "3", "news": 1, "born": "2023-02-29",
            "phone": "12", "code": "1a", "nick": "a\u{7}", "zip": 1,
            "a b": 2,
        ])
        guard case .failure(let error) = bad else {
            Issue.record("\(bad)")
            return
        }
        #expect(
            Set(error.problems.map(\.field)) == [
                "email", "pin", "age", "news", "born", "phone", "code", "nick", "zip", "…",
            ])
        #expect(
            error.problems.first { $0.field == "pin" }?.message == "expected 4 to 6 characters")
        #expect(
            schema.validate(.null)
                == .failure(
                    InvalidInput([
                        FieldProblem(field: "email", message: "required but missing"),
                        FieldProblem(field: "pin", message: "required but missing"),
                    ])))
        for text in ["@b", "a@", "a b@c", "a@b\n", "<a@b>", "a"] {
            guard case .failure = schema.validate(["email": .string(text), "pin": "1234"]) else {
                Issue.record("\(text)")
                return
            }
        }
    }

    @Test(arguments: [
        "123456", "١٢٣ \u{2011}٤٥٦", "１２３４５６", "\u{200F}1 - 2 - 3 - 4 - 5 - 6\u{202C}",
    ])
    func `a code is read as it was typed, and its limits count its digits`(text: String) throws {
        let schema = try InputSchema(
            ["properties": ["code": ["format": "code", "minLength": 6, "maxLength": 6]]], path: "")
        #expect(
            schema.validate(["code": .string(text)])
                == .success(ValidInput(plain: ["code": "123456"])))
        for wrong in ["\(text)7", "12345a", "- - -"] {
            guard case .failure = schema.validate(["code": .string(wrong)]) else {
                Issue.record("\(wrong)")
                return
            }
        }
    }
}
