import Foundation
import MienCore
import Testing

@testable import MienJourney

@Suite("Steps that restore access")
struct RecoveryStepTests {
    private static func journey(
        _ type: String, _ config: [String: JSONValue] = [:], requiresUser: Bool = true
    ) -> JSONValue {
        [
            "id": "j", "version": 1, "title": "J", "requires_user": .bool(requiresUser),
            "start": "s",
            "steps": [
                "s": [
                    "type": .string(type), "config": .object(config),
                    "on": ["success": "done", "held": "wait", "failure": "no"],
                ],
                "wait": ["type": "reject_access", "config": ["reason": "held"]],
                "done": ["type": "complete_journey"],
                "no": ["type": "reject_access"],
            ],
        ]
    }

    /// Signed in by this run with a code, after an earlier sign-in with a password.
    private static var ada: JourneyUser {
        var proof = JourneyUser.Proof(at: Instant(seconds: 1_700_000_000))
        proof.methods = ["otp"]
        return JourneyUser(id: Made.ada, level: .authenticated, amr: ["pwd", "otp"], proof: proof)
    }

    @Test(
        "recovery is requested with the methods proved in the run, and each answer has its outcome")
    func recovery() throws {
        for (decision, isRecovered) in [(RecoveryDecision.restored, true), (.sufficient, false)] {
            var play = try Play(Self.journey("recover_account"))
            let asked = try play.start(user: Self.ada)
            #expect(
                asked.effect?.work
                    == .recoverAccount(RecoverAccountEffect(user: Made.ada, methods: ["otp"])))
            #expect(throws: JourneyClientError.invalidState) {
                try play.answer(asked, .recovery(Made.bob, decision))
            }
            #expect(throws: JourneyClientError.invalidState) { try play.answer(asked, .done) }
            #expect(
                try play.answer(asked, .recovery(Made.ada, decision)).completion?.user?.isRecovered
                    == isRecovered)
        }
        var held = try Play(Self.journey("recover_account", ["output_variable": "recovery"]))
        let asked = try held.start(user: Self.ada)
        #expect(
            try held.answer(asked, .recovery(Made.ada, .held(until: held.now + .seconds(60))))
                .rejection?.reason == "held")
        var refused = try Play(Self.journey("recover_account"))
        #expect(
            try refused.answer(try refused.start(user: Self.ada), .refused(.limitReached))
                .rejection?.reason == "access_denied")
    }

    @Test("recovery requires a signed-in user, and a recovered run need not request it again")
    func users() throws {
        var nobody = try Play(Self.journey("recover_account", requiresUser: false))
        #expect(try nobody.start().rejection?.reason == "access_denied")
        var established = try Play(Self.journey("recover_account", requiresUser: false))
        #expect(
            try established.start(user: JourneyUser(id: Made.ada, level: .established)).rejection?
                .reason == "access_denied")
        // Only an access token, without proof in this run.
        var old = try Play(Self.journey("recover_account"))
        #expect(
            try old.start(user: JourneyUser(id: Made.ada, level: .authenticated, amr: ["otp"]))
                .rejection?.reason == "access_denied")
        var recovered = try Play(Self.journey("recover_account"))
        let user = JourneyUser(id: Made.ada, level: .authenticated, amr: ["otp"], isRecovered: true)
        #expect(try recovered.start(user: user).completion?.user?.isRecovered == true)
    }

    @Test("a recovery code signs in its owner, restores access, and appears in no stored run")
    func code() throws {
        var play = try Play([
            "id": "j", "version": 1, "title": "J", "start": "form",
            "steps": [
                "form": [
                    "type": "login_form",
                    "config": [
                        "output_variable": "form",
                        "branches": [
                            [
                                "id": "code",
                                "schema": [
                                    "type": "object", "required": ["user", "code"],
                                    "properties": [
                                        "user": ["type": "string"],
                                        "code": ["type": "string", "sensitive": true],
                                    ],
                                ],
                            ]
                        ],
                    ], "on": ["code": "check"],
                ],
                "check": [
                    "type": "recovery_code_authentication",
                    "config": ["user_identifier": "form.user", "code": "form.code"],
                    "on": ["success": "again", "failure": "no"],
                ],
                "again": [
                    "type": "information", "config": ["text": "Hello"], "on": ["success": "done"],
                ],
                "done": ["type": "complete_journey"], "no": ["type": "reject_access"],
            ],
        ])
        _ = try play.start()
        let checking = try play.respond("code", ["user": "ada", "code": "secret-code"])
        #expect(
            checking.effect?.work
                == .authenticateRecoveryCode(
                    AuthenticateRecoveryCodeEffect(
                        user: .identifier(Sensitive("ada")), code: Sensitive("secret-code"))))
        var other = play
        #expect(try other.answer(checking, .refused(.locked)).rejection?.reason == "access_denied")
        _ = try play.answer(checking, .authenticated(Made.ada, amr: ["x_recovery_code"]))
        let stored = try JSONEncoder().encode(play.run)
        #expect(!String(decoding: stored, as: UTF8.self).contains("secret-code"))
        play.run = try JSONDecoder().decode(JourneyInstance.self, from: stored)
        let completion = try #require(try play.respond("client_input").completion)
        #expect(
            completion.signedInUser == Made.ada && completion.user?.isRecovered == true
                && completion.user?.amr == ["x_recovery_code"])
    }
}
