import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite("Presentation-attack check")
struct PresentationAttackCheckTests {
    private static func face(_ finding: PresentationAttackScore.Finding?) -> LiveFace {
        let made = FaceReading.made(MadeLook(), index: 0, at: .zero).face!
        return LiveFace(
            box: made.box, mesh: made.mesh, pose: made.pose, eyes: made.eyes, quality: made.quality,
            likeness: made.likeness, patch: nil,
            presentationAttack: finding.map {
                PresentationAttackScore($0, limit: 0.5, strictLimit: 0.3)
            })
    }

    private static func check(
        _ findings: [PresentationAttackScore.Finding?], threshold: Int = 0,
        mode: PresentationMode = .require
    ) -> PresentationAttackCheck {
        var check = PresentationAttackCheck(
            limits: LivenessLimits(threshold: threshold, presentation: mode))
        for finding in findings { check.see(face(finding)) }
        return check
    }

    private static func ten(_ attack: Double) -> [PresentationAttackScore.Finding?] {
        Array(repeating: .attack(attack), count: 10)
    }

    @Test("nine frames are too few, and frames behind a closed gate do not count")
    func few() {
        let nine = Self.check(Array(Self.ten(0.1).dropLast()) + [.closed(.context), nil])
        #expect(nine.wantsMore && nine.result?.refusal == .badQuality && nine.result?.frames == 9)
        let observed = Self.check(Array(Self.ten(0.1).dropLast()), mode: .observe)
        #expect(!observed.wantsMore && observed.result == nil)
        let ten = Self.check(Self.ten(0.1))
        #expect(!ten.wantsMore && ten.result?.hasPassed == true && ten.result?.frames == 10)
    }

    @Test("the session's median counts, in the pack's steps")
    func middle() throws {
        let low = PresentationAttackScore.Finding.attack(0.1), high = .attack(0.9) as Self.Finding
        let attack = Self.check([low, low, low, low] + Array(Self.ten(0.7).prefix(7))),
            live = Self.check([high, high, high, high] + Array(Self.ten(0.3).prefix(7)))
        let result = try #require(attack.result)
        #expect(
            result.check == .presentationAttack && result.measured == 0.7 && result.frames == 11)
        // The limit is 0.5, the strict limit 0.3.
        #expect(abs(try #require(attack.cues[.network]) - 1) < 1e-9)
        #expect(abs(try #require(live.cues[.network]) + 1) < 1e-9)
        #expect(try #require(Self.check(Self.ten(0.5)).cues[.network]) == 0)
        for certain in [0.0, 1] {
            #expect(try #require(Self.check(Self.ten(certain)).cues[.network]).isFinite)
        }
    }

    private typealias Finding = PresentationAttackScore.Finding

    @Test("too few frames, and a check that is off, have no part in the decision")
    func silent() {
        #expect(Self.check(Array(Self.ten(0.9).dropLast())).cues.isEmpty)
        let off = Self.check(Self.ten(0.9), mode: .off)
        #expect(off.cues.isEmpty && off.result == nil)
        #expect(Self.check(Self.ten(0.9), mode: .observe).isObserved)
    }

    @Test("a closed gate tells the person what to do, where the check is required")
    func gates() {
        let check = Self.check([])
        #expect(check.objection(to: Self.face(.closed(.context))) == .faceTooClose)
        #expect(check.objection(to: Self.face(.closed(.light))) == .tooDark)
        #expect(check.objection(to: Self.face(.closed(.confidence))) == .faceNotFound)
        #expect(check.objection(to: Self.face(.attack(0.9))) == nil)
        #expect(
            Self.check([], mode: .observe).objection(to: Self.face(.closed(.context))) == nil)
    }

    @Test(
        "gates are open from their limits on",
        arguments: [
            (2.0, 0.51, 50.0, nil), (1.99, 0.9, 100, .context), (3, 0.5, 100, .confidence),
            (3, 0.9, 49.9, .light), (.nan, 0.9, 100, .context), (3, .nan, 100, .confidence),
            (3, 0.9, .nan, .light),
        ] as [(Double, Double, Double, PresentationGate?)])
    func limits(context: Double, presence: Double, brightness: Double, gate: PresentationGate?) {
        #expect(
            PresentationGate.closed(
                context: context, minContext: 2, presence: presence, brightness: brightness)
                == gate)
    }

    @Test("a dark picture is brightened, a bright one is not changed")
    func brightened() {
        let picture = RGBImage(width: 2, height: 2, filledWith: RGBColor(50, 100, 200))
        #expect(picture.brightened(by: 2)[1, 1] == RGBColor(100, 200, 255))
        for factor in [1, 0.5, .infinity, .nan] {
            #expect(picture.brightened(by: factor) == picture)
        }
    }

    /// Sequences of twelve frames of three kinds, against a plain restatement of the rule.
    @Test("every mixture of frames counts by the median of those behind open gates")
    func mixtures() {
        for attacks in 0...12 {
            for genuine in 0...(12 - attacks) {
                let closed = 12 - attacks - genuine
                let findings: [Finding?] =
                    Array(repeating: .attack(0.9), count: attacks)
                    + Array(repeating: .closed(.light), count: closed)
                    + Array(repeating: .attack(0.1), count: genuine)
                let check = Self.check(findings), judged = attacks + genuine
                #expect((check.result?.refusal == .badQuality) == (judged < 10))
                guard judged >= 10 else { continue }
                #expect(
                    LivenessDecision(check.cues).refusal(over: 0)
                        == (genuine > judged / 2 ? nil : .network), "\(attacks) \(genuine)")
            }
        }
    }

    /// A person whom the network scores as an attack with the given probability.
    private struct Scored: MadeActor {
        var actor = MadePerson()
        let attack: Double
        /// The first frame with open gates.
        var closedUntil = 0

        mutating func reading(asked: LivenessAction?, index: Int, at time: Duration) -> FaceReading
        {
            let reading = actor.reading(asked: asked, index: index, at: time)
            let face = reading.face.map { face in
                LiveFace(
                    box: face.box, mesh: face.mesh, pose: face.pose, eyes: face.eyes,
                    quality: face.quality, likeness: face.likeness,
                    patch: face.patch,
                    texture: face.texture,
                    presentationAttack: PresentationAttackScore(
                        index < closedUntil ? .closed(.context) : .attack(attack), limit: 0.6))
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
            settings: try VerificationSettings(
                mode: .livenessActive, presentation: .require))
        #expect(session.refusals == (isRefused ? [.presentationAttack] : []))
        #expect(
            session.checks.contains { $0.check == .presentationAttack && $0.hasPassed != isRefused }
        )
    }

    @Test("the still phase waits for ten judged frames, and the person is told to move back")
    func waits() throws {
        let challenge = try LivenessChallenge(steps: [.init(.turnLeft), .init(.blink)])
        var session = LivenessSession(
            challenge: challenge,
            settings: try VerificationSettings(mode: .livenessActive, presentation: .require))
        var person = Scored(attack: 0.1, closedUntil: 30), best: Int?
        for index in 0..<60 where best == nil {
            // Five frames a second: the time is up before ten frames were seen.
            let step = session.handle(
                person.reading(
                    asked: .keepStill, index: index, at: .milliseconds(200 * index)))
            #expect((step.guidance == .faceTooClose) == (index < 30), "\(index)")
            if step.isBestFrame { best = index }
        }
        #expect(best == 39)
    }

    @Test("a session of which the network judged no frame never passes where it is required")
    func closed() throws {
        let challenge = try LivenessChallenge(steps: [.init(.turnLeft), .init(.blink)])
        for mode in [PresentationMode.require, .observe] {
            let (session, _) = LivenessSession.played(
                Scored(attack: 0.1, closedUntil: .max), challenge,
                settings: try VerificationSettings(mode: .livenessActive, presentation: mode))
            #expect(session.refusals == (mode == .require ? nil : []))
        }
    }

    @Test("observed attacks do not change the verdict of a session")
    func observed() throws {
        let challenge = try LivenessChallenge(steps: [.init(.turnLeft), .init(.blink)])
        let (session, _) = LivenessSession.played(
            Scored(attack: 0.9), challenge,
            settings: try VerificationSettings(mode: .livenessActive, presentation: .observe))
        #expect(session.refusals == [])
        #expect(session.checks.contains { $0.observed == .presentationAttack })
    }
}
