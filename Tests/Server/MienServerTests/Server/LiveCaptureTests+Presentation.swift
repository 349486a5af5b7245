import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienJourney
import MienTesting
import Testing

@testable import MienServer

extension LiveCaptureTests {
    /// Runs a server that judges presentation scores, and a registration in which every frame has the
    /// score `attack`.
    private func capture(
        _ mode: PresentationMode, attack: Double?, atMost: Int = 400,
        _ settings: [String: String] = [:],
        _ body:
            @Sendable (_ stage: LiveStage, _ detail: JSONValue?, _ metrics: String)
            async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: scratch, settings: Self.live.merging(settings) { $1 },
            reader: WordReader(presentation: mode)
        ) { server in
            try await server.makeUser()
            // Of a user who signed in, so that the audit log has every measurement.
            let journey = try await server.client().start("face-registration")
            try await journey.respond(
                "password", ["username": "ada", "password": "a password nobody has"])
            let step = try await journey.respond(.clientInput)
            var stage = try await LiveStage(server, try #require(step.startToken))
            try await stage.play(atMost: atMost) { asked, since, words in
                LiveStage.obey(asked, since, &words)
                words.attack = attack
            }
            let entry = try await server.admin.audit().items.last {
                $0.event.hasPrefix("capture.")
            }
            let metrics = String(
                decoding: try await AsyncHTTPTransport().send(
                    .init(method: .get, url: server.url("/metrics"))
                ).body, as: UTF8.self)
            try await body(stage, entry.map { .object($0.detail) }, metrics)
        }
    }

    @Test("a required presentation check refuses an attack that passes every other check")
    func presentationAttack() async throws {
        try await capture(.require, attack: 0.9) { stage, detail, metrics in
            #expect(!stage.answer.hasPassed)
            #expect(stage.answer.reasons?.map(\.rawValue) == ["presentation_attack"])
            #expect(detail?["measured"]?["presentation_attack"] == .number(0.9))
            #expect((detail?["judged"]?["presentation_attack"]?.numberValue ?? 0) >= 10)
            #expect(
                metrics.contains(
                    #"mien_presentation_checks_total{mode="require",result="refused"} 1"#))
        }
    }

    @Test("a required presentation check accepts a face")
    func presentedFace() async throws {
        try await capture(.require, attack: 0.1) { stage, detail, metrics in
            #expect(stage.answer.hasPassed, "\(stage.answer)")
            #expect(detail?["measured"]?["presentation_attack"] == .number(0.1))
            #expect(detail?["observed"] == nil)
            #expect(
                metrics.contains(
                    #"mien_presentation_checks_total{mode="require",result="passed"} 1"#))
        }
    }

    @Test("an observed presentation check refuses nobody, and says whom it would refuse")
    func observedPresentation() async throws {
        try await capture(.observe, attack: 0.9) { stage, detail, metrics in
            #expect(stage.answer.hasPassed, "\(stage.answer)")
            #expect(detail?["observed"] == .array([.string("presentation_attack")]))
            #expect(
                metrics.contains(
                    #"mien_presentation_checks_total{mode="observe",result="refused"} 1"#))
        }
    }

    @Test(
        "while no frame can be judged, a capture does not go on, and the person is told why",
        arguments: [2.0, nil])
    func unjudgedPresentation(attack: Double?) async throws {
        try await capture(.require, attack: attack, atMost: 100) { stage, _, _ in
            #expect(stage.answer.isOpen && stage.answer.action == .known(.keepStill))
            #expect(
                stage.answer.guidance.map(\.rawValue)
                    == [attack == nil ? "keep_still" : "face_too_close"])
        }
    }

    @Test(
        "a second policy of the check judges live captures and decides nothing",
        .enabled(
            if: Installed.hasPresentationNetworks, "needs networks against prints and screens"),
        arguments: [
            (PresentationMode.off, 0.9 as Double?, "require", "0.5", "accepted", "refused"),
            (.off, 0.1, "require", "0.5", "accepted", "accepted"),
            (.observe, 0.4, "require", "0.7", "accepted", "refused"),
            (.observe, nil, "require", "0.5", "accepted", "unjudged"),
            (.require, 0.4, "require", "0.7", "accepted", "refused"),
            (.require, 0.4, "require", "0.5", "accepted", "accepted"),
            (.require, 0.9, "observe", "0.5", "refused", "accepted"),
            (.require, 0.9, "require", "0.05", "refused", "accepted"),
        ] as [(PresentationMode, Double?, String, String, String, String)])
    func shadow(
        mode: PresentationMode, attack: Double?, policy: String, threshold: String, active: String,
        shadow: String
    ) async throws {
        try await capture(
            mode, attack: attack,
            [
                "MIEN_FACE_SHADOW_PRESENTATION": policy,
                "MIEN_FACE_SHADOW_PRESENTATION_THRESHOLD": threshold,
            ]
        ) { stage, _, metrics in
            #expect(stage.answer.hasPassed == (active == "accepted"))
            let lines = metrics.split(separator: "\n").filter {
                $0.hasPrefix("mien_face_shadow_decisions_total{")
            }
            #expect(
                lines == [
                    "mien_face_shadow_decisions_total{policy=\"presentation\",app=\"default_application\",camera=\"other\",active=\"\(active)\",shadow=\"\(shadow)\"} 1"
                ])
            #expect(
                metrics.contains("mien_presentation_checks_total{") == (mode != .off),
                "a check that is off is not counted as if it were on")
        }
    }

    @Test("a second policy judges only its own check")
    func shadowDecisions() {
        func check(_ measured: Double?) -> [LivenessCheckResult] {
            [LivenessCheckResult(.presentationAttack, refusal: nil, measured: measured)]
        }
        let strict = ShadowPresentation(mode: .require, threshold: 0.7)
        #expect(strict.decision(about: check(0.29), refusals: []) == .accepted)
        #expect(strict.decision(about: check(0.31), refusals: []) == .refused)
        #expect(strict.decision(about: check(nil), refusals: []) == .unjudged)
        #expect(strict.decision(about: [], refusals: []) == .unjudged)
        #expect(
            strict.decision(about: check(0.1), refusals: ["presentation_attack"]) == .accepted)
        for policy in [strict, ShadowPresentation(mode: .observe, threshold: 0.5)] {
            #expect(
                policy.decision(about: check(0.1), refusals: ["blink_missed"]) == .refused,
                "other checks stand")
        }
        #expect(
            ShadowPresentation(mode: .observe, threshold: 0.5).decision(
                about: check(0.9), refusals: ["presentation_attack"]) == .accepted)
    }

    @Test("only a required presentation check lets a sign-in be passive")
    func passiveSignIn() {
        func mode(
            _ asked: LivenessPolicy.Mode, _ purpose: CaptureRequest.Purpose,
            _ presentation: PresentationMode
        ) -> LivenessPolicy.Mode {
            LivenessRules(
                server: LivenessPolicy(mode: .livenessActive), app: LivenessPolicy(mode: asked)
            ).raised(for: purpose, presentation: presentation).mode
        }
        for presentation in PresentationMode.allCases {
            #expect(
                mode(.livenessPassive, .authentication, presentation)
                    == (presentation == .require ? .livenessPassive : .livenessActive))
            #expect(mode(.livenessPassive, .registration, presentation) == .livenessPassive)
            for purpose in CaptureRequest.Purpose.allCases {
                #expect(mode(.image, purpose, presentation) == .image)
                #expect(mode(.livenessActive, purpose, presentation) == .livenessActive)
            }
        }
    }
}
