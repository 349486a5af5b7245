import MienPixels
import MienTesting
import Testing

@testable import MienFace

@Suite("Presentation-attack check")
struct PresentationAttackCheckTests {
    private static func face(_ attack: Double?) -> LiveFace {
        let made = FaceReading.made(MadeLook(), index: 0, at: .zero).face!
        return LiveFace(
            box: made.box, mesh: made.mesh, pose: made.pose, eyes: made.eyes, quality: made.quality,
            likeness: made.likeness, patch: nil,
            presentationAttack: attack.map { PresentationAttackScore(attack: $0, limit: 0.6) })
    }

    private static func result(_ attacks: [Double?], threshold: Int = 0) -> LivenessCheckResult? {
        var check = PresentationAttackCheck(limits: LivenessLimits(threshold: threshold))
        for attack in attacks { check.see(face(attack)) }
        return check.result
    }

    @Test("there is no result without a network or with one or two frames")
    func nothing() {
        #expect(
            Self.result([]) == nil && Self.result([nil, nil, nil, nil, nil, nil]) == nil
                && Self.result([1, 1, 1, 1]) == nil)
    }

    @Test("the session's median is compared with the pack's limit")
    func middle() throws {
        let attack = try #require(Self.result([0.1, 0.7, 0.7, 0.7, 0.1])),
            live = try #require(Self.result([0.9, 0.5, 0.5, 0.5, 0.9]))
        #expect(
            attack.refusal == .presentationAttack && attack.check == .presentationAttack
                && attack.measured == 0.7 && attack.limit == 0.6)
        #expect(live.hasPassed && live.measured == 0.5)
    }

    @Test("a higher threshold makes the check stricter, down to half the limit")
    func strictness() throws {
        let attacks: [Double?] = [0.4, 0.4, 0.4, 0.4, 0.4]
        #expect(
            Self.result(attacks)?.hasPassed == true
                && Self.result(attacks, threshold: 100)?.refusal == .presentationAttack)
        #expect(abs(try #require(Self.result(attacks, threshold: 100)?.limit) - 0.3) < 1e-9)
    }

    /// A person whom the network scores as an attack with the given probability.
    private struct Scored: MadeActor {
        var actor = MadePerson()
        let attack: Double

        mutating func reading(asked: LivenessAction?, index: Int, at time: Duration) -> FaceReading
        {
            let reading = actor.reading(asked: asked, index: index, at: time)
            let face = reading.face.map { face in
                LiveFace(
                    box: face.box, mesh: face.mesh, pose: face.pose, eyes: face.eyes,
                    quality: face.quality, likeness: face.likeness,
                    patch: face.patch,
                    texture: face.texture,
                    presentationAttack: PresentationAttackScore(attack: attack, limit: 0.6))
            }
            return FaceReading(
                index: index, frame: reading.frame, contentHash: reading.contentHash,
                faceCount: reading.faceCount, face: face)
        }
    }

    @Test(
        "the check alone refuses a session that all other checks accept",
        arguments: [(0.9, true), (0.2, false)])
    func session(attack: Double, isRefused: Bool) throws {
        let challenge = try LivenessChallenge(steps: [.init(.turnLeft), .init(.blink)])
        let (session, _) = LivenessSession.played(
            Scored(attack: attack), challenge,
            settings: try VerificationSettings(mode: .livenessActive))
        #expect(session.refusals == (isRefused ? [.presentationAttack] : []))
        #expect(
            session.checks.contains { $0.check == .presentationAttack && $0.hasPassed != isRefused }
        )
    }
}
