public import MienAPI
public import MienCore

// MARK: Editing journeys

extension MienAdmin {
    /// Returns the types of steps that journeys consist of.
    public func journeyStepTypes() async throws -> JourneyStepTypesAnswer {
        try await get("journeys", "steps")
    }

    /// Returns what the linter finds in a definition, and each step's outcomes and variables.
    public func checkJourney(_ definition: JSONValue) async throws -> CheckJourneyAnswer {
        try await send(
            .post, "journeys", "check", body: CheckJourneyRequest(definition: definition))
    }

    /// Returns code with which clients answer a step.
    public func journeyCode(_ definition: JSONValue, step: String) async throws
        -> JourneyCodeAnswer
    {
        try await send(
            .post, "journeys", "code",
            body: JourneyCodeRequest(definition: definition, step: step))
    }

    /// Runs a definition in a simulated world.
    ///
    /// - Parameter request: `definition`, `world`, `user`, `parameters`, and `answers`.
    public func simulateJourney(_ request: JSONValue) async throws -> SimulateJourneyAnswer {
        try await send(.post, "journeys", "simulate", body: request)
    }
}

// MARK: Trials

extension MienAdmin {
    /// Tries a version of a journey on the server, also a draft. Effects are real, but only test
    /// accounts take part.
    ///
    /// - Throws: ``MienError`` with the problem `not_found`, `conflict` if the user is not a test
    ///   account, or `invalid_request` if the version cannot be run.
    public func startTrial(
        of journey: JourneyID, version: Int, _ request: StartJourneyTrialRequest
    ) async throws -> JourneyTrialAnswer {
        try await send(
            .post, "journeys", journey.text, "versions", String(version), "trial", body: request,
            isRepeatable: false)
    }

    /// Answers what a trial asks.
    ///
    /// - Throws: ``MienError`` with the problem `client_response_not_valid`, after which the state
    ///   stays valid, or `invalid_state` if the version changed since the trial began.
    public func answerTrial(_ request: AnswerJourneyTrialRequest) async throws
        -> JourneyTrialAnswer
    {
        try await send(.post, "journeys", "trial", "answer", body: request, isRepeatable: false)
    }
}
