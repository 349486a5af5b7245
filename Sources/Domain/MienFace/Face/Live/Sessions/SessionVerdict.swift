public import MienCore

/// The result of one liveness check.
public struct LivenessCheckResult: Sendable, Hashable {
    /// The name of a check. Each check declares its own in its file.
    public struct Check: RawRepresentable, Sendable, Hashable, Codable {
        /// Stable: part of JSON output and of the audit log.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The checks of this version.
        public static let all: [Check] = LivenessChecks.all.map { $0.name }
    }

    public let check: Check
    /// `nil` if the check passed.
    public let refusal: SessionRefusal?
    /// The measured value, in the check's own unit, and its limit; `nil` when there was nothing to
    /// measure.
    public let measured: Double?, limit: Double?
    /// 0...100: the highest `livenessThreshold` that the measurement meets; `nil` if the check's
    /// limit does not depend on the threshold.
    public let score: Int?
    /// The number of frames that the check judged, if it counts them.
    public let frames: Int?
    /// The refusal of a check that is only observed, and therefore passed.
    public let observed: SessionRefusal?

    public init(
        _ check: Check, refusal: SessionRefusal?, measured: Double? = nil, limit: Double? = nil,
        score: Int? = nil, frames: Int? = nil, observed: SessionRefusal? = nil
    ) {
        (self.check, self.refusal, self.measured, self.limit) = (check, refusal, measured, limit)
        (self.score, self.frames, self.observed) = (score, frames, observed)
    }

    public var hasPassed: Bool { refusal == nil }
}

/// The frame taken in a session after all liveness checks of its mode passed. Only a session can
/// create one.
public struct LiveCapture: Sendable {
    public let id: CaptureID
    public let mode: FaceCaptureMode
    /// The template entry to enroll or compare.
    public let entry: FaceTemplate.Entry
    /// The frame's index in the stream, counted from 0.
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

/// The verdict of a verification session, with reasons. It names the capture that it judged.
public struct VerificationVerdict: Sendable {
    public enum Outcome: Sendable {
        /// The person is live, as far as the mode can tell, and matches the enrolled one. The score
        /// is `nil` without a template to compare with.
        case accepted(LiveCapture, score: MatchScore?)
        /// Never empty. Show the first reason.
        case refused([SessionRefusal])
    }

    public let capture: CaptureID
    public let outcome: Outcome
    /// The results of the checks. Excludes checks that the session did not reach.
    public let checks: [LivenessCheckResult]
    /// 0...100: the highest `livenessThreshold` whose limits the measurements meet; 0 in the mode
    /// `image`. An accepted session has at least the threshold that it was judged by.
    public let livenessScore: Int

    public var isAccepted: Bool { if case .accepted = outcome { true } else { false } }

    public var refusals: [SessionRefusal] {
        if case .refused(let reasons) = outcome { reasons } else { [] }
    }
}

/// The verdict of an enrollment session.
public struct EnrollmentVerdict: Sendable {
    public enum Outcome: Sendable {
        /// 1...8 frames of one person, enough for a template.
        case captured([LiveCapture])
        /// Never empty. Show the first reason.
        case refused([SessionRefusal])
    }

    public let capture: CaptureID
    public let outcome: Outcome
    public let checks: [LivenessCheckResult]
    /// As in ``VerificationVerdict/livenessScore``.
    public let livenessScore: Int

    public var isCaptured: Bool { if case .captured = outcome { true } else { false } }

    public var refusals: [SessionRefusal] {
        if case .refused(let reasons) = outcome { reasons } else { [] }
    }

    /// Returns the template of the captured frames; `nil` when nothing was captured.
    ///
    /// - Throws: ``FaceTemplateError`` when the frames' descriptors cancel out.
    public func template(packID: PackID, createdAt: Instant) throws(FaceTemplateError)
        -> FaceTemplate?
    {
        guard case .captured(let captures) = outcome else { return nil }
        return try FaceTemplate(
            entries: captures.map(\.entry), packID: packID, createdAt: createdAt)
    }
}
