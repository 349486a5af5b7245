internal import MienAPI
public import MienCore

/// Plays a journey answer by answer in a simulated world, for an editor: nothing is expected, and
/// each answer shows where it leads.
///
/// A rehearsal starts over each time, so that nothing is kept between two answers. What the client
/// types is not part of the result: sensitive fields are discarded, and variables never hold them.
public struct JourneyRehearsal: Sendable {
    /// The steps that one answer passes.
    public struct Turn: Sendable, Hashable {
        /// The steps that the run left, in order.
        public let path: [JourneyInstance.Transition]
        /// Why the answer was rejected; the run then stays at its step.
        public let mistake: JourneyClientError?
    }

    /// The position of the run after the last answer.
    public enum Position: Sendable, Hashable {
        case asking(ClientPrompt)
        case completed(Completion)
        case rejected(Rejection)
    }

    static let keys = ["definition", "world", "user", "parameters", "answers"]
    static let answerKeys = ["option", "data", "selfie", "verification", "key", "after_seconds"]
    public static let maxAnswers = 200, maxSteps = 5_000

    /// The start, then one turn for each answer.
    public let turns: [Turn]
    /// `nil` if the start was rejected, because its parameters are invalid.
    public let position: Position?
    /// The run's variables. Empty after its end.
    public let variables: [String: JSONValue]
    public let user: JourneyUser?

    /// - Parameters:
    ///   - request: `definition`; `world`, `user`, and `parameters` as in a recorded test; and
    ///     `answers`, each as `respond` of a recorded test with `after_seconds`.
    ///   - isInterrupted: Whether the caller no longer waits. Asked before each step.
    /// - Throws: ``JourneyDefinitionError`` for an invalid request, a run of more than
    ///   ``maxSteps`` steps, and after an interruption.
    public init(_ request: JSONValue, isInterrupted: @escaping () -> Bool = { false })
        throws(JourneyDefinitionError)
    {
        let reader = try SettingReader(request, path: "", known: Self.keys)
        let source = try reader.required("definition", reader.value("definition"))
        let definition: JourneyDefinition
        do throws(JourneyDefinitionError) { definition = try JourneyDefinition(source) } catch {
            throw JourneyDefinitionError(
                path: error.path.isEmpty ? "definition" : "definition.\(error.path)",
                reason: error.reason)
        }
        let world = try SimulatedWorld(reader.value("world") ?? [:])
        let user = try reader.string("user", maxLength: 254)
        if let user, world.user(user) == nil {
            throw reader.error("user", "the world has no such user")
        }
        var rehearsal = Rehearsal(definition, in: world, isInterrupted: isInterrupted)
        try rehearsal.start(reader.value("parameters") ?? .null, user: user)
        for (path, value) in try reader.array("answers", maxCount: Self.maxAnswers) ?? [] {
            try rehearsal.answer(Answer(value, path: path, in: world), path: path)
        }
        turns = rehearsal.turns
        position = rehearsal.position
        (variables, self.user) = (rehearsal.run.instance.variables, rehearsal.run.instance.user)
    }

    /// One answer of the client, and what is in front of the camera.
    fileprivate struct Answer {
        let option: String
        let data: JSONValue
        let selfie, verification, key: String?
        let afterSeconds: Int

        init(_ value: JSONValue, path: String, in world: SimulatedWorld)
            throws(JourneyDefinitionError)
        {
            let reader = try SettingReader(value, path: path, known: JourneyRehearsal.answerKeys)
            option = try reader.required("option", try reader.string("option", maxLength: 64))
            data = reader.value("data") ?? .null
            selfie = try reader.string("selfie", maxLength: 100)
            verification = try reader.string("verification", maxLength: 100)
            key = try reader.string("key", maxLength: 128)
            afterSeconds = try reader.integer("after_seconds", 0...1_000_000, default: 0)
            for (kind, name, isKnown) in [
                ("selfie", selfie, selfie.map { world.selfies[$0] != nil }),
                (
                    "verification", verification,
                    verification.map { world.verifications[$0] != nil }
                ),
                ("key", key, key.map { world.keys[$0] != nil }),
            ] where isKnown == false {
                throw reader.error(kind, "the world has no \(kind) “\(name ?? "")”")
            }
        }
    }
}

/// A rehearsal in progress.
private struct Rehearsal {
    private(set) var run: SimulatedRun
    private(set) var turns: [JourneyRehearsal.Turn] = []
    private(set) var position: JourneyRehearsal.Position?
    private let isInterrupted: () -> Bool

    init(
        _ definition: JourneyDefinition, in world: SimulatedWorld,
        isInterrupted: @escaping () -> Bool
    ) {
        run = SimulatedRun(definition, in: world)
        self.isInterrupted = isInterrupted
    }

    mutating func start(_ parameters: JSONValue, user: String?) throws(JourneyDefinitionError) {
        try turn { run, isInterrupted, note throws(JourneyClientError) in
            try run.start(parameters, user: user, isInterrupted: isInterrupted, note: note)
        }
    }

    mutating func answer(_ answer: JourneyRehearsal.Answer, path: String)
        throws(JourneyDefinitionError)
    {
        guard case .asking(let prompt) = position else {
            throw JourneyDefinitionError(path: path, reason: "the run has ended before this answer")
        }
        run.now = run.now + .seconds(answer.afterSeconds)
        (run.world.selfieNow, run.world.verificationNow) = (answer.selfie, answer.verification)
        let response = response(to: prompt, answer)
        try turn { run, isInterrupted, note throws(JourneyClientError) in
            try run.handle(.response(response), isInterrupted: isInterrupted, note: note)
        }
    }

    /// Returns the response with the members that the answer's key adds to its data.
    private func response(to prompt: ClientPrompt, _ answer: JourneyRehearsal.Answer)
        -> ClientResponse
    {
        guard let key = answer.key, let pair = run.world.keys[key] else {
            return ClientResponse(option: answer.option, data: answer.data)
        }
        return ClientResponse(
            option: answer.option,
            data: pair.completed(
                answer.data, key: key, for: prompt.journeyStepID, prompt.data
            ) { "signed:\($0)" })
    }

    private mutating func turn(
        _ event: (
            inout SimulatedRun, @escaping () -> Bool, (JourneyInstance.Transition) -> Void
        ) throws(JourneyClientError) -> JourneyDecision
    ) throws(JourneyDefinitionError) {
        var path: [JourneyInstance.Transition] = []
        var mistake: JourneyClientError?
        do throws(JourneyClientError) {
            switch try event(&run, isInterrupted, { path.append($0) }) {
            case .ask(let prompt): position = .asking(prompt)
            case .complete(let completion): position = .completed(completion)
            case .reject(let rejection): position = .rejected(rejection)
            case .perform: preconditionFailure("a simulated run performs its effects itself")
            }
        } catch {
            mistake = error
        }
        guard !isInterrupted() else {
            throw JourneyDefinitionError(
                path: "definition",
                reason:
                    "the simulation takes too long; simplify the expressions, or send fewer answers"
            )
        }
        guard run.instance.stepsRun <= JourneyRehearsal.maxSteps else {
            throw JourneyDefinitionError(
                path: "answers",
                reason:
                    "the simulation runs more than \(JourneyRehearsal.maxSteps) steps; send fewer answers"
            )
        }
        turns.append(JourneyRehearsal.Turn(path: path, mistake: mistake))
    }
}
