internal import MienAPI
internal import MienCore
internal import MienJourney

extension JourneyTrials {
    /// Returns what the administrator sees of a run.
    static func answer(_ state: RunState, _ decision: JourneyDecision, _ token: Sensitive<String>)
        -> JourneyTrialAnswer
    {
        var answer = JourneyTrialAnswer(
            turns: state.trial?.turns ?? [], variables: .object(state.instance.variables),
            user: state.instance.user.map {
                SimulatedUserAnswer(id: $0.id.text, level: $0.level.rawValue)
            }, expiresAt: state.instance.expiresAt.milliseconds)
        switch decision {
        case .perform: preconditionFailure("the runner performs all effects")
        case .ask(let prompt):
            answer.state = token.use { $0 }
            answer.prompt = SimulatedPromptAnswer(prompt)
            answer.prompt?.data = hidingSecrets(in: prompt.data)
        case .complete(let end): answer.completion = SimulatedCompletionAnswer(end)
        case .reject(let end): answer.rejection = SimulatedRejectionAnswer(end)
        }
        return answer
    }

    /// The members of a prompt's data that open something: a capture, a verification, or an OTP
    /// token of the test account.
    static let secrets: Set<String> = [
        "start_token", "endpoint", "registration_code", "approval_code", "state",
    ]

    static let hidden: JSONValue = "‹hidden›"

    static func hidingSecrets(in data: JSONValue) -> JSONValue {
        switch data {
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map {
                        ($0.key, secrets.contains($0.key) ? hidden : hidingSecrets(in: $0.value))
                    }))
        case .array(let items): .array(items.map(hidingSecrets))
        default: data
        }
    }
}
