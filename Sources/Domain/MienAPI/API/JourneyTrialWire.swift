public import MienCore

/// `POST /v1/journeys/{journey}/versions/{version}/trial`
public struct StartJourneyTrialRequest: Sendable, Hashable, Codable {
    /// The app whose settings apply.
    public var appID: String
    /// The ID of a test account that is signed in when the journey starts.
    public var user: String?
    /// The client's start parameters.
    public var parameters: JSONValue?

    public init(appID: String, user: String? = nil, parameters: JSONValue? = nil) {
        (self.appID, self.user, self.parameters) = (appID, user, parameters)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case appID = "app_id", user, parameters
    }
}

/// `POST /v1/journeys/trial/answer`
public struct AnswerJourneyTrialRequest: Sendable, Hashable, Codable {
    /// The state of the last answer. Only the administrator who started the trial can use it.
    public var state: String
    public var option: String
    /// Not kept, and part of no answer.
    public var data: JSONValue?

    public init(state: String, option: String, data: JSONValue? = nil) {
        (self.state, self.option, self.data) = (state, option, data)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case state, option, data }
}

extension AnswerJourneyTrialRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "an answer in a trial" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A journey that is tried on the server, after the last answer. It asks the client, or it has
/// ended; then ``state`` is `nil`.
public struct JourneyTrialAnswer: Sendable, Hashable, Codable {
    /// To be sent with the next answer; works once.
    public var state: String?
    /// The start, then one turn for each answer.
    public var turns: [TrialTurnAnswer]
    /// Values in its data that open something are replaced by `‹hidden›`.
    public var prompt: SimulatedPromptAnswer?
    /// There is no token: a trial signs nobody in.
    public var completion: SimulatedCompletionAnswer?
    public var rejection: SimulatedRejectionAnswer?
    /// Never holds sensitive fields. Empty after the end.
    public var variables: JSONValue
    public var user: SimulatedUserAnswer?
    public var expiresAt: Int64

    public init(
        state: String? = nil, turns: [TrialTurnAnswer], prompt: SimulatedPromptAnswer? = nil,
        completion: SimulatedCompletionAnswer? = nil, rejection: SimulatedRejectionAnswer? = nil,
        variables: JSONValue, user: SimulatedUserAnswer? = nil, expiresAt: Int64
    ) {
        (self.state, self.turns, self.prompt) = (state, turns, prompt)
        (self.completion, self.rejection) = (completion, rejection)
        (self.variables, self.user, self.expiresAt) = (variables, user, expiresAt)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case state, turns, prompt, completion, rejection, variables, user, expiresAt = "expires_at"
    }
}

extension JourneyTrialAnswer: CustomStringConvertible, CustomReflectable {
    public var description: String { "a trial after \(turns.count) turns" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The steps that the start of a trial or an answer passes.
public struct TrialTurnAnswer: Sendable, Hashable, Codable {
    /// The option that the answer chose; `nil` for the start.
    public var option: String?
    public var path: [PassedStepAnswer]

    public init(option: String? = nil, path: [PassedStepAnswer]) {
        (self.option, self.path) = (option, path)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case option, path }
}
