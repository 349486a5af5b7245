public import MienCore

/// One enrollment session. Pure, like ``FaceVerification``.
///
/// It runs a countdown, then the liveness session if the mode has one, then takes frames: frontal
/// ones and, in full mode, each side. All frames must show the same face as the first. In a
/// liveness mode, the first frame comes from the liveness session itself, so the enrolled face is
/// the one found to be live. With manual control, the app adds the other frames with
/// ``addLastFrame()`` and ends the session with ``complete()``.
public struct FaceEnrollment: Sendable {
    /// Minimum time between two frames taken. Closer frames would add no information.
    static let spacing = Duration.milliseconds(200)
    /// How long a face that differs from the first frame may stay before the session refuses it. A
    /// hand, a blink, or a blur passes sooner; another person stays.
    static let difference = Duration.seconds(1)

    public let capture: CaptureID
    public let settings: EnrollmentSettings
    public private(set) var verdict: EnrollmentVerdict?
    /// Whether the last reading is suitable. Before the next reading, ask the app and describe the
    /// face, then call ``extracted(_:)`` or ``vetoed()``.
    public private(set) var wantsExtraction = false

    private var liveness: LivenessSession?
    private var holder = GuidanceHolder()
    private var begin: Duration?
    private var last: FaceReading?
    private var dark = DarkFrames()
    /// The response to the last frame that was not skipped.
    private var shown: (status: FrameEvent.Status, action: LivenessAction?, guidance: Guidance?)?
    private var lastTaken: Duration?
    private var lastExtraction: FrameEvent.Extraction?
    /// The likeness of the first frame taken.
    private var first: FaceDescriptor?
    /// Since when the face has differed from the first frame.
    private var differs: Duration?
    private var taken: [LiveCapture] = []
    private let wanted: [EnrollmentView]

    /// - Parameter challenge: Required for `livenessActive`, as in ``FaceVerification``.
    /// - Throws: ``SessionSettingError`` when `livenessActive` has no challenge, or a required check
    ///   of the light no colors.
    public init(
        capture: CaptureID, settings: EnrollmentSettings, challenge: LivenessChallenge? = nil
    ) throws(SessionSettingError) {
        (self.capture, self.settings) = (capture, settings)
        let front = [EnrollmentView](repeating: .front, count: settings.framesToEnroll)
        wanted =
            settings.views == .simple || settings.control == .manual
            ? front : front + [.right, .left, .bottom, .top]
        let asked: LivenessChallenge?
        switch settings.mode {
        case .image: asked = nil
        case .livenessPassive: asked = .passive.lit(by: challenge?.light)
        case .livenessActive:
            guard let challenge else {
                throw SessionSettingError(
                    setting: "challenge", allowed: "present in liveness_active mode")
            }
            asked = challenge
        }
        if let asked {
            let verification = try VerificationSettings(
                mode: settings.mode, livenessThreshold: settings.livenessThreshold,
                qualityThreshold: settings.qualityThreshold, presentation: settings.presentation,
                light: settings.light)
            try verification.check(asked)
            liveness = LivenessSession(challenge: asked, settings: verification)
        }
    }

    public mutating func cancel() { refuse([.cancelled]) }

    public mutating func sourceEnded() { refuse([.sourceEnded]) }

    public mutating func handle(_ reading: FaceReading) -> FrameEvent {
        guard verdict == nil else { return event(reading, .finished, guidance: nil) }
        wantsExtraction = false
        let start = begin ?? reading.time
        begin = start
        if let last, reading.time <= last.time {
            refuse([.clockWentBack])
            return event(reading, .finished, guidance: nil)
        }
        if dark.contains(reading), let shown {
            return event(reading, shown.status, action: shown.action, guidance: shown.guidance)
        }
        last = reading
        if reading.time - start > settings.timeout {
            refuse([.timedOut])
            return event(reading, .finished, guidance: nil)
        }
        let left = settings.countdownToCapture - (reading.time - start)
        if left > .zero {
            return event(
                reading, reading.face == nil ? .noFace : .countingDown, countdown: left,
                guidance: reading.face == nil ? .faceNotFound : .wait)
        }
        if var session = liveness, session.refusals?.isEmpty != true {
            let step = session.handle(reading)
            liveness = session
            wantsExtraction = step.isBestFrame
            if let refusals = session.refusals {
                if refusals.isEmpty { finishIfEnough() } else { refuse(refusals) }
            }
            return event(
                reading, verdict == nil && step.status == .finished ? .success : step.status,
                action: step.action, guidance: step.guidance)
        }
        if let refusal = liveness?.goOn(reading) {
            refuse([refusal])
            return event(reading, .finished, guidance: nil)
        }
        return look(reading)
    }

    /// Marks the last frame for extraction at the app's request, in manual control. If the frame
    /// cannot be taken, the next event says so in `lastExtraction`.
    public mutating func addLastFrame() {
        guard settings.control == .manual, verdict == nil, isCapturing, !wantsExtraction,
            let last, let face = last.face, taken.count < FaceTemplate.entryRange.upperBound,
            refusedQuality(of: face, isFrontal: EnrollmentView.front.isShown(by: face.pose)) == nil
        else {
            if settings.control == .manual, verdict == nil { lastExtraction = .failed }
            return
        }
        guard isSamePerson(face, EnrollmentView(shownBy: face.pose)) else {
            lastExtraction = .failed
            return
        }
        wantsExtraction = true
    }

    /// Ends the session with the frames taken so far, in manual control. Does nothing before a
    /// frame was taken and the liveness session has passed.
    public mutating func complete() {
        guard settings.control == .manual, verdict == nil, isCapturing, !taken.isEmpty else {
            return
        }
        finish()
    }

    /// Whether frames are taken now: the countdown is over, and the liveness session has passed.
    private var isCapturing: Bool {
        guard let begin, let last, last.time - begin >= settings.countdownToCapture else {
            return false
        }
        return liveness.map { $0.refusals == [] } ?? true
    }

    /// Rejects the last reading on behalf of the app.
    public mutating func vetoed() {
        wantsExtraction = false
    }

    /// Supplies the entry that ``wantsExtraction`` requests; `nil` when the pipeline could not
    /// describe the face.
    public mutating func extracted(_ entry: FaceTemplate.Entry?) {
        guard wantsExtraction, verdict == nil, let last else { return }
        wantsExtraction = false
        guard let entry, let likeness = last.face?.likeness else {
            lastExtraction = .failed
            return
        }
        lastExtraction = .success
        lastTaken = last.time
        if first == nil { first = likeness }
        taken.append(
            LiveCapture(
                id: capture, mode: settings.mode, entry: entry, frameIndex: last.index,
                time: last.time))
        finishIfEnough()
    }

    /// All frames may already be taken before the liveness session passes.
    private mutating func finishIfEnough() {
        guard settings.control == .automatic, taken.count == wanted.count,
            liveness.map({ $0.refusals == [] }) ?? true
        else { return }
        finish()
    }

    private mutating func finish() {
        wantsExtraction = false
        verdict = EnrollmentVerdict(
            capture: capture, outcome: .captured(taken), checks: liveness?.checks ?? [],
            livenessScore: liveness?.livenessScore ?? 0)
    }

    /// Returns the worst fault of a face's quality.
    ///
    /// - Parameter isFrontal: If `false`, skips the pose of a side view, which is intended, the eyes,
    ///   whose lids are seen from above or below, and the strength, which a turn lowers.
    private func refusedQuality(of face: LiveFace, isFrontal: Bool) -> QualityReason? {
        let low = face.quality.parts.filter { $0.grade < settings.qualityThreshold }
            .filter { isFrontal || ![.pose, .eyes, .strength].contains($0.aspect) }
        if low.contains(where: { $0.reason == .noFace }) { return .noFace }
        return low.min { $0.grade < $1.grade }?.reason
    }

    /// Whether a face resembles that of the first frame taken.
    ///
    /// - Parameter view: `nil` for a pose between the views, to which the lowest limit applies.
    private func isSamePerson(_ face: LiveFace, _ view: EnrollmentView?) -> Bool {
        guard let first else { return true }
        guard let likeness = face.likeness else { return false }
        let limits = face.likenessLimits
        let limit =
            view.map(limits.enrollment) ?? EnrollmentView.allCases.map(limits.enrollment).min()!
        return Double(likeness.cosine(with: first)) >= limit
    }

    private mutating func look(_ reading: FaceReading) -> FrameEvent {
        let since = differs
        differs = nil
        guard let face = reading.face else {
            return event(reading, .noFace, guidance: .faceNotFound)
        }
        let isManual = settings.control == .manual
        let view =
            isManual
            ? (EnrollmentView.front.isShown(by: face.pose) ? .front : nil) : wanted[taken.count]
        if let view, !view.isShown(by: face.pose) {
            return event(reading, .badPose, guidance: view.guidance)
        }
        if let reason = refusedQuality(of: face, isFrontal: view == .front) {
            return event(
                reading, reason == .multipleFaces ? .multipleFaces : .badQuality,
                guidance: Guidance(reason))
        }
        if isManual, view == nil { return event(reading, .success, guidance: nil) }
        guard isSamePerson(face, view) else {
            let start = since ?? reading.time
            differs = start
            if reading.time - start >= Self.difference { refuse([.faceChanged]) }
            return event(reading, .badQuality, guidance: .keepStill)
        }
        // The app decides about the frame.
        if isManual { return event(reading, .success, guidance: nil) }
        if let lastTaken, reading.time - lastTaken < Self.spacing {
            return event(reading, .success, guidance: .keepStill)
        }
        wantsExtraction = true
        return event(reading, .success, guidance: .keepStill)
    }

    private mutating func refuse(_ refusals: [SessionRefusal]) {
        guard verdict == nil else { return }
        wantsExtraction = false
        liveness?.end(refusals[0])
        verdict = EnrollmentVerdict(
            capture: capture, outcome: .refused(refusals), checks: liveness?.checks ?? [],
            livenessScore: liveness?.livenessScore ?? 0)
        taken = []
    }

    private mutating func event(
        _ reading: FaceReading, _ status: FrameEvent.Status, action: LivenessAction? = nil,
        countdown: Duration? = nil, guidance: Guidance?
    ) -> FrameEvent {
        defer { lastExtraction = nil }
        shown = (status, action, guidance)
        return FrameEvent(
            reading, status: verdict != nil ? .finished : status, lastExtraction: lastExtraction,
            action: verdict == nil ? action : nil, progress: liveness?.progress ?? 0,
            livenessScore: liveness?.livenessScore ?? 0,
            countdown: countdown,
            guidance: holder.show(guidance, at: reading.time),
            view: settings.control == .automatic && taken.count < wanted.count
                ? wanted[taken.count] : nil,
            captured: taken.count,
            wanted: wanted.count)
    }
}
