import MienAPI
public import MienCore

extension JourneyInstance {
    /// Handles an event and returns the next action.
    ///
    /// - Throws: ``JourneyClientError`` for a client mistake, which leaves the run unchanged. Late
    ///   and foreign results count as client mistakes.
    public mutating func handle(
        _ event: JourneyEvent, in definition: JourneyDefinition, at now: Instant
    ) throws(JourneyClientError) -> JourneyDecision {
        try handle(event, in: definition, at: now, isInterrupted: { false })
    }

    /// - Parameter isInterrupted: Whether the caller no longer waits. The run is then rejected.
    mutating func handle(
        _ event: JourneyEvent, in definition: JourneyDefinition, at now: Instant,
        isInterrupted: @escaping () -> Bool
    ) throws(JourneyClientError) -> JourneyDecision {
        guard definition.id == journey, definition.version == version else { throw .invalidState }
        var run = StepRun(
            instance: self, definition: definition, now: now, isInterrupted: isInterrupted)
        run.instance.transitions = []
        let decision = try run.handle(event)
        self = run.instance
        return decision
    }
}

extension StepRun {
    fileprivate mutating func handle(_ event: JourneyEvent) throws(JourneyClientError)
        -> JourneyDecision
    {
        switch (instance.position, event) {
        case (.completed, _), (.rejected, _): throw .noActiveJourney
        case _ where now >= instance.expiresAt: return end(.expired, reason: "expired")
        case (.created, .start(let parameters, let user)): return try start(parameters, user)
        case (.asking(let step, let asked), .response(let response)):
            instance.stepsSinceAnswer = 0
            instance.failure = nil
            return try respond(response, step, asked)
        case (.performing(let ticket, let pending), .performed(let result)):
            guard result.ticket == ticket, pending.accepts(result.answer) else {
                throw .invalidState
            }
            return resume(result.answer, pending, ticket.step)
        case (.created, .response), (.created, .performed), (.asking, .start),
            (.asking, .performed), (.performing, .start), (.performing, .response):
            throw .invalidState
        }
    }

    private mutating func start(_ parameters: JSONValue, _ user: JourneyUser?)
        throws(JourneyClientError) -> JourneyDecision
    {
        instance.variables["parameters"] = .object(
            try Self.checked(parameters, definition.parameters))
        instance.user = user
        guard !definition.requiresUser || user?.level == .authenticated else {
            return end(.notSignedIn, reason: "not_signed_in")
        }
        return enter(definition.start)
    }

    static let maxParameterBytes = 16 * 1024, maxParameterDepth = 8

    private static func checked(_ parameters: JSONValue, _ schema: InputSchema?)
        throws(JourneyClientError) -> [String: JSONValue]
    {
        if let schema {
            switch schema.validate(parameters) {
            case .success(let input): return input.plain
            case .failure(let error): throw .notValid(error.problems)
            }
        }
        switch parameters {
        case .null: return [:]
        case .object(let members):
            guard parameters.depth <= maxParameterDepth,
                ExpressionEvaluator.weight(parameters) <= maxParameterBytes
            else {
                throw .notValid(
                    "",
                    "expected at most \(maxParameterBytes) bytes and \(maxParameterDepth) levels"
                )
            }
            return members
        case .bool, .number, .string, .array:
            throw .notValid("", "expected an object, not \(parameters.kind)")
        }
    }

    // MARK: Client responses

    private mutating func respond(_ response: ClientResponse, _ id: StepID, _ asked: Asked)
        throws(JourneyClientError) -> JourneyDecision
    {
        guard let definition = definition.steps[id] else {
            return end(.journeyError, id, reason: "journey_error")
        }
        step = id
        let options = definition.options(asked)
        let (option, data) = try Self.chosen(response, options)
        let input: ValidInput
        // Discard the client's own account of its failure or cancellation.
        if option.kind == .fail || option.kind == .cancel {
            input = ValidInput()
        } else {
            switch (option.schema ?? .nothing).validate(definition.step.unwrapped(data)) {
            case .success(let valid): input = valid
            case .failure(let error): throw .notValid(error.problems)
            }
        }
        switch option.kind {
        case .cancel: return proceed(cancelled(definition), id)
        case .fail: return proceed(.fail(.clientFailed), id)
        case .custom where definition.step.client?.branches.contains { $0.id == option.id } ?? false:
            keep(input, in: definition.step.client?.branchVariable)
            return proceed(.leave(.branch(option.id)), id)
        case .clientInput, .resend, .custom:
            return proceed(try definition.step.respond(option, input, asked, &self), id)
        }
    }

    /// The keys under which a `custom` response names its branch.
    private static let branchKeys = ["branch_id", "branchId"]

    /// Returns the chosen option, by its own ID or an alias.
    private static func chosen(_ response: ClientResponse, _ options: [ClientOption])
        throws(JourneyClientError) -> (ClientOption, JSONValue)
    {
        var id = response.option, data = response.data.use { $0 }
        let kind = ClientOptionType(spelling: id)
        if kind == .custom {
            guard case .object(var members) = data,
                let key = branchKeys.first(where: { members[$0] != nil }),
                let branch = members.removeValue(forKey: key)?.stringValue
            else { throw .notValid("branch_id", "the data of “custom” needs the ID of a branch") }
            id = branch
            data = .object(members)
        }
        guard
            let option = options.first(where: {
                kind == nil || kind == .custom ? $0.kind == .custom && $0.id == id : $0.kind == kind
            })
        else {
            throw .notValid(
                "option",
                "unknown option; the options are \(options.map(\.id).joined(separator: ", "))"
            )
        }
        return (option, data)
    }

    private func cancelled(_ definition: StepDefinition) -> Move? {
        definition.step.client?.cancelBehavior == .branch ? .leave(.cancel) : nil
    }

    private mutating func proceed(_ move: Move?, _ id: StepID) -> JourneyDecision {
        guard let move else { return end(.cancelled, id, reason: "cancelled") }
        return advance(move, from: id)
    }

    // MARK: Advancing

    private mutating func resume(_ answer: EffectAnswer, _ pending: Pending, _ id: StepID)
        -> JourneyDecision
    {
        guard let definition = definition.steps[id] else {
            return end(.journeyError, id, reason: "journey_error")
        }
        step = id
        do { return advance(try definition.step.resume(answer, pending, &self), from: id) } catch {
            return advance(.fail(error.code), from: id)
        }
    }

    private mutating func enter(_ id: StepID) -> JourneyDecision {
        var next = id
        while true {
            guard let definition = definition.steps[next] else {
                return end(.journeyError, next, reason: "journey_error")
            }
            instance.stepsRun += 1
            instance.stepsSinceAnswer += 1
            guard instance.stepsSinceAnswer <= self.definition.limits.maxSteps, !isInterrupted()
            else {
                return end(.tooManySteps, next, reason: "too_many_steps")
            }
            step = next
            var move: Move
            do { move = try definition.step.enter(&self) } catch { move = .fail(error.code) }
            switch follow(move, definition) {
            case .decided(let decision): return decision
            case .on(let target): next = target
            }
        }
    }

    private mutating func advance(_ move: Move, from id: StepID) -> JourneyDecision {
        guard let definition = definition.steps[id] else {
            return end(.journeyError, id, reason: "journey_error")
        }
        switch follow(move, definition) {
        case .decided(let decision): return decision
        case .on(let target): return enter(target)
        }
    }

    private enum Way {
        case on(StepID)
        case decided(JourneyDecision)
    }

    private mutating func follow(_ move: Move, _ definition: StepDefinition) -> Way {
        switch move {
        case .perform(let work, let pending):
            instance.turns += 1
            let ticket = EffectTicket(step: definition.id, turn: instance.turns)
            instance.position = .performing(ticket, pending)
            return .decided(.perform(JourneyEffect(ticket: ticket, work: work)))
        case .ask(let data, let asked):
            instance.secrets = [:]
            guard let name = definition.type.wireName else {
                return .decided(end(.journeyError, definition.id, reason: "journey_error"))
            }
            instance.position = .asking(definition.id, asked)
            return .decided(
                .ask(
                    ClientPrompt(
                        stepID: definition.id, journeyStepID: name.rawValue, data: data,
                        options: definition.options(asked), failure: instance.failure)))
        case .leave(let outcome): return leave(outcome, definition)
        case .fail(let code): return fail(code, definition)
        case .complete(let completion):
            close(.completed)
            return .decided(.complete(completion))
        case .reject(let reason): return .decided(end(.rejected, definition.id, reason: reason))
        }
    }

    private mutating func leave(_ outcome: Outcome, _ definition: StepDefinition) -> Way {
        instance.transitions.append(
            JourneyInstance.Transition(step: definition.id, outcome: outcome))
        // In a loop's body, an outcome without a next step starts another iteration.
        guard let target = definition.on[outcome] ?? instance.loops.last?.step else {
            return .decided(end(.journeyError, definition.id, reason: "journey_error"))
        }
        return .on(target)
    }

    private mutating func fail(_ code: StepErrorCode, _ definition: StepDefinition) -> Way {
        let failure = definition.step.failure
        instance.failure = code
        if let variable = failure?.errorVariable {
            instance.variables[variable] = [
                "code": .string(code.rawValue), "step": .string(definition.id.text),
            ]
        }
        // Steps without a failure setting continue after a failure if the definition has a next
        // step.
        let goesOn = failure.map { $0.behavior == .branch } ?? (definition.on[.failure] != nil)
        guard goesOn, definition.on[.failure] != nil || !instance.loops.isEmpty else {
            instance.transitions.append(
                JourneyInstance.Transition(step: definition.id, outcome: .failure))
            return .decided(end(.failed, definition.id, reason: code.rawValue))
        }
        return leave(.failure, definition)
    }

    private mutating func end(_ cause: Rejection.Cause, _ id: StepID? = nil, reason: String)
        -> JourneyDecision
    {
        let rejection = Rejection(cause: cause, step: id, reason: reason)
        close(.rejected(rejection))
        return .reject(rejection)
    }

    /// Discards the run's variables.
    private mutating func close(_ position: JourneyInstance.Position) {
        instance.position = position
        instance.variables = [:]
        instance.secrets = [:]
        discardCapture()
    }
}

extension StepDefinition {
    /// Returns every option for the client's response.
    func options(_ asked: Asked) -> [ClientOption] {
        guard let client = step.client else { return [] }
        let branches = client.branches.map {
            ClientOption(branch: $0.id, label: $0.label, schema: $0.schema)
        }
        return step.options(asked) + branches + (step.clientCanFail ? [.fail] : []) + [.cancel]
    }
}
