internal import Foundation

/// A session that determines whether a live person is present. Pure: takes frames and returns
/// guidance, and at the end a verdict with reasons. It reads no clock and draws no random numbers.
///
///     acquire ─▶ still ─▶ (pause ─▶ act ─▶ return) once per action ─▶ passed
///                  │          └────────┴───────┴──▶ refused: an action missed or out of order,
///                  │                                another face, a flat one, …
///                  └─▶ acquire again when the person moves
///
/// Every check must pass; none compensates for another, except in what ``LivenessDecision`` weighs.
/// The data kept about frames is bounded.
public struct LivenessSession: Sendable {
    enum Phase: Sendable {
        case acquiring
        case still(Still)
        /// The head returns to the front after action `after`; then the session ends or pauses.
        case returning(after: Int, since: Duration)
        case pausing(before: Int, since: Duration)
        case acting(Int, since: Duration)
        case ended([SessionRefusal])
    }

    /// The state of the still phase.
    struct Still: Sendable {
        var since: Duration
        var box: Rectangle
        var extent: Double
        var openings: [Double] = [], turns: [Double] = [], nods: [Double] = [],
            mouths: [Double] = [], extents: [Double] = []
        /// When frames that cannot be judged began, without a good one since.
        var lapse: Duration?
    }

    /// Measurements of the person at rest.
    struct Baseline: Sendable {
        var opening, turn, nod, mouth, extent: Double
    }

    /// The session's response to one frame.
    public struct Step: Sendable {
        public let action: LivenessAction?
        public let guidance: Guidance?
        public let status: FrameEvent.Status
        /// Whether the still phase ended with this frame, which makes it the frame to take.
        public let isBestFrame: Bool
    }

    public let challenge: LivenessChallenge
    public let limits: LivenessLimits
    private let qualityThreshold: Int
    private let blinkTimeout, actionTimeout: Duration

    private var phase = Phase.acquiring
    private var baseline: Baseline?
    private var lastTime: Duration?
    private var lastHash: UInt64?
    private var allChecks: LivenessChecks
    private var blink: BlinkDetector?
    private var peak = ActionPeak()
    private var dark = DarkFrames()
    /// The response to the last frame that was not skipped.
    private var shown: Step?

    public init(challenge: LivenessChallenge, settings: VerificationSettings) {
        self.challenge = challenge
        limits = LivenessLimits(
            threshold: settings.livenessThreshold, presentation: settings.presentation,
            lightMode: settings.light, light: challenge.light)
        qualityThreshold = settings.qualityThreshold
        (blinkTimeout, actionTimeout) = (settings.blinkTimeout, settings.actionTimeout)
        allChecks = LivenessChecks(challenge: challenge, limits: limits)
    }

    /// `nil` while the session runs; empty when all checks have passed.
    public var refusals: [SessionRefusal]? {
        if case .ended(let refusals) = phase { refusals } else { nil }
    }

    /// 0...100: how much of the session is done. Not a measurement: see ``livenessScore``.
    public var progress: Int {
        let steps = Double(challenge.steps.count + 1)
        let done: Double =
            switch phase {
            case .acquiring: 0
            case .still: 0.5
            case .pausing(let next, _): Double(next + 1)
            case .acting(let i, _): Double(i + 1)
            case .returning(let i, _): Double(i) + 1.8
            case .ended(let refusals): refusals.isEmpty ? steps : 0
            }
        return Int(100 * done / steps)
    }

    /// 0...100: the highest threshold whose limits all measurements so far meet.
    ///
    /// The lowest score of the checks, since none compensates for another. It is 0 until the still
    /// phase is over and each action that is measured has begun to show its evidence, and 0 after
    /// a refusal for another reason than a measurement, such as a missed action. A session that
    /// passes has at least the threshold that it was judged by.
    public var livenessScore: Int {
        switch phase {
        case .acquiring, .still: return 0
        case .returning, .pausing, .acting, .ended: break
        }
        let checks = checks, failed = checks.filter { !$0.hasPassed }
        guard failed.allSatisfy({ $0.score != nil }),
            (refusals ?? []).allSatisfy({ refusal in failed.contains { $0.refusal == refusal } }),
            checks.contains(where: { $0.check == .likeness }),
            !challenge.actions.contains(where: \.showsDepth)
                || checks.contains(where: { $0.check == .depth }),
            !challenge.actions.contains(.blink) || checks.contains(where: { $0.check == .blink })
        else { return 0 }
        return checks.compactMap(\.score).min() ?? 0
    }

    /// The decision about what the checks have measured by degrees. For benchmarks.
    public var decision: LivenessDecision { allChecks.decision }

    /// The results of the checks that have measured something.
    public var checks: [LivenessCheckResult] { allChecks.results }

    /// Ends the session from outside, for example when no more frames arrive.
    public mutating func end(_ refusal: SessionRefusal) {
        guard refusals == nil else { return }
        allChecks.observe(.refusal(refusal))
        phase = .ended([refusal])
    }

    public mutating func handle(_ reading: FaceReading) -> Step {
        if case .ended = phase { return step(nil, nil, .finished) }
        if let lastTime, reading.time <= lastTime { return refuse(.clockWentBack) }
        lastTime = reading.time
        if dark.contains(reading), let shown {
            return step(shown.action, shown.guidance, shown.status)
        }
        let response = judge(reading)
        shown = response
        return response
    }

    private mutating func judge(_ reading: FaceReading) -> Step {
        // Nothing before the still phase is judged.
        let isJudged = if case .acquiring = phase { false } else { true }
        let isRepeated = see(reading.contentHash)
        if isJudged, let failure = allChecks.failure { return refuse(failure) }
        if isRepeated {
            if let late = lateness(at: reading.time) { return refuse(late) }
            return step(action, action.map(Guidance.init), .repeated)
        }

        let alone = reading.face.flatMap { $0.isAlone ? $0 : nil }
        if isJudged {
            allChecks.observe(.position(alone?.box, at: reading.time))
            if let failure = allChecks.failure {
                guard case .still = phase else {
                    if let alone, alone.likeness != nil { see(alone, at: reading.time) }
                    return refuse(reason(for: failure))
                }
                restart()
            }
        }
        guard let face = alone else {
            if case .still = phase { restart() }
            if let late = lateness(at: reading.time) { return refuse(late) }
            return reading.face == nil
                ? step(action, .faceNotFound, .noFace)
                : step(action, .multipleFaces, .multipleFaces)
        }
        return handle(face, at: reading.time)
    }

    /// Handles a frame after the session has passed, while more frames are taken, to check that the
    /// same person is still there. Runs the checks that need no action.
    ///
    /// - Returns: The reason for a refusal, after which the session stays refused.
    public mutating func goOn(_ reading: FaceReading) -> SessionRefusal? {
        guard refusals == [] else { return refusals?.first }
        lastTime = reading.time
        if dark.contains(reading) { return nil }
        if !see(reading.contentHash) {
            let alone = reading.face.flatMap { $0.isAlone ? $0 : nil }
            allChecks.observe(.position(alone?.box, at: reading.time))
            if let alone { see(alone, at: reading.time) }
        }
        guard let failure = allChecks.refusals.first else { return nil }
        let refusal = reason(for: failure)
        phase = .ended([refusal])
        return refusal
    }

    /// - Returns: Whether the picture is the same as the previous one.
    private mutating func see(_ hash: UInt64) -> Bool {
        defer { lastHash = hash }
        allChecks.observe(.picture(hash: hash))
        return hash == lastHash
    }

    private mutating func handle(_ face: LiveFace, at time: Duration) -> Step {
        switch phase {
        case .ended: return step(nil, nil, .finished)
        case .acquiring, .still: return beStill(face, at: time)
        case .returning(let after, _): return goBack(face, after: after, at: time)
        case .pausing(let next, let since): return pause(face, before: next, since: since, at: time)
        case .acting(let i, let since): return act(face, step: i, since: since, at: time)
        }
    }

    // MARK: Still

    private mutating func restart() {
        phase = .acquiring
        lastHash = nil
        allChecks.restart()
    }

    private mutating func beStill(_ face: LiveFace, at time: Duration) -> Step {
        if let reason = face.quality.reasons(below: qualityThreshold).first {
            return lapse(Guidance(reason), at: time)
        }
        guard abs(face.pose.yaw) <= 18, abs(face.pose.pitch) <= 22 else {
            restart()
            return step(.keepStill, .lookStraight, .badPose)
        }
        if let guidance = allChecks.objection(to: face) { return lapse(guidance, at: time) }
        guard case .still(var still) = phase else {
            allChecks.observe(.beginning(face, at: time))
            phase = .still(
                Still(since: time, box: face.box, extent: face.mesh.extent).with(face))
            return step(.keepStill, .keepStill, .success)
        }
        let moved = face.box.center.distance(to: still.box.center) / max(still.box.width, 1)
        let grown = face.mesh.extent / max(still.extent, 1)
        let opening = still.openings.median
        if moved > 0.2 || abs(grown - 1) > 0.12 || abs(face.mesh.turn - still.turns[0]) > 0.25
            || abs(face.mesh.nod - still.nods[0]) > 0.12
        {
            restart()
            return step(.keepStill, .tooMuchMovement, .success)
        }
        if face.eyes.mean < 0.65 * opening {
            restart()
            return step(.keepStill, .eyesClosed, .success)
        }
        allChecks.observe(.stillness(face, at: time))
        if allChecks.failure != nil {
            restart()
            return step(.keepStill, .keepStill, .success)
        }
        still = still.with(face)
        still.lapse = nil
        phase = .still(still)
        guard time - still.since >= limits.still, still.openings.count >= limits.stillFrames,
            !allChecks.wantsMore
        else {
            return step(.keepStill, .keepStill, .success)
        }
        baseline = Baseline(
            opening: opening, turn: still.turns.median, nod: still.nods.median,
            mouth: still.mouths.median, extent: still.extents.median)
        allChecks.observe(.rest(face))
        phase = .pausing(before: 0, since: time)
        return step(nil, .wait, .success, isBestFrame: true)
    }

    /// Skips a frame that cannot be judged, and tells the person why. After a short time of such
    /// frames, the still phase begins again.
    private mutating func lapse(_ guidance: Guidance, at time: Duration) -> Step {
        if case .still(var still) = phase, time - (still.lapse ?? time) < limits.lapse {
            still.lapse = still.lapse ?? time
            phase = .still(still)
        } else {
            restart()
        }
        return step(.keepStill, guidance, .badQuality)
    }

    // MARK: Actions

    private mutating func goBack(_ face: LiveFace, after: Int, at time: Duration) -> Step {
        see(face, at: time)
        if let failure = allChecks.failure { return refuse(failure) }
        if challenge.steps[after].action.conflicts.contains(where: {
            progress(of: $0, in: face) >= 1
        }) {
            return refuse(.actionOutOfOrder)
        }
        if let late = lateness(at: time) { return refuse(late) }
        guard isAtRest(face) else { return step(nil, .lookStraight, .success) }
        if after + 1 == challenge.steps.count { return finish() }
        phase = .pausing(before: after + 1, since: time)
        return step(nil, .wait, .success)
    }

    private mutating func pause(
        _ face: LiveFace, before next: Int, since: Duration, at time: Duration
    ) -> Step {
        see(face, at: time)
        if let failure = allChecks.failure { return refuse(failure) }
        if LivenessAction.drawable.contains(where: {
            $0 != .blink && progress(of: $0, in: face) >= 1
        }) {
            return refuse(.actionOutOfOrder)
        }
        if let late = lateness(at: time) { return refuse(late) }
        guard time - since >= .milliseconds(challenge.steps[next].pauseMilliseconds) else {
            return step(nil, .wait, .success)
        }
        guard isAtRest(face) else { return step(nil, .lookStraight, .success) }
        let asked = challenge.steps[next].action
        phase = .acting(next, since: time)
        peak = ActionPeak()
        if asked == .blink { blink = BlinkDetector(median: baseline!.opening, limits: limits) }
        allChecks.observe(.request(asked, openEyes: baseline!.opening))
        return step(asked, Guidance(asked), .success)
    }

    private mutating func act(_ face: LiveFace, step i: Int, since: Duration, at time: Duration)
        -> Step
    {
        let asked = challenge.steps[i].action
        see(face, at: time, doing: asked)
        let isDone =
            asked == .blink
            ? blink?.see(face.eyes, at: time) ?? false
            : peak.see(progress(of: asked, in: face), at: time) >= 1
        if let failure = allChecks.failure { return refuse(failure) }
        if asked.conflicts.contains(where: { progress(of: $0, in: face) >= 1 }) {
            return refuse(.actionOutOfOrder)
        }
        guard isDone else {
            if let late = lateness(at: time) { return refuse(late) }
            return step(asked, Guidance(asked), .success)
        }
        if time - since < limits.reaction { return refuse(.actionOutOfOrder) }
        if asked == .comeCloser {
            // Use the current distance as the reference from here on, because the perspective has
            // changed, too.
            baseline?.extent = face.mesh.extent
            allChecks.observe(.rest(face))
        }
        if asked == .blink, i + 1 == challenge.steps.count { return finish() }
        phase = .returning(after: i, since: time)
        return step(nil, .lookStraight, .success)
    }

    private mutating func see(
        _ face: LiveFace, at time: Duration, doing action: LivenessAction? = nil
    ) {
        allChecks.observe(
            .face(face, at: time, isFrontal: isFrontal(face), action: action))
    }

    private func isFrontal(_ face: LiveFace) -> Bool {
        guard let baseline else { return false }
        return abs(face.mesh.turn - baseline.turn) < 0.2 && abs(face.mesh.nod - baseline.nod) < 0.08
    }

    private func isAtRest(_ face: LiveFace) -> Bool {
        guard let baseline else { return false }
        return isFrontal(face) && face.mesh.mouthOpening - baseline.mouth < 0.5 * limits.mouth
            && face.eyes.mean > 0.65 * baseline.opening
            // A person who has come closer may move back at once.
            && (0.6...1.4).contains(face.mesh.extent / max(baseline.extent, 1e-9))
    }

    /// Returns the progress of `action`; 1 or more means done.
    private func progress(of action: LivenessAction, in face: LiveFace) -> Double {
        guard let b = baseline else { return 0 }
        switch action {
        case .keepStill, .blink: return 0
        case .turnLeft: return (face.mesh.turn - b.turn) / limits.turn
        case .turnRight: return (b.turn - face.mesh.turn) / limits.turn
        case .lookUp: return (face.mesh.nod - b.nod) / limits.nod
        case .lookDown: return (b.nod - face.mesh.nod) / limits.nod
        case .openMouth: return (face.mesh.mouthOpening - b.mouth) / limits.mouth
        case .comeCloser: return (face.mesh.extent / max(b.extent, 1e-9) - 1) / limits.closer
        }
    }

    /// Returns a refusal when the time for the current request has run out.
    private func lateness(at time: Duration) -> SessionRefusal? {
        switch phase {
        case .acquiring, .still, .ended: return nil
        case .returning(_, let since): return time - since > actionTimeout ? .actionMissed : nil
        case .pausing(let next, let since):
            return time - since > actionTimeout
                + .milliseconds(challenge.steps[next].pauseMilliseconds) ? .actionMissed : nil
        case .acting(let i, let since):
            if challenge.steps[i].action == .blink {
                return time - since > blinkTimeout ? .blinkMissed : nil
            }
            return time - since > actionTimeout ? .actionMissed : nil
        }
    }

    // MARK: Ends

    private mutating func finish() -> Step {
        let refusals = allChecks.refusals
        phase = .ended(refusals)
        return step(nil, refusals.isEmpty ? .done : nil, .finished)
    }

    /// Returns the reason to give for a failure. Another person who takes the place appears
    /// elsewhere, too, so a face that differs explains one that jumped.
    private func reason(for failure: SessionRefusal) -> SessionRefusal {
        TrackCheck.refusals.contains(failure) && allChecks.refusals.contains(.faceChanged)
            ? .faceChanged : failure
    }

    private mutating func refuse(_ refusal: SessionRefusal) -> Step {
        allChecks.observe(.refusal(refusal))
        // Report the other failed checks, too.
        phase = .ended([refusal] + allChecks.refusals.filter { $0 != refusal })
        return step(nil, nil, .finished)
    }

    private var action: LivenessAction? {
        switch phase {
        case .acquiring, .still: .keepStill
        case .acting(let i, _): challenge.steps[i].action
        case .returning, .pausing, .ended: nil
        }
    }

    private func step(
        _ action: LivenessAction?, _ guidance: Guidance?, _ status: FrameEvent.Status,
        isBestFrame: Bool = false
    ) -> Step {
        Step(action: action, guidance: guidance, status: status, isBestFrame: isBestFrame)
    }
}

extension LivenessAction {
    /// The actions that must not be performed instead of this one. Excludes movements that
    /// accompany it: a head that looks up also changes the appearance of its mouth.
    fileprivate var conflicts: [LivenessAction] {
        switch self {
        case .keepStill: []
        case .turnLeft: [.turnRight]
        case .turnRight: [.turnLeft]
        case .lookUp: [.lookDown, .turnLeft, .turnRight]
        case .lookDown: [.lookUp, .turnLeft, .turnRight]
        case .blink: [.turnLeft, .turnRight, .lookUp, .lookDown, .openMouth, .comeCloser]
        case .openMouth: [.turnLeft, .turnRight, .comeCloser]
        case .comeCloser: [.turnLeft, .turnRight, .openMouth]
        }
    }
}

extension LiveFace {
    /// Whether no other face in the picture could be the subject.
    fileprivate var isAlone: Bool {
        quality[.singleFace]?.grade ?? 100 >= FaceQuality.defaultThreshold
    }
}

extension LivenessSession.Still {
    /// Adds a frame. Only the first 256 frames of a long phase count.
    fileprivate func with(_ face: LiveFace) -> Self {
        guard openings.count < 256 else { return self }
        var next = self
        next.openings.append(face.eyes.mean)
        next.turns.append(face.mesh.turn)
        next.nods.append(face.mesh.nod)
        next.mouths.append(face.mesh.mouthOpening)
        next.extents.append(face.mesh.extent)
        return next
    }
}

extension [Double] {
    /// The median; 0 for an empty array.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
