import MienCore
import Testing

@testable import MienJourney

@Suite("Steps that set a password")
struct PasswordStepTests {
    /// A form with two secrets, then the step.
    private static func journey(_ type: String, _ config: [String: JSONValue]) -> JSONValue {
        let secret: JSONValue = ["type": "string", "sensitive": true]
        return [
            "id": "j", "version": 1, "title": "J", "requires_user": true, "start": "form",
            "steps": [
                "form": [
                    "type": "login_form",
                    "config": [
                        "output_variable": "form",
                        "branches": [
                            [
                                "id": "go",
                                "schema": [
                                    "type": "object", "required": ["old", "new"],
                                    "properties": ["old": secret, "new": secret],
                                ],
                            ]
                        ],
                    ], "on": ["go": "s"],
                ],
                "s": [
                    "type": .string(type), "config": .object(config),
                    "on": ["success": "done", "failure": "no"],
                ],
                "done": ["type": "complete_journey"], "no": ["type": "reject_access"],
            ],
        ]
    }

    private static let change: [String: JSONValue] = [
        "current_password": "form.old", "new_password": "form.new",
        "error_output_variable": "error",
    ]

    private static var ada: JourneyUser {
        JourneyUser(id: Made.ada, level: .authenticated, amr: ["face"])
    }

    private static func asked(_ play: inout Play, user: JourneyUser = ada) throws
        -> JourneyDecision
    {
        _ = try play.start(user: user)
        return try play.respond("go", ["old": "the old secret", "new": "the new secret"])
    }

    @Test("the current password is checked first, and only then the new one is set")
    func order() throws {
        var play = try Play(Self.journey("change_password", Self.change))
        let check = try Self.asked(&play)
        #expect(
            check.effect?.work
                == .authenticatePassword(
                    AuthenticatePasswordEffect(
                        user: .id(Made.ada), password: Sensitive("the old secret"))))
        #expect(throws: JourneyClientError.invalidState) {
            try play.answer(check, .authenticated(Made.bob, amr: ["pwd"]))
        }
        let set = try play.answer(check, .authenticated(Made.ada, amr: ["pwd"]))
        #expect(
            set.effect?.work
                == .setPassword(
                    SetPasswordEffect(user: Made.ada, password: Sensitive("the new secret"))))
        #expect(throws: JourneyClientError.invalidState) {
            try play.answer(set, .passwordSet(Made.bob, epoch: 2))
        }
        let end = try play.answer(set, .passwordSet(Made.ada, epoch: 2))
        #expect(end.completion?.user?.amr == ["face", "pwd"])
    }

    @Test("a wrong current password sets nothing")
    func wrong() throws {
        var play = try Play(Self.journey("change_password", Self.change))
        let check = try Self.asked(&play)
        #expect(
            try play.answer(check, .refused(.invalidCredentials)).rejection != nil)
    }

    @Test("the run's proof moves on to the epoch that the new password starts")
    func epoch() throws {
        var proof = JourneyUser.Proof(at: Instant(seconds: 1_700_000_000))
        (proof.methods, proof.epoch) = (["x_recovery_code"], 6)
        let user = JourneyUser(
            id: Made.ada, level: .authenticated, amr: ["x_recovery_code"], proof: proof,
            isRecovered: true)
        var play = try Play(Self.journey("set_password", ["password": "form.new"]))
        let set = try Self.asked(&play, user: user)
        #expect(
            set.effect?.work
                == .setPassword(
                    SetPasswordEffect(user: Made.ada, password: Sensitive("the new secret"))))
        let end = try play.answer(set, .passwordSet(Made.ada, epoch: 7))
        #expect(end.completion?.user?.proof?.epoch == 7)
        #expect(end.completion?.user?.isRecovered == true)
    }

    @Test(
        "a form that creates an account says so of its name and its password, whatever their names")
    func newAccount() throws {
        let name: JSONValue = ["type": "string", "format": "username"]
        let secret: JSONValue = ["type": "string", "format": "password"]
        for hasPassword in [true, false] {
            var config: [String: JSONValue] = ["username": "form.called"]
            if hasPassword { config["password"] = "form.word" }
            let definition = try JourneyDefinition([
                "id": "j", "version": 1, "title": "J", "start": "form",
                "steps": [
                    "form": [
                        "type": "login_form",
                        "config": [
                            "output_variable": "form",
                            "branches": [
                                [
                                    "id": "go",
                                    "schema": [
                                        "type": "object", "required": ["called", "other", "word"],
                                        "properties": [
                                            "called": name, "other": name, "word": secret,
                                        ],
                                    ],
                                ]
                            ],
                        ], "on": ["go": "s"],
                    ],
                    "s": [
                        "type": "create_user", "config": .object(config),
                        "on": ["success": "done", "failure": "no"],
                    ],
                    "done": ["type": "complete_journey"], "no": ["type": "reject_access"],
                ],
            ])
            let form = try #require(
                definition.steps.values.compactMap { $0.step as? LoginForm }.first)
            let fields = form.branches[0].schema.json["properties"]
            #expect(fields?["called"]?["autocomplete"] == "username")
            #expect(fields?["other"]?["autocomplete"] == nil)
            let isNew = fields?["word"]?["autocomplete"] == "new-password"
            #expect(isNew == hasPassword)
        }
    }

    @Test("a user who is only named cannot set a password")
    func named() throws {
        for (type, config) in [
            ("set_password", ["password": "form.new"]), ("change_password", Self.change),
        ] as [(String, [String: JSONValue])] {
            var value = Self.journey(type, config).objectValue ?? [:]
            value["requires_user"] = false
            var play = try Play(.object(value))
            let end = try Self.asked(
                &play, user: JourneyUser(id: Made.ada, level: .identified))
            #expect(end.rejection != nil, "\(type)")
        }
    }
}
