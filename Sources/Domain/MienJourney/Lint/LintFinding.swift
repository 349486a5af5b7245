/// An error in a definition, or something its author probably did not intend.
public struct LintFinding: Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        case error, warning

        public static func < (a: Self, b: Self) -> Bool { a == .error && b == .warning }
    }

    /// A finding's stable code.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        case danglingTarget = "dangling_target", missingOutcome = "missing_outcome",
            unknownOutcome = "unknown_outcome"
        case unreachableStep = "unreachable_step", noCompletion = "no_completion"
        case unknownVariable = "unknown_variable", unassignedVariable = "unassigned_variable",
            unknownMember = "unknown_member"
        case secretRead = "secret_read", secretForgotten = "secret_forgotten"
        case userMissing = "user_missing", captureMissing = "capture_missing", consentMissing =
            "consent_missing"
        case faceWithoutAlternative = "face_without_alternative", livenessOff = "liveness_off"
        case endlessCycle = "endless_cycle", unboundedRetry = "unbounded_retry", loopsTooDeep =
            "loops_too_deep"
        case signUpWithoutCode = "sign_up_without_code"
        case webhookNotHTTPS = "webhook_not_https"
        case unlockWithoutHold = "unlock_without_hold"
    }

    public let severity: Severity
    public let code: Code
    public let step: StepID?
    /// The setting in the step's `config`, or `on.failure`, `start`.
    public let setting: String?
    /// The problem and the remedy.
    public let message: String

    init(
        _ severity: Severity, _ code: Code, _ step: StepID?, _ setting: String? = nil,
        _ message: String
    ) {
        (self.severity, self.code, self.step, self.setting, self.message) = (
            severity, code, step, setting, message
        )
    }

    public var description: String {
        let place = [step.map { "steps.\($0)" }, setting].compactMap(\.self).joined(separator: ".")
        return
            "\(severity.rawValue): \(place.isEmpty ? "" : place + ": ")\(message) [\(code.rawValue)]"
    }
}
