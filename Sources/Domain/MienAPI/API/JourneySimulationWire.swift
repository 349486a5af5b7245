public import MienCore

/// The answer of `POST /v1/journeys/simulate`. After the last turn, the run asks the client, or it
/// has ended.
public struct SimulateJourneyAnswer: Sendable, Hashable, Codable {
    public var turns: [SimulatedTurnAnswer]
    public var prompt: SimulatedPromptAnswer?
    public var completion: SimulatedCompletionAnswer?
    public var rejection: SimulatedRejectionAnswer?
    /// Never holds sensitive fields. Empty after the end.
    public var variables: JSONValue
    public var user: SimulatedUserAnswer?

    public init(
        turns: [SimulatedTurnAnswer], prompt: SimulatedPromptAnswer? = nil,
        completion: SimulatedCompletionAnswer? = nil,
        rejection: SimulatedRejectionAnswer? = nil, variables: JSONValue,
        user: SimulatedUserAnswer? = nil
    ) {
        (self.turns, self.prompt, self.completion) = (turns, prompt, completion)
        (self.rejection, self.variables, self.user) = (rejection, variables, user)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case turns, prompt, completion, rejection, variables, user
    }
}

/// The steps that the start or an answer passes.
public struct SimulatedTurnAnswer: Sendable, Hashable, Codable {
    public var path: [PassedStepAnswer]
    /// Why the answer was rejected; the run then stays at its step.
    public var mistake: ClientMistakeAnswer?

    public init(path: [PassedStepAnswer], mistake: ClientMistakeAnswer? = nil) {
        (self.path, self.mistake) = (path, mistake)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case path, mistake }
}

public struct PassedStepAnswer: Sendable, Hashable, Codable {
    public var step: String
    public var outcome: String

    public init(step: String, outcome: String) { (self.step, self.outcome) = (step, outcome) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case step, outcome }
}

public struct ClientMistakeAnswer: Sendable, Hashable, Codable {
    public var code: String
    public var problems: [Problem.FieldError]

    public init(code: String, problems: [Problem.FieldError]) {
        (self.code, self.problems) = (code, problems)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case code, problems }
}

public struct SimulatedPromptAnswer: Sendable, Hashable, Codable {
    /// The step's name in the definition.
    public var step: String
    /// The name that clients switch on.
    public var journeyStepID: String
    public var data: JSONValue
    /// Each has `id`, `type`, `label`, and, if it takes data, its `schema`. The first is the default.
    public var options: [JSONValue]
    /// The last failure of a step since the client's last answer.
    public var error: String?

    public init(
        step: String, journeyStepID: String, data: JSONValue, options: [JSONValue],
        error: String? = nil
    ) {
        (self.step, self.journeyStepID, self.data) = (step, journeyStepID, data)
        (self.options, self.error) = (options, error)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case step, journeyStepID = "journey_step_id", data, options, error
    }
}

public struct SimulatedCompletionAnswer: Sendable, Hashable, Codable {
    /// The ID of the user who has signed in.
    public var user: String?
    public var amr: [String]
    public var acr: String?
    public var claims: JSONValue

    public init(user: String?, amr: [String], acr: String?, claims: JSONValue) {
        (self.user, self.amr, self.acr, self.claims) = (user, amr, acr, claims)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case user, amr, acr, claims }
}

public struct SimulatedRejectionAnswer: Sendable, Hashable, Codable {
    public var cause: String
    public var step: String?
    public var reason: String

    public init(cause: String, step: String?, reason: String) {
        (self.cause, self.step, self.reason) = (cause, step, reason)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case cause, step, reason }
}

/// The user as the run knows them.
public struct SimulatedUserAnswer: Sendable, Hashable, Codable {
    public var id: String
    /// `identified`, `established`, or `authenticated`.
    public var level: String

    public init(id: String, level: String) { (self.id, self.level) = (id, level) }

    public enum CodingKeys: String, CodingKey, CaseIterable { case id, level }
}
