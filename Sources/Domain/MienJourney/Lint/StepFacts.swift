/// What the linter has to know of a step: what it needs, and what holds after each of its outcomes.
struct StepFacts {
    struct Read {
        let setting: String
        let expression: JourneyExpression
        /// May also read sensitive fields.
        let isSecret: Bool

        init(_ setting: String, _ expression: JourneyExpression, isSecret: Bool = false) {
            (self.setting, self.expression, self.isSecret) = (setting, expression, isSecret)
        }
    }

    struct Assignment {
        let variable: String
        /// The members it is known to have, each with whether it always has it; `nil` when that is
        /// not known.
        let members: [String: Bool]?

        init(_ variable: String, _ members: [String: Bool]? = nil) {
            (self.variable, self.members) = (variable, members)
        }
    }

    struct OutcomeFacts {
        let outcome: Outcome
        /// Without a step to go to, the journey could not go on.
        var isRequired = true
        var assigns: [Assignment] = []
        /// `form.password`: held until the client is asked again.
        var secrets: [String] = []
        /// The same, but the client may leave it out.
        var optionalSecrets: [String] = []
        /// What is known of the user from here on, at least.
        var user: JourneyUser.Level?
        /// A capture is at hand, or no longer.
        var capture: Bool?
        var consentTextVersion: String?
        /// This holds from here on.
        var holds: (expression: JourneyExpression, value: Bool)?

        init(_ outcome: Outcome) { self.outcome = outcome }
    }

    enum Method { case face, other }
    enum End { case complete, reject }

    var outcomes: [OutcomeFacts] = []
    var reads: [Read] = []
    var needsUser: JourneyUser.Level?
    var needsCapture = false
    var needsConsentTextVersion: String?
    var isClientFacing = false
    var isLoop = false
    var end: End?
    /// Signs a user in with.
    var method: Method?
}

extension StepFacts {
    /// What follows from the common settings: failure, cancellation, custom branches.
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
