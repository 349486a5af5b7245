import MienFace
import MienTesting
import Testing

/// Attackers and a person, made of numbers, at default settings in active mode: many challenges,
/// drawn as they are for people.
@Suite("Attacks on made-up heads")
struct AttackTests {
    private static let settings = try! VerificationSettings(mode: .livenessActive)
    private static let challenges: [LivenessChallenge] = {
        var generator = TestSeed.generator(4)
        return (0..<60).map { _ in LivenessChallenge.drawn(using: &generator) }
    }()

    private static let others: [LivenessAction: LivenessAction] = [
        .turnLeft: .turnRight, .turnRight: .lookUp, .lookUp: .lookDown, .lookDown: .turnLeft,
        .blink: .turnLeft, .openMouth: .turnRight,
        .comeCloser: .turnLeft,
    ]

    private func verdict(_ actor: some MadeActor, _ challenge: LivenessChallenge)
        -> [SessionRefusal]?
    {
        LivenessSession.played(actor, challenge, settings: Self.settings).session.refusals
    }

    @Test("a person who does what is asked passes, whatever is drawn")
    func genuine() {
        for challenge in Self.challenges {
            let session = LivenessSession.played(MadePerson(), challenge, settings: Self.settings)
                .session
            #expect(session.refusals == [], "\(challenge.actions)")
            #expect(session.checks.allSatisfy { $0.hasPassed })
        }
    }

    @Test(
        "a photo is refused, whatever is done with it and whatever is drawn",
        arguments: FlatPhoto.Skill.allCases)
    func photo(skill: FlatPhoto.Skill) throws {
        for challenge in Self.challenges {
            let refusals = try #require(
                verdict(MadeSheet(skill), challenge), "\(challenge.actions): never ended")
            #expect(!refusals.isEmpty, "\(challenge.actions)")
            if skill == .still { #expect(refusals.first == .repeatedFrames) }
        }
    }

    @Test(
        "somebody else in the first one's place is refused, whatever is drawn, when an instruction has come"
    )
    func splice() {
        for challenge in Self.challenges {
            let actor = MadeSplice(MadePerson(0), MadePerson(1)) { asked, time in
                asked != nil && asked != .keepStill && time > .seconds(1)
            }
            #expect(verdict(actor, challenge)?.first == .faceChanged, "\(challenge.actions)")
        }
    }

    /// The first one's picture as long as nothing is asked; for what is asked, at once, somebody
    /// else's own head.
    private struct StandIn: MadeActor {
        private var asked: LivenessAction?, since = Duration.zero

        mutating func reading(asked now: LivenessAction?, index: Int, at time: Duration)
            -> FaceReading
        {
            if now != asked { (asked, since) = (now, time) }
            guard let asked, asked != .keepStill, time - since >= .milliseconds(300) else {
                return .made(MadeLook(), index: index, at: time)
            }
            var look = MadeLook(person: 1)
            switch asked {
            case .keepStill: break
            case .turnLeft: look.yaw = 42
            case .turnRight: look.yaw = -42
            case .lookUp: look.pitch = 30
            case .lookDown: look.pitch = -30
            case .blink: look.eyes = 0.2
            case .openMouth: look.mouth = 0.6
            case .comeCloser: look.zoom = 1.3
            }
            return .made(look, index: index, at: time)
        }
    }

    @Test(
        "few frames a second leave no room between two for somebody else",
        arguments: [3, 5, 6, 7, 25])
    func standIn(framesPerSecond: Int) {
        for challenge in Self.challenges {
            let session = LivenessSession.played(
                StandIn(), challenge, settings: Self.settings, framesPerSecond: framesPerSecond
            ).session
            #expect(
                session.refusals?.contains(.faceChanged) == true,
                "\(challenge.actions): \(String(describing: session.refusals))")
        }
    }

    @Test("a recording of what passed passes for no challenge that asks for something else")
    func replay() throws {
        var tried = 0
        for (recorded, asked) in zip(Self.challenges, Self.challenges.dropFirst())
        where !asked.actions.isSubsequence(of: recorded.actions) {
            let played = LivenessSession.played(MadePerson(), recorded, settings: Self.settings)
            #expect(played.session.refusals == [])
            #expect(
                verdict(MadeRecording(played.readings), asked)?.isEmpty == false,
                "\(recorded.actions) for \(asked.actions)")
            tried += 1
        }
        #expect(tried > 40)
    }

    @Test("a recording of the same actions passes at most when their pauses suit it")
    func replayOfTheSame() throws {
        let actions: [LivenessAction] = [.turnLeft, .blink]
        func challenge(_ first: Int, _ second: Int) throws -> LivenessChallenge {
            try LivenessChallenge(
                steps: zip(actions, [first, second]).map { .init($0, pauseMilliseconds: $1) })
        }
        let played = LivenessSession.played(
            MadePerson(), try challenge(300, 300), settings: Self.settings)
        let recording = MadeRecording(played.readings)
        // It moves before it is asked to.
        #expect(verdict(recording, try challenge(1500, 300))?.first == .actionOutOfOrder)
        // What this cannot see: a recording that happens to be right.
        #expect(verdict(recording, try challenge(300, 300)) == [])
    }

    /// An action beside the one that is asked for is a fault only where it could be taken for it:
    /// people blink and open their mouths.
    @Test(
        "what this cannot see: a recording with more in it than was asked for, in the right order")
    func replayOfMore() throws {
        let recorded = try LivenessChallenge(
            steps: [.lookDown, .blink, .turnRight].map { .init($0, pauseMilliseconds: 500) })
        let asked = try LivenessChallenge(
            steps: [.lookDown, .turnRight].map { .init($0, pauseMilliseconds: 500) })
        let played = LivenessSession.played(MadePerson(), recorded, settings: Self.settings)
        #expect(verdict(MadeRecording(played.readings), asked) == [])
    }

    @Test("who does something else than what is asked is refused")
    func disobedient() {
        for challenge in Self.challenges {
            let actor = MadeDisobedient(MadePerson()) { Self.others[$0] ?? $0 }
            #expect(verdict(actor, challenge)?.isEmpty == false, "\(challenge.actions)")
        }
    }

    @Test("the same actions in another order are refused")
    func order() throws {
        for challenge in Self.challenges {
            let reversed = try LivenessChallenge(steps: challenge.steps.reversed())
            let played = LivenessSession.played(MadePerson(), reversed, settings: Self.settings)
            #expect(
                verdict(MadeRecording(played.readings), challenge)?.isEmpty == false,
                "\(challenge.actions)")
        }
    }

    @Test("a sheet of paper is seen where it was looked up")
    func plane() {
        // Of the attackers' own geometry: both ways round, flat and bent.
        for radius in [Double.infinity, 120] {
            for (yaw, pitch) in [(0.0, 0.0), (40, 0), (-50, 0), (0, 35), (30, -20)] {
                let error = MadeSheet.roundTripError(yaw: yaw, pitch: pitch, radius: radius)
                #expect(error < 1e-6, "\(yaw)°, \(pitch)°, radius \(radius)")
            }
        }
    }
}

extension [LivenessAction] {
    /// All of them are in `other`, in this order.
    fileprivate func isSubsequence(of other: Self) -> Bool {
        var rest = other[...]
        return allSatisfy { action in
            guard let i = rest.firstIndex(of: action) else { return false }
            rest = rest[(i + 1)...]
            return true
        }
    }
}
