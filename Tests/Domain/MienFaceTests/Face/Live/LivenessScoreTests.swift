import MienCore
import MienFace
import MienTesting
import Testing

/// The liveness score is a measurement: it decides, together with `livenessThreshold`, what passes.
@Suite("Liveness score")
struct LivenessScoreTests {
    /// A person whose eyes close to a given share of their opening, and who turns obediently.
    private struct Blinker: MadeActor {
        let closed: Double
        private var since: Duration?
        private var last: LivenessAction?

        init(closed: Double) { self.closed = closed }

        mutating func reading(asked: LivenessAction?, index: Int, at time: Duration) -> FaceReading
        {
            if asked != last { (last, since) = (asked, time) }
            var look = MadeLook()
            let elapsed = since.map { time - $0 } ?? .zero
            if asked == .blink, (.milliseconds(300)..<(.milliseconds(500))).contains(elapsed) {
                look.eyes = closed
            }
            return .made(look, index: index, at: time)
        }
    }

    private func play(closing eyes: Double, threshold: Int) throws -> LivenessSession {
        LivenessSession.played(
            Blinker(closed: eyes), .passive,
            settings: try VerificationSettings(
                mode: .livenessPassive, livenessThreshold: threshold)
        ).session
    }

    @Test(
        "half-closed eyes score by how far they close, and pass up to that threshold",
        arguments: [(0.58, 20), (0.55, 50), (0.52, 80), (0.3, 100)])
    func blink(eyes: Double, score: Int) throws {
        // Eyes below 0.6 of their opening count as closed at threshold 0, below 0.5 at 100.
        for threshold in stride(from: 0, through: 100, by: 10) {
            let session = try play(closing: eyes, threshold: threshold)
            if threshold < score {
                #expect(session.refusals == [], "threshold \(threshold)")
                #expect((score - 1...score).contains(session.livenessScore))
            } else if threshold > score {
                #expect(session.refusals?.first == .blinkMissed, "threshold \(threshold)")
                #expect(session.livenessScore < threshold)
            }
        }
    }

    @Test("an accepted session has at least its threshold, and a refused one has less")
    func decides() throws {
        var accepted = 0, refused = 0
        var generator = TestSeed.generator(31)
        for _ in 0..<120 {
            let threshold = Int.random(in: 1...100, using: &generator)
            let session = try play(
                closing: Double.random(in: 0.45...0.65, using: &generator), threshold: threshold)
            if session.refusals == [] {
                accepted += 1
                #expect(session.livenessScore >= threshold)
            } else {
                refused += 1
                #expect(session.livenessScore < threshold)
            }
        }
        #expect(accepted > 20 && refused > 20)
    }

    @Test("the score is 0 until the evidence is there, unlike the progress")
    func running() throws {
        var actor = MadePerson(), asked: LivenessAction?
        var session = LivenessSession(
            challenge: try LivenessChallenge(steps: [.init(.turnLeft), .init(.blink)]),
            settings: try VerificationSettings(mode: .livenessActive))
        for index in 0..<1500 where session.refusals == nil {
            asked =
                session.handle(
                    actor.reading(asked: asked, index: index, at: .milliseconds(40 * index))
                ).action
            // The blink comes last, so there is no evidence before the eyes begin to close.
            if session.refusals == nil, asked != .blink { #expect(session.livenessScore == 0) }
        }
        #expect(session.refusals == [] && session.livenessScore > 0 && session.progress == 100)
    }

    @Test("a refusal for another reason than a measurement scores 0")
    func missed() throws {
        let challenge = try LivenessChallenge(steps: [.init(.turnLeft), .init(.openMouth)])
        let session = LivenessSession.played(
            MadeDisobedient(MadePerson()) { $0 == .openMouth ? .keepStill : $0 }, challenge,
            settings: try VerificationSettings(mode: .livenessActive)
        ).session
        #expect(session.refusals?.first == .actionMissed && session.livenessScore == 0)
        // The depth was measured, and was good.
        #expect(session.checks.first { $0.check == .decision }?.score == 100)
    }

    @Test("a flat picture's depth scores 0")
    func flat() throws {
        let session = LivenessSession.played(
            MadeSheet(.tilted), try LivenessChallenge(steps: [.init(.turnLeft)]),
            settings: try VerificationSettings(mode: .livenessActive)
        ).session
        #expect(session.refusals?.isEmpty == false && session.livenessScore == 0)
    }
}
