/// Facts about a step for the linter: its requirements, and the facts that hold after each outcome.
struct StepFacts {
    struct Read {
        let setting: String
        let expression: JourneyExpression
        /// Whether the setting may also read sensitive fields.
        let isSecret: Bool

        init(_ setting: String, _ expression: JourneyExpression, isSecret: Bool = false) {
            (self.setting, self.expression, self.isSecret) = (setting, expression, isSecret)
        }
    }

    struct Assignment {
        let variable: String
        /// The known members, each with whether it always exists; `nil` if the members are unknown.
        let members: [String: Bool]?

        init(_ variable: String, _ members: [String: Bool]? = nil) {
            (self.variable, self.members) = (variable, members)
        }
    }

    struct OutcomeFacts {
        let outcome: Outcome
        /// Whether the journey cannot continue without a next step for this outcome.
        var isRequired = true
        var assigns: [Assignment] = []
        /// Sensitive fields such as `form.password`, held until the client is asked again.
        var secrets: [String] = []
        /// Sensitive fields that the client may omit.
        var optionalSecrets: [String] = []
        /// The user's minimum level from here on.
        var user: JourneyUser.Level?
        /// Whether an unused capture exists from here on; `nil` for no change.
        var capture: Bool?
        var consentTextVersion: String?
        /// An expression whose value is known from here on.
        var holds: (expression: JourneyExpression, value: Bool)?

        init(_ outcome: Outcome) { self.outcome = outcome }
    }

    enum Method { case face, other }
    /// The strength of what a success proves, for rules about unlocking.
    enum Proof {
        /// An email code or a face alone.
        case weak
        /// Enough to restore access.
        case restoring
    }
    enum End { case complete, reject }

    var outcomes: [OutcomeFacts] = []
    var reads: [Read] = []
    var needsUser: JourneyUser.Level?
    /// The setting that names the user.
    var userSetting = "user_identifier"
    /// The setting with which the step accepts a lower level of the user.
    var levelSetting: String?
    var needsCapture = false
    /// Whether entering the step discards an unused capture.
    var replacesCapture = false
    /// Whether people who must not see the colors of a screen cannot pass the step.
    var requiresColors = false
    var isClientFacing = false
    /// Whether a step that asks the client may also continue at once.
    var mayContinueAtOnce = false
    var isLoop = false
    var end: End?
    /// The authentication method with which the step signs the user in.
    var method: Method?
    var proof: Proof?
    var unlocks = false
    /// Whether the step sets a password without asking for the current one.
    var setsPassword = false
    /// Whether the step creates an account, or verifies the address of one.
    var createsUser = false, verifiesAddress = false
}

/// A finding of the linter about a step's settings alone.
struct SettingProblem {
    let severity: LintFinding.Severity
    let code: LintFinding.Code
    let setting: String
    /// The problem and the remedy.
    let message: String

    init(
        _ severity: LintFinding.Severity, _ code: LintFinding.Code, _ setting: String,
        _ message: String
    ) {
        (self.severity, self.code, self.setting, self.message) = (severity, code, setting, message)
    }
}

extension StepFacts {
    /// Returns the facts of a step whose success signs the user in.
    static func signingIn(_ method: Method, _ proof: Proof?) -> StepFacts {
        var facts = StepFacts()
        facts.method = method
        facts.proof = proof
        var success = OutcomeFacts(.success)
        success.user = .authenticated
        facts.outcomes = [success]
        return facts
    }

    /// Adds the outcomes of the common settings: failure, cancellation, custom branches.
    mutating func add(
        _ failure: FailureSettings?, _ client: ClientSettings?,
        _ change: (inout OutcomeFacts) -> Void = { _ in }
    ) {
        if let failure, failure.behavior == .branch {
            var facts = OutcomeFacts(.failure)
            if let variable = failure.errorVariable {
                facts.assigns.append(Assignment(variable, ["code": true, "step": true]))
            }
            change(&facts)
            outcomes.append(facts)
        }
        guard let client else { return }
        isClientFacing = true
        if client.cancelBehavior == .branch { outcomes.append(OutcomeFacts(.cancel)) }
        for branch in client.branches {
            var facts = OutcomeFacts(.branch(branch.id))
            facts.assign(client.branchVariable, branch.schema)
            outcomes.append(facts)
        }
    }
}

extension StepFacts.OutcomeFacts {
    mutating func assign(_ variable: String?, _ schema: InputSchema) {
        guard let variable else { return }
        let plain = schema.fields.filter { !$0.isSensitive }
        assigns.append(
            StepFacts.Assignment(
                variable, Dictionary(uniqueKeysWithValues: plain.map { ($0.name, $0.isRequired) })))
        for field in schema.fields where field.isSensitive {
            if field.isRequired {
                secrets.append("\(variable).\(field.name)")
            } else {
                optionalSecrets.append("\(variable).\(field.name)")
            }
        }
    }
}
