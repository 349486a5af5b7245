import MienCore
import MienFace
import MienTesting
import Testing

@Suite struct OmittedActionTests {
    /// All sequences that can be drawn.
    private static func sequences(
        omitting omitted: Set<LivenessAction>, count: Int? = nil,
        from actions: [LivenessAction] = LivenessAction.drawable
    ) -> Set<[LivenessAction]> {
        var generator = SeededGenerator(seed: 1)
        return Set(
            (0..<20_000).compactMap { _ in
                LivenessChallenge.drawn(
                    omitting: omitted, count: count, from: actions, using: &generator)?.actions
            })
    }

    @Test(
        "omitted actions are never drawn, a turn always is, and as many sequences remain as documented",
        arguments: [
            ([LivenessAction.blink], 96, 3), ([.turnRight], 60, 3), ([.blink, .lookUp], 120, 4),
            ([.turnLeft, .blink], 96, 4), ([.lookUp, .lookDown], 120, 4),
        ])
    func sequences(omitted: [LivenessAction], sequences: Int, count: Int) {
        let drawn = Self.sequences(omitting: Set(omitted))
        #expect(drawn.count == sequences)
        for actions in drawn {
            #expect(actions.count == count && Set(actions).isDisjoint(with: omitted))
            #expect(actions.contains(.turnLeft) || actions.contains(.turnRight))
        }
    }

    @Test("both turns, or more than two of all actions, cannot be replaced")
    func tooMany() {
        for omitted: Set<LivenessAction> in [
            [.turnLeft, .turnRight], [.blink, .lookUp, .lookDown],
            Set(LivenessAction.drawable),
        ] {
            #expect(LivenessChallenge.remaining(omitting: omitted) == nil)
            #expect(Self.sequences(omitting: omitted).isEmpty)
        }
        let few: [LivenessAction] = [.turnLeft, .blink, .lookUp, .lookDown]
        #expect(Self.sequences(omitting: [.blink], from: few).isEmpty)
    }

    @Test("without an omission among the actions, the draw is the usual one")
    func none() {
        #expect(Self.sequences(omitting: []).count == 172)
        let few: [LivenessAction] = [.turnLeft, .lookUp]
        #expect(Self.sequences(omitting: [.blink], from: few).count == 2)
    }

    @Test("settings accept only omissions that can be replaced, and draw without them")
    func settings() throws {
        #expect(throws: SessionSettingError.self) {
            try VerificationSettings(omittedActions: [.turnLeft, .turnRight])
        }
        #expect(throws: SessionSettingError.self) {
            try EnrollmentSettings(omittedActions: [.turnLeft, .turnRight])
        }
        var generator = SeededGenerator(seed: 1)
        let verification = try VerificationSettings(omittedActions: [.blink]),
            enrollment = try EnrollmentSettings(omittedActions: [.blink])
        for _ in 0..<100 {
            #expect(!verification.challenge(using: &generator).actions.contains(.blink))
            #expect(!enrollment.challenge(using: &generator).actions.contains(.blink))
        }
    }
}
