/// An error in a definition, or something its author probably did not intend.
public struct LintFinding: Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        case error, warning

        public static func < (a: Self, b: Self) -> Bool { a == .error && b == .warning }
    }

    /// A finding's stable code. Codes about the settings of one step are in the step's file.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
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
        let path = [step.map { "steps.\($0)" }, setting].compactMap(\.self).joined(separator: ".")
        return
            "\(severity.rawValue): \(path.isEmpty ? "" : path + ": ")\(message) [\(code.rawValue)]"
    }
}

extension LintFinding.Code {
    public static let danglingTarget = Self(rawValue: "dangling_target"),
        missingOutcome = Self(rawValue: "missing_outcome"),
        unknownOutcome = Self(rawValue: "unknown_outcome")
    public static let unreachableStep = Self(rawValue: "unreachable_step"),
        noCompletion = Self(rawValue: "no_completion")
    public static let unknownVariable = Self(rawValue: "unknown_variable"),
        unassignedVariable = Self(rawValue: "unassigned_variable"),
        unknownMember = Self(rawValue: "unknown_member")
    public static let secretRead = Self(rawValue: "secret_read"),
        secretForgotten = Self(rawValue: "secret_forgotten")
    public static let userMissing = Self(rawValue: "user_missing"),
        captureMissing = Self(rawValue: "capture_missing"),
        capturePurpose = Self(rawValue: "capture_purpose"),
        consentMissing = Self(rawValue: "consent_missing")
    public static let faceWithoutAlternative = Self(rawValue: "face_without_alternative"),
        lightWithoutAlternative = Self(rawValue: "light_without_alternative"),
        livenessOff = Self(rawValue: "liveness_off")
    public static let endlessCycle = Self(rawValue: "endless_cycle"),
        unboundedRetry = Self(rawValue: "unbounded_retry"),
        loopsTooDeep = Self(rawValue: "loops_too_deep"),
        tooManyPaths = Self(rawValue: "too_many_paths")
    public static let unverifiedSignUp = Self(rawValue: "sign_up_without_code"),
        unlockWithoutHold = Self(rawValue: "unlock_without_hold")

    /// The codes that no single step has.
    private static let shared: [Self] = [
        danglingTarget, missingOutcome, unknownOutcome, unreachableStep, noCompletion,
        unknownVariable, unassignedVariable, unknownMember, secretRead, secretForgotten,
        userMissing, captureMissing, capturePurpose, consentMissing, faceWithoutAlternative,
        lightWithoutAlternative, livenessOff,
        endlessCycle, unboundedRetry, loopsTooDeep, tooManyPaths, unverifiedSignUp,
        unlockWithoutHold,
    ]
}

extension LintFinding.Code: CaseIterable {
    public static let allCases = shared + StepType.allCases.flatMap { $0.implementation.lintCodes }
}
