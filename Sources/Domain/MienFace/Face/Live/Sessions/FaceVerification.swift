public import MienCore

/// One verification session. Pure: takes readings and returns events, and at the end a verdict. The
/// caller runs the pipeline and compares faces.
///
///     while let frame = … {
///         let event = verification.handle(reading)
///         if verification.wantsExtraction { verification.extracted(entry, score: …) }
///         if let verdict = verification.verdict { … }
///     }
public struct FaceVerification: Sendable {
    public let capture: CaptureID
    public let settings: VerificationSettings
    /// Whether there is a template to compare with.
    public let comparesFaces: Bool

    /// `nil` while the session runs.
    public private(set) var verdict: VerificationVerdict?
    /// Whether the last reading must be described before the next one is handled.
    public private(set) var wantsExtraction = false

    private var session: LivenessSession?
    private var holder = GuidanceHolder()
    private var begin: Duration?
    private var last: FaceReading?
    private var lastExtraction: FrameEvent.Extraction?
    private var taken: (capture: LiveCapture, score: MatchScore?)?
    private var sawFace = false, sawGoodFace = false

    /// - Parameters:
    ///   - capture: The identifier that the verdict names.
    ///   - challenge: The actions for `livenessActive`. The party that judges the session must draw
    ///     it. In passive mode, only its colors count.
    ///   - comparesFaces: If `false`, the verdict states that a person is present, not who it is.
    /// - Throws: ``SessionSettingError`` when `livenessActive` has no challenge, or a required check
    ///   of the light no colors.
    public init(
        capture: CaptureID, settings: VerificationSettings, challenge: LivenessChallenge? = nil,
        comparesFaces: Bool = true
    ) throws(SessionSettingError) {
        (self.capture, self.settings, self.comparesFaces) = (capture, settings, comparesFaces)
        try settings.check(challenge)
        switch settings.mode {
        case .image: session = nil
        case .livenessPassive:
            session = LivenessSession(
                challenge: .passive.lit(by: challenge?.light), settings: settings)
        case .livenessActive:
            guard let challenge else {
                throw SessionSettingError(
                    setting: "challenge", allowed: "present in liveness_active mode")
            }
            session = LivenessSession(challenge: challenge, settings: settings)
        }
    }

    /// Cancels the session.
    public mutating func cancel() { refuse([.cancelled]) }

    /// Reports that the source has no more frames.
    public mutating func sourceEnded() { refuse([.sourceEnded]) }

    public mutating func handle(_ reading: FaceReading) -> FrameEvent {
        guard verdict == nil else { return event(reading, .finished, nil, nil) }
        wantsExtraction = false
        let start = begin ?? reading.time
        begin = start
        sawFace = sawFace || reading.face != nil
        if reading.time - start > settings.timeout {
            refuse([.timedOut] + (sawFace && !sawGoodFace ? [.badQuality] : []))
            return event(reading, .finished, nil, nil)
        }
        last = reading
        return session == nil ? image(reading) : live(reading)
    }

    /// Supplies the entry that ``wantsExtraction`` requests.
    ///
    /// - Parameters:
    ///   - entry: `nil` when the pipeline could not describe the face.
    ///   - score: The score against the template; `nil` without one.
    public mutating func extracted(_ entry: FaceTemplate.Entry?, score: MatchScore?) {
        guard wantsExtraction, verdict == nil, let last else { return }
        wantsExtraction = false
        guard let entry else {
            lastExtraction = .failed
            if session != nil { refuse([.badQuality]) }
            return
        }
        lastExtraction = .success
        let capture = LiveCapture(
            id: capture, mode: settings.mode, entry: entry, frameIndex: last.index, time: last.time)
        taken = (capture, score)
        if session == nil { judge() }
    }

    private mutating func image(_ reading: FaceReading) -> FrameEvent {
        guard let face = reading.face else { return event(reading, .noFace, nil, .faceNotFound) }
        if let reason = face.quality.reasons(below: settings.qualityThreshold).first {
            return event(
                reading, reason == .multipleFaces ? .multipleFaces : .badQuality, nil,
                Guidance(reason))
        }
        (sawGoodFace, wantsExtraction) = (true, true)
        return event(reading, .success, nil, .done)
    }

    private mutating func live(_ reading: FaceReading) -> FrameEvent {
        let step = session!.handle(reading)
        if let refusals = session!.refusals {
            if refusals.isEmpty { judge() } else { refuse(refusals) }
        } else if step.isBestFrame {
            (sawGoodFace, wantsExtraction) = (true, true)
        }
        return event(reading, step.status, step.action, step.guidance)
    }

    /// Decides the match once all required liveness checks have passed.
    private mutating func judge() {
        guard verdict == nil else { return }
        guard let taken else { return refuse([.badQuality]) }
        if comparesFaces,
            (taken.score ?? MatchScore(0)) < settings.matchingThreshold || taken.score == nil
        {
            return refuse([.noMatch])
        }
        verdict = VerificationVerdict(
            capture: capture,
            outcome: .accepted(taken.capture, score: comparesFaces ? taken.score : nil),
            checks: session?.checks ?? [], livenessScore: session?.livenessScore ?? 0)
    }

    private mutating func refuse(_ refusals: [SessionRefusal]) {
        guard verdict == nil else { return }
        wantsExtraction = false
        session?.end(refusals[0])
        verdict = VerificationVerdict(
            capture: capture, outcome: .refused(refusals), checks: session?.checks ?? [],
            livenessScore: session?.livenessScore ?? 0)
        // Drop the capture of a refused person, because nobody needs it.
        taken = nil
    }

    private mutating func event(
        _ reading: FaceReading, _ status: FrameEvent.Status, _ action: LivenessAction?,
        _ guidance: Guidance?
    ) -> FrameEvent {
        defer { lastExtraction = nil }
        return FrameEvent(
            reading, status: verdict == nil ? status : .finished, lastExtraction: lastExtraction,
            action: verdict == nil ? action : nil,
            progress: session?.progress ?? 0, livenessScore: session?.livenessScore ?? 0,
            countdown: nil,
            guidance: holder.show(guidance, at: reading.time), captured: taken == nil ? 0 : 1)
    }
}
