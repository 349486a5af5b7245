internal import MienCore
internal import MienFace
internal import MienJourney

/// The state machine behind a live capture: to compare a face one frame is enough, a template is
/// made of several.
enum LiveJudgement: Sendable {
    case verification(FaceVerification)
    case enrollment(FaceEnrollment)

    /// Frames a template is made of, as far as live captures go.
    static let framesToEnroll = 4

    /// - Parameter challenge: what was drawn; for `livenessActive` only.
    /// - Throws: `SessionSettingError`, never for rules that were made of policies without faults.
    init(
        _ id: CaptureID, for purpose: CaptureRequest.Purpose, rules: LivenessRules,
        challenge: LivenessChallenge?
    ) throws {
        switch purpose {
        case .authentication:
            let settings = try VerificationSettings(
                mode: rules.mode.captureMode, livenessThreshold: rules.threshold,
                qualityThreshold: rules.quality,
                timeout: .seconds(rules.timeoutSeconds))
            self = .verification(
                try FaceVerification(
                    capture: id, settings: settings, challenge: challenge, comparesFaces: false))
        case .registration:
            let settings = try EnrollmentSettings(
                mode: rules.mode.captureMode, livenessThreshold: rules.threshold,
                qualityThreshold: rules.quality, countdownToCapture: .zero,
                framesToEnroll: Self.framesToEnroll, timeout: .seconds(rules.timeoutSeconds))
            self = .enrollment(
                try FaceEnrollment(capture: id, settings: settings, challenge: challenge))
        }
    }

    /// How it ended.
    struct End {
        /// Empty when somebody is there.
        let refusals: [SessionRefusal]
        /// What was captured of them.
        let entries: [FaceTemplate.Entry]
        let checks: [LivenessCheckResult]
    }

    /// `nil` while it runs.
    var end: End? {
        switch self {
        case .verification(let verification):
            verification.verdict.map { verdict in
                guard case .accepted(let capture, score: _) = verdict.outcome else {
                    return End(refusals: verdict.refusals, entries: [], checks: verdict.checks)
                }
                return End(refusals: [], entries: [capture.entry], checks: verdict.checks)
            }
        case .enrollment(let enrollment):
            enrollment.verdict.map { verdict in
                guard case .captured(let captures) = verdict.outcome else {
                    return End(refusals: verdict.refusals, entries: [], checks: verdict.checks)
                }
                return End(refusals: [], entries: captures.map(\.entry), checks: verdict.checks)
            }
        }
    }

    /// The reading that was handled last is to be described, before the next.
    var wantsExtraction: Bool {
        switch self {
        case .verification(let verification): verification.wantsExtraction
        case .enrollment(let enrollment): enrollment.wantsExtraction
        }
    }

    mutating func handle(_ reading: FaceReading) -> FrameEvent {
        switch self {
        case .verification(var verification):
            defer { self = .verification(verification) }
            return verification.handle(reading)
        case .enrollment(var enrollment):
            defer { self = .enrollment(enrollment) }
            return enrollment.handle(reading)
        }
    }

    /// The answer to ``wantsExtraction``; `nil` when the pipeline could not describe the face.
    mutating func extracted(_ entry: FaceTemplate.Entry?) {
        switch self {
        case .verification(var verification):
            verification.extracted(entry, score: nil)
            self = .verification(verification)
        case .enrollment(var enrollment):
            enrollment.extracted(entry)
            self = .enrollment(enrollment)
        }
    }
}
