import Foundation
import MienAPI
import MienClient
import MienCore
import MienFace
import MienJourney
import MienTesting
import Testing

@testable import MienServer
@testable import MienServerFaces

extension LiveCaptureTests {
    /// Runs a server that judges presentation scores, and a registration in which every frame has the
    /// score `attack`.
    private func capture(
        _ mode: PresentationMode, attack: Double?, atMost: Int = 400,
        _ body:
            @Sendable (_ stage: LiveStage, _ detail: JSONValue?, _ metrics: String)
            async throws -> Void
    ) async throws {
        try await TestServer.run(
            in: scratch, settings: Self.live, reader: WordReader(presentation: mode)
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
