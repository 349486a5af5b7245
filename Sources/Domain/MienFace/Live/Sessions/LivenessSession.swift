internal import Foundation
internal import MienPixels

/// Is somebody there? Pure: frames in, guidance out, at the end a verdict with reasons. Reads no
/// clock, draws nothing.
///
///     acquire ─▶ still ─▶ (pause ─▶ act ─▶ return) once per action ─▶ passed
///                  │          └────────┴───────┴──▶ refused: an action missed or out of order, another face, a flat one, …
///                  └─▶ acquire again when the person moves
///
/// Every check must pass; none makes up for another. What is kept of frames is bounded.
public struct LivenessSession: Sendable {
    enum Phase: Sendable {
        case acquiring
        case still(Still)
        /// The head goes back to the front after action `after`; then the session ends, or pauses.
        case returning(after: Int, since: Duration)
        case pausing(before: Int, since: Duration)
        case acting(Int, since: Duration)
        case ended([SessionRefusal])
    }

    /// The still phase while it runs.
    struct Still: Sendable {
        var since: Duration
        var box: Rectangle
        var extent: Double
        var openings: [Double] = [], turns: [Double] = [], nods: [Double] = [],
            mouths: [Double] = [], extents: [Double] = []
        var likeness: LikenessCheck
    }

    /// The person at rest.
    struct Baseline: Sendable {
        var opening, turn, nod, mouth, extent: Double
    }

    /// What a session says about one frame.
    public struct Step: Sendable {
        public let action: LivenessAction?
        public let guidance: Guidance?
        public let status: FrameEvent.Status
        /// The still phase has ended with this frame: it is the one to take.
        public let isBestFrame: Bool
    }

    public let challenge: LivenessChallenge
    public let limits: LivenessLimits
    private let qualityThreshold: Int
    private let blinkTimeout, actionTimeout: Duration

    private var phase = Phase.acquiring
    private var baseline: Baseline?
    private var lastTime: Duration?
    private var repetition = RepetitionCheck()
    private var track: TrackCheck
    private var likeness: LikenessCheck
    private var depth: DepthCheck
    private var motion: MotionCheck
    private var texture: TextureCheck
    private var attack: PresentationAttackCheck
    private var blink: BlinkDetector?
    private var blinkSeen = 1.0

    public init(challenge: LivenessChallenge, settings: VerificationSettings) {
        self.challenge = challenge
        limits = LivenessLimits(threshold: settings.livenessThreshold)
        qualityThreshold = settings.qualityThreshold
        (blinkTimeout, actionTimeout) = (settings.blinkTimeout, settings.actionTimeout)
        track = TrackCheck(limits: limits)
        likeness = LikenessCheck(limits: limits)
        depth = DepthCheck(limits: limits)
        motion = MotionCheck(limits: limits)
        texture = TextureCheck(limits: limits)
        attack = PresentationAttackCheck(limits: limits)
    }

    /// `nil` while it runs; empty when all checks have passed.
    public var refusals: [SessionRefusal]? {
        if case .ended(let refusals) = phase { refusals } else { nil }
    }

    /// 0...100: how far it has come.
    public var score: Int {
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

    public var checks: [LivenessCheckResult] {
        var results = [repetition.result, track.result, likeness.result]
        if challenge.actions.contains(.blink) {
            let missed = refusals?.contains(.blinkMissed) ?? false
            results.append(
                .init(
                    .blink, refusal: missed ? .blinkMissed : nil, measured: blinkSeen,
                    limit: limits.closed))
        }
        if let result = depth.result { results.append(result) }
        // Who turns shows depth; who does not has to show some life otherwise.
        if !challenge.actions.contains(where: \.showsDepth), let result = motion.result {
            results.append(result)
        }
        results += [texture.result, attack.result].compactMap(\.self)
        let order = refusals?.first {
            $0 == .actionMissed || $0 == .actionOutOfOrder || $0 == .clockWentBack
        }
        results.append(.init(.order, refusal: order))
        return results
    }

    /// Nothing more will come.
    public mutating func end(_ refusal: SessionRefusal) {
        if refusals == nil { phase = .ended([refusal]) }
    }

    public mutating func handle(_ reading: FaceReading) -> Step {
        if case .ended = phase { return step(nil, nil, .finished) }
        if let lastTime, reading.time <= lastTime { return refuse(.clockWentBack) }
        lastTime = reading.time
        // Before the still phase nothing is judged, so nothing is held against anyone.
        let isJudged = if case .acquiring = phase { false } else { true }
        if repetition.isRepeated(reading.contentHash) {
            if isJudged, repetition.hasFailed { return refuse(.repeatedFrames) }
            if let late = lateness(at: reading.time) { return refuse(late) }
            return step(action, action.map(Guidance.init), .repeated)
        }
        if isJudged, repetition.hasFailed { return refuse(.repeatedFrames) }

        let alone = reading.face.flatMap { $0.isAlone ? $0 : nil }
        if isJudged {
            track.see(alone?.box, at: reading.time)
            if let refusal = track.refusal {
                guard case .still = phase else { return refuse(refusal) }
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

    /// Another frame after it has passed, for as long as frames are taken: is whoever was there
    /// still there? The checks that need no action go on.
    ///
    /// - Returns: why not; from then on the session is refused.
    public mutating func goOn(_ reading: FaceReading) -> SessionRefusal? {
        guard refusals == [] else { return refusals?.first }
        lastTime = reading.time
        if !repetition.isRepeated(reading.contentHash) {
            let alone = reading.face.flatMap { $0.isAlone ? $0 : nil }
            track.see(alone?.box, at: reading.time)
            if let alone { see(alone, at: reading.time) }
        }
        guard let refusal = checks.compactMap(\.refusal).first else { return nil }
        phase = .ended([refusal])
        return refusal
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
        track = TrackCheck(limits: limits)
        repetition = RepetitionCheck()
        motion = MotionCheck(limits: limits)
        texture = TextureCheck(limits: limits)
        attack = PresentationAttackCheck(limits: limits)
    }

    private mutating func beStill(_ face: LiveFace, at time: Duration) -> Step {
        if let reason = face.quality.reasons(below: qualityThreshold).first {
            restart()
            return step(.keepStill, Guidance(reason), .badQuality)
        }
        guard abs(face.pose.yaw) <= 18, abs(face.pose.pitch) <= 22 else {
            restart()
            return step(.keepStill, .lookStraight, .badPose)
        }
        guard case .still(var still) = phase else {
            var likeness = LikenessCheck(limits: limits)
            likeness.anchor(face.likeness)
            likeness.see(face, isFrontal: true, at: time)
            track = TrackCheck(limits: limits)
            track.see(face.box, at: time)
            phase = .still(
                Still(since: time, box: face.box, extent: face.mesh.extent, likeness: likeness)
                    .with(face))
            seeSurface(face)
            return step(.keepStill, .keepStill, .success)
        }
        let moved = face.box.centre.distance(to: still.box.centre) / max(still.box.width, 1)
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
        still.likeness.see(face, isFrontal: true, at: time)
        if still.likeness.hasFailed {
            restart()
            return step(.keepStill, .keepStill, .success)
        }
        still.likeness.anchor(face.likeness)
        still = still.with(face)
        seeSurface(face)
        phase = .still(still)
        guard time - still.since >= limits.still, still.openings.count >= limits.stillFrames else {
            return step(.keepStill, .keepStill, .success)
        }
        baseline = Baseline(
            opening: opening, turn: still.turns.median, nod: still.nods.median,
            mouth: still.mouths.median, extent: still.extents.median)
        likeness = still.likeness
        depth.front(face.mesh)
        phase = .pausing(before: 0, since: time)
        return step(nil, .wait, .success, isBestFrame: true)
    }

    // MARK: Actions

    private mutating func goBack(_ face: LiveFace, after: Int, at time: Duration) -> Step {
        see(face, at: time)
        if likeness.hasFailed { return refuse(.faceChanged) }
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
        if likeness.hasFailed { return refuse(.faceChanged) }
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
        if asked == .blink { blink = BlinkDetector(median: baseline!.opening, limits: limits) }
        if asked.showsDepth { depth.begin() }
        return step(asked, Guidance(asked), .success)
    }

    private mutating func act(_ face: LiveFace, step i: Int, since: Duration, at time: Duration)
        -> Step
    {
        see(face, at: time)
        let asked = challenge.steps[i].action
        let isDone: Bool
        if asked == .blink {
            isDone = blink?.see(face.eyes, at: time) ?? false
            blinkSeen = min(blinkSeen, blink?.lowest ?? 1)
        } else {
            if asked.showsDepth { depth.see(face.mesh) }
            isDone = progress(of: asked, in: face) >= 1
        }
        if likeness.hasFailed { return refuse(.faceChanged) }
        if asked.conflicts.contains(where: { progress(of: $0, in: face) >= 1 }) {
            return refuse(.actionOutOfOrder)
        }
        guard isDone else {
            if let late = lateness(at: time) { return refuse(late) }
            return step(asked, Guidance(asked), .success)
        }
        if time - since < limits.reaction { return refuse(.actionOutOfOrder) }
        if asked == .comeCloser {
            // From here on this is how near they are: perspective has changed, too.
            baseline?.extent = face.mesh.extent
            depth.front(face.mesh)
        }
        if asked == .blink, i + 1 == challenge.steps.count { return finish() }
        phase = .returning(after: i, since: time)
        return step(nil, .lookStraight, .success)
    }

    private mutating func see(_ face: LiveFace, at time: Duration) {
        likeness.see(face, isFrontal: isFrontal(face), at: time)
        guard isFrontal(face) else { return }
        seeSurface(face)
    }

    /// What a face from the front shows beside its shape.
    private mutating func seeSurface(_ face: LiveFace) {
        motion.see(face)
        texture.see(face)
        attack.see(face)
    }

    private func isFrontal(_ face: LiveFace) -> Bool {
        guard let baseline else { return false }
        return abs(face.mesh.turn - baseline.turn) < 0.2 && abs(face.mesh.nod - baseline.nod) < 0.08
    }

    private func isAtRest(_ face: LiveFace) -> Bool {
        guard let baseline else { return false }
        return isFrontal(face) && face.mesh.mouthOpening - baseline.mouth < 0.5 * limits.mouth
            && face.eyes.mean > 0.65 * baseline.opening
            // Who has come closer may go back at once.
            && (0.6...1.4).contains(face.mesh.extent / max(baseline.extent, 1e-9))
    }

    /// 1 and more: done.
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

    /// Has the time for what is asked run out?
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
        let refusals = checks.compactMap(\.refusal)
        phase = .ended(refusals)
        return step(nil, refusals.isEmpty ? .done : nil, .finished)
    }

    private mutating func refuse(_ refusal: SessionRefusal) -> Step {
        // What else was found by now is told, too.
        phase = .ended([refusal] + checks.compactMap(\.refusal).filter { $0 != refusal })
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
    /// What must not be done instead. Not what goes along with it: a head that looks up shows its
    /// mouth otherwise.
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
    /// Is there nobody else in the picture who could be meant?
    fileprivate var isAlone: Bool {
        quality[.singleFace]?.grade ?? 100 >= FaceQuality.defaultThreshold
    }
}

extension LivenessSession.Still {
    /// With another frame; of a long phase the first 256 count.
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
    /// The middle one; 0 of none.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
