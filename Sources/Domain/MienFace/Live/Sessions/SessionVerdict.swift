public import MienCore

/// One check of liveness and what it found.
public struct LivenessCheckResult: Sendable, Hashable {
    /// What is looked at. Stable words.
    public enum Check: String, Sendable, CaseIterable, Codable {
        case order, track, likeness, blink, depth, repetition, motion, texture, replay
        case presentationAttack = "presentation_attack"
    }

    public let check: Check
    /// `nil`: passed.
    public let refusal: SessionRefusal?
    /// What was measured, in the check's own unit, and the limit it was held against; `nil` when
    /// there was nothing to measure.
    public let measured: Double?, limit: Double?

    public init(
        _ check: Check, refusal: SessionRefusal?, measured: Double? = nil, limit: Double? = nil
    ) {
        (self.check, self.refusal, self.measured, self.limit) = (check, refusal, measured, limit)
    }

    public var hasPassed: Bool { refusal == nil }
}

/// The frame of a session that was taken, after all checks of liveness that its mode asks for have
/// passed. Only a session makes one.
public struct LiveCapture: Sendable {
    public let id: CaptureID
    public let mode: FaceCaptureMode
    /// What a template is made of, or compared with.
    public let entry: FaceTemplate.Entry
    /// Of the stream, counted from 0.
    public let frameIndex: Int
    public let time: Duration

    init(
        id: CaptureID, mode: FaceCaptureMode, entry: FaceTemplate.Entry, frameIndex: Int,
        time: Duration
    ) {
        (self.id, self.mode, self.entry, self.frameIndex, self.time) = (
            id, mode, entry, frameIndex, time
        )
    }
}

/// How a verification ended. A value with reasons; it names the capture it judged.
public struct VerificationVerdict: Sendable {
    public enum Outcome: Sendable {
        /// Live as far as the mode tells, and the enrolled person. Without a template to compare
        /// with, the score is `nil`.
        case accepted(LiveCapture, score: MatchScore?)
        /// Never empty; the first is the one to tell.
        case refused([SessionRefusal])
    }

    public let capture: CaptureID
    public let outcome: Outcome
    /// What each check found; those that were not reached are not in it.
    public let checks: [LivenessCheckResult]

    public var isAccepted: Bool { if case .accepted = outcome { true } else { false } }

    public var refusals: [SessionRefusal] {
        if case .refused(let reasons) = outcome { reasons } else { [] }
    }
}

/// How an enrolment ended.
public struct EnrollmentVerdict: Sendable {
    public enum Outcome: Sendable {
        /// 1...8 frames of one person, enough for a template.
        case captured([LiveCapture])
        /// Never empty; the first is the one to tell.
        case refused([SessionRefusal])
    }

    public let capture: CaptureID
    public let outcome: Outcome
    public let checks: [LivenessCheckResult]

    public var isCaptured: Bool { if case .captured = outcome { true } else { false } }

    public var refusals: [SessionRefusal] {
        if case .refused(let reasons) = outcome { reasons } else { [] }
    }

    /// The template of what was captured; `nil` when nothing was.
    ///
    /// - Throws: ``FaceTemplateError``, when the frames' descriptors cancel out.
    public func template(packID: PackID, createdAt: Instant) throws(FaceTemplateError)
        -> FaceTemplate?
    {
        guard case .captured(let captures) = outcome else { return nil }
        return try FaceTemplate(
            entries: captures.map(\.entry), packID: packID, createdAt: createdAt)
    }
}
