internal import MienCore
internal import MienFace
internal import MienJourney

/// The state machine of a live capture. Comparing a face takes one frame; a template is made of
/// several.
enum LiveJudgment: Sendable {
    case verification(FaceVerification)
    case enrollment(FaceEnrollment)

    /// The number of frames that live captures make a template of.
    static let framesToEnroll = 4

    /// - Parameters:
    ///   - challenge: The drawn challenge; only for `livenessActive`.
    ///   - light: The drawn colors.
    /// - Throws: `SessionSettingError`, but never for rules that were made from valid policies.
    init(
        _ id: CaptureID, for purpose: CaptureRequest.Purpose, rules: LivenessRules,
        presentation: PresentationMode, challenge: LivenessChallenge?, light: LiveColors?
    ) throws {
        let challenge = light.map { (challenge ?? .passive).lit(by: $0.challenge) } ?? challenge
        switch purpose {
        case .authentication:
            let settings = try VerificationSettings(
                mode: rules.mode.captureMode, livenessThreshold: rules.threshold,
                qualityThreshold: rules.quality,
                timeout: .seconds(rules.timeoutSeconds), presentation: presentation,
                light: light?.mode ?? .off)
            self = .verification(
                try FaceVerification(
                    capture: id, settings: settings, challenge: challenge, comparesFaces: false))
        case .registration:
            let settings = try EnrollmentSettings(
                mode: rules.mode.captureMode, livenessThreshold: rules.threshold,
                qualityThreshold: rules.quality, countdownToCapture: .zero,
                framesToEnroll: Self.framesToEnroll, timeout: .seconds(rules.timeoutSeconds),
                presentation: presentation, light: light?.mode ?? .off)
            self = .enrollment(
                try FaceEnrollment(capture: id, settings: settings, challenge: challenge))
        }
    }

    /// The result of a capture.
    struct End {
        /// Empty if a live person is present.
        let refusals: [SessionRefusal]
        /// The captured entries of that person.
        let entries: [FaceTemplate.Entry]
        let checks: [LivenessCheckResult]
    }

    /// `nil` while the capture is running.
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

    /// Whether the last reading must be described before the next one is handled.
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

    /// Takes the entry that ``wantsExtraction`` requested, or `nil` if the pipeline could not
    /// describe the face.
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
