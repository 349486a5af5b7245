import MienCore
import MienFace
import MienTesting
import Synchronization
import Testing

private let capture = CaptureID("cap_test")!

/// A pipeline that follows a script, frame by frame. After its end, it repeats the last look.
private struct ScriptedReader: LiveFaceReader {
    let looks: [MadeLook?]

    func reading(of frame: Frame, index: Int) async throws -> FaceReading {
        .made(looks[min(index, looks.count - 1)], index: index, at: frame.time)
    }

    func entry(of reading: FaceReading) async throws -> FaceTemplate.Entry {
        try FaceTemplate.Entry(descriptor: FaceDescriptor([1, 0]), quality: 80, pose: .frontal)
    }
}

private func frames(_ count: Int, interval: Duration = .milliseconds(40)) -> FrameArray {
    FrameArray(
        (0..<count).map {
            Frame(image: RGBImage(width: 1, height: 1, filledWith: .black), time: interval * $0)
        })
}

@Suite("Face verifier")
struct FaceVerifierTests {
    private let image = try! VerificationSettings(mode: .image)

    @Test(
        "one good picture is compared, and a score at the threshold passes",
        arguments: [(47.9, false), (48, true), (72, true)])
    func score(score: Double, passes: Bool) async throws {
        let verifier = FaceVerifier(
            reader: ScriptedReader(looks: [nil, MadeLook(quality: 10), MadeLook()]), settings: image
        ) { _ in MatchScore(score)
        }
        let verdict = try await verifier.verdict(of: frames(10), capture: capture)
        #expect(verdict.isAccepted == passes)
        #expect(verdict.refusals == (passes ? [] : [.noMatch]))
        #expect(verdict.capture == capture)
        if case .accepted(let live, let told) = verdict.outcome {
            #expect(live.id == capture && live.frameIndex == 2 && told == MatchScore(score))
        }
    }

    @Test(
        "an ended source, a timeout, and bad pictures are refusals, not errors"
    )
    func refusals() async throws {
        func verdict(_ looks: [MadeLook?], _ count: Int) async throws -> VerificationVerdict {
            try await FaceVerifier(reader: ScriptedReader(looks: looks), settings: image) { _ in
                MatchScore(72)
            }.verdict(
                of: frames(count), capture: capture)
        }
        #expect(try await verdict([nil], 5).refusals == [.sourceEnded])
        #expect(try await verdict([nil], 1000).refusals == [.timedOut])
        #expect(
            try await verdict([MadeLook(quality: 10)], 1000).refusals == [.timedOut, .badQuality])
    }

    @Test("the compared frame comes from the still phase before the blink")
    func passive() async throws {
        var looks = [MadeLook?](repeating: MadeLook(), count: 40)
        looks += [MadeLook(eyes: 0.2), MadeLook(eyes: 0.2), MadeLook(eyes: 0.2), MadeLook()]
        let events = Mutex<[FrameEvent]>([])
        let verifier = FaceVerifier(reader: ScriptedReader(looks: looks)) { _ in MatchScore(60) }
        let verdict = try await verifier.verdict(of: frames(200), capture: capture) { event in
            events.withLock { $0.append(event) }
        }
        #expect(verdict.isAccepted)
        guard case .accepted(let live, _) = verdict.outcome else { return }
        #expect(live.frameIndex == 25)
        let seen = events.withLock { $0 }
        #expect(seen.map(\.index) == Array(0..<seen.count))
        #expect(seen.contains { $0.action == .blink } && seen.first?.action == .keepStill)
        #expect(seen.last?.status == .finished && seen.count == 44)
        #expect(seen[26].lastExtraction == .success)
    }

    @Test("a live stranger is refused at the end")
    func stranger() async throws {
        let looks =
            [MadeLook?](repeating: MadeLook(), count: 40) + [
                MadeLook(eyes: 0.2), MadeLook(eyes: 0.2), MadeLook(),
            ]
        let verifier = FaceVerifier(reader: ScriptedReader(looks: looks)) { _ in MatchScore(12) }
        let verdict = try await verifier.verdict(of: frames(200), capture: capture)
        #expect(verdict.refusals == [.noMatch])
        #expect(verdict.checks.allSatisfy { $0.hasPassed })
    }

    @Test("a session without a challenge requests no action")
    func challenge() throws {
        let settings = try VerificationSettings(mode: .livenessActive)
        #expect(throws: SessionSettingError.self) {
            try FaceVerification(capture: capture, settings: settings)
        }
        _ = try FaceVerification(capture: capture, settings: settings, challenge: .passive)
    }

    @Test("a canceled task ends the session as canceled and releases everything")
    func cancel() async throws {
        final class Held: Sendable {}
        weak var leaked: Held?
        do {
            let held = Held()
            leaked = held
            let source = PushedFrames()
            let verifier = FaceVerifier(reader: ScriptedReader(looks: [MadeLook()])) { _ in
                _ = held
                return MatchScore(72)
            }
            let task = Task { try await verifier.verdict(of: source, capture: capture) }
            source.push(
                Frame(image: RGBImage(width: 1, height: 1, filledWith: .black), time: .zero))
            task.cancel()
            #expect(try await task.value.refusals == [.cancelled])
        }
        #expect(leaked == nil)
    }

    @Test("a source failure is an error with its code")
    func broken() async throws {
        let source = PushedFrames()
        source.fail(FrameSourceError(.stalled, "no frame for 5 s"))
        let verifier = FaceVerifier(reader: ScriptedReader(looks: [nil])) { _ in MatchScore(72) }
        await #expect(throws: FrameSourceError(.stalled, "")) {
            try await verifier.verdict(of: source, capture: capture)
        }
    }

    @Test("the verdict comes once, last, and the sequence ends")
    func once() async throws {
        let verifier = FaceVerifier(reader: ScriptedReader(looks: [MadeLook()]), settings: image) {
            _ in MatchScore(72)
        }
        var kinds: [String] = []
        for try await update in try verifier.updates(of: frames(10), capture: capture) {
            switch update {
            case .frame: kinds.append("frame")
            case .verdict: kinds.append("verdict")
            }
        }
        #expect(kinds == ["frame", "verdict"])
    }
}

@Suite("Face enroller")
struct FaceEnrollerTests {
    private func verdict(
        _ looks: [MadeLook?], _ settings: EnrollmentSettings, count: Int = 700,
        accepts: @escaping @Sendable (FrameEvent) -> Bool = { _ in true }
    ) async throws -> EnrollmentVerdict {
        try await FaceEnroller(
            reader: ScriptedReader(looks: looks), settings: settings, accepts: { accepts($0) }
        ).verdict(
            of: frames(count), capture: capture)
    }

    @Test("simple mode takes the set number of frames after the countdown, spaced apart")
    func simple() async throws {
        let result = try await verdict([MadeLook()], .standard)
        guard case .captured(let captures) = result.outcome else {
            Issue.record("refused: \(result.refusals)")
            return
        }
        #expect(captures.map(\.frameIndex) == [125, 130, 135, 140])
        let template = try #require(
            try result.template(packID: PackID("test-1"), createdAt: Instant(milliseconds: 0)))
        #expect(template.entries.count == 4)
    }

    @Test("full mode requires the front, right, left, bottom, and top")
    func full() async throws {
        let settings = try EnrollmentSettings(
            views: .full, countdownToCapture: .zero, framesToEnroll: 1, timeout: .seconds(4))
        let sides = [
            MadeLook(), MadeLook(yaw: -25), MadeLook(yaw: 25), MadeLook(pitch: -20),
            MadeLook(pitch: 20),
        ]
        let looks = sides.flatMap { [MadeLook?](repeating: $0, count: 6) }
        #expect(try await verdict(looks, settings).isCaptured)
        for missing in sides.indices.dropLast() {
            var some = sides
            some.remove(at: missing)
            let looks = some.flatMap { [MadeLook?](repeating: $0, count: 6) }
            #expect(
                try await verdict(looks, settings).refusals == [.timedOut],
                "without side \(missing)")
        }
    }

    @Test("the app may reject any frame")
    func veto() async throws {
        let settings = try EnrollmentSettings(
            countdownToCapture: .zero, framesToEnroll: 2, timeout: .seconds(2))
        let result = try await verdict([MadeLook()], settings) { $0.index >= 10 }
        guard case .captured(let captures) = result.outcome else {
            Issue.record("refused: \(result.refusals)")
            return
        }
        #expect(captures.map(\.frameIndex) == [10, 15])
        #expect(try await verdict([MadeLook()], settings) { _ in false }.refusals == [.timedOut])
    }

    @Test("two people cannot be enrolled as one")
    func two() async throws {
        let settings = try EnrollmentSettings(countdownToCapture: .zero, framesToEnroll: 2)
        #expect(
            try await verdict([MadeLook(), MadeLook(person: 1)], settings).refusals == [
                .faceChanged
            ])
    }

    @Test("the liveness session comes first")
    func live() async throws {
        let settings = try EnrollmentSettings(
            mode: .livenessPassive, countdownToCapture: .zero, framesToEnroll: 1)
        let looks =
            [MadeLook?](repeating: MadeLook(), count: 40) + [
                MadeLook(eyes: 0.2), MadeLook(eyes: 0.2), MadeLook(),
            ]
        #expect(try await verdict(looks, settings).isCaptured)
        #expect(try await verdict([MadeLook()], settings).refusals.first == .blinkMissed)
    }
}

@Suite("Session settings")
struct SessionSettingsTests {
    @Test("defaults match the guide")
    func defaults() {
        let e = EnrollmentSettings.standard, v = VerificationSettings.standard
        #expect((e.mode, e.livenessThreshold, e.qualityThreshold) == (.image, 0, 48))
        #expect((e.countdownToCapture, e.framesToEnroll) == (.seconds(5), 4))
        #expect((v.mode, v.livenessThreshold, v.qualityThreshold) == (.livenessPassive, 0, 48))
        #expect((v.blinkTimeout, v.matchingThreshold) == (.seconds(5), MatchScore(48)))
    }

    @Test("a value out of range is rejected with the setting's name")
    func ranges() {
        #expect(throws: SessionSettingError(setting: "livenessThreshold", allowed: "0...100")) {
            try VerificationSettings(livenessThreshold: 101)
        }
        #expect(throws: SessionSettingError(setting: "qualityThreshold", allowed: "0...100")) {
            try EnrollmentSettings(qualityThreshold: -1)
        }
        #expect(
            throws: SessionSettingError(
                setting: "livenessBlinkTimeout", allowed: "0...30000 milliseconds")
        ) {
            try VerificationSettings(blinkTimeout: .seconds(31))
        }
        #expect(
            throws: SessionSettingError(setting: "framesToEnroll", allowed: "1...8 in simple mode")
        ) { try EnrollmentSettings(framesToEnroll: 9) }
        #expect(
            throws: SessionSettingError(setting: "framesToEnroll", allowed: "1...4 in full mode")
        ) {
            try EnrollmentSettings(views: .full, framesToEnroll: 5)
        }
    }
}

@Suite("Liveness challenge")
struct LivenessChallengeTests {
    @Test("drawing covers every sequence of two or three different actions with a turn")
    func drawn() {
        var generator = TestSeed.generator(77)
        var seen: Set<[LivenessAction]> = []
        for _ in 0..<6000 {
            let challenge = LivenessChallenge.drawn(using: &generator)
            let actions = challenge.actions
            #expect((2...3).contains(actions.count) && Set(actions).count == actions.count)
            #expect(actions.contains(.turnLeft) || actions.contains(.turnRight))
            #expect(challenge.steps.allSatisfy { (300...1500).contains($0.pauseMilliseconds) })
            seen.insert(actions)
        }
        #expect(seen.count == 22 + 150)
    }

    @Test("an impossible challenge is rejected")
    func refused() {
        #expect(throws: SessionSettingError.self) { try LivenessChallenge(steps: []) }
        #expect(throws: SessionSettingError.self) {
            try LivenessChallenge(steps: [.init(.keepStill)])
        }
        #expect(throws: SessionSettingError.self) {
            try LivenessChallenge(steps: [.init(.blink), .init(.blink)])
        }
        #expect(throws: SessionSettingError.self) {
            try LivenessChallenge(steps: [.init(.blink, pauseMilliseconds: 3001)])
        }
    }
}

@Suite("Frame sources")
struct FrameSourceTests {
    private func frame(_ i: Int) -> Frame {
        Frame(image: RGBImage(width: 1, height: 1, filledWith: .black), time: .milliseconds(i))
    }

    @Test("pushed frames drop the oldest when full and end after the waiting ones")
    func pushed() async throws {
        let source = PushedFrames(capacity: 2)
        #expect(source.push(frame(0)) == .taken)
        #expect(source.push(frame(1)) == .taken)
        #expect(source.push(frame(2)) == .insteadOfOlder)
        source.finish()
        #expect(source.push(frame(3)) == .tooLate)
        var times: [Duration] = []
        for try await frame in source { times.append(frame.time) }
        #expect(times == [.milliseconds(1), .milliseconds(2)])
        #expect(source.dropped == 1)
    }

    @Test("a task that waits for a pushed frame receives it or is canceled")
    func waiting() async throws {
        let source = PushedFrames()
        let task = Task {
            var iterator = source.makeAsyncIterator()
            return try await iterator.next()?.time
        }
        source.push(frame(5))
        #expect(try await task.value == .milliseconds(5))
        let other = Task {
            var iterator = source.makeAsyncIterator()
            return try await iterator.next()?.time
        }
        other.cancel()
        await #expect(throws: FrameSourceError(.cancelled, "")) { try await other.value }
    }

    @Test("a frame prints only its time")
    func printing() {
        var text = ""
        dump(frame(7), to: &text)
        #expect(!text.contains("pixels") && !text.contains("width"))
    }
}

@Suite("Guidance")
struct GuidanceTests {
    @Test("a remark stays long enough to be read; an instruction appears at once")
    func holder() {
        var holder = GuidanceHolder(minimum: .milliseconds(700))
        #expect(holder.show(.keepStill, at: .zero) == .keepStill)
        #expect(holder.show(.tooDark, at: .milliseconds(100)) == .keepStill)
        #expect(holder.show(.tooDark, at: .milliseconds(700)) == .tooDark)
        #expect(holder.show(.blink, at: .milliseconds(750)) == .blink)
        #expect(holder.show(.wait, at: .milliseconds(800)) == .blink)
        #expect(holder.show(nil, at: .milliseconds(1500)) == nil)
    }

    @Test("every action and every quality reason has guidance")
    func words() {
        for action in LivenessAction.allCases {
            #expect(Guidance(action).rawValue == action.rawValue)
        }
        for reason in QualityReason.allCases { #expect(!Guidance(reason).isInstruction) }
    }
}
