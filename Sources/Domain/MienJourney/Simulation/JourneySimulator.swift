import MienCore

/// Runs a journey against recorded responses in a simulated world: no server, no clock, no camera.
///
///     let report = JourneySimulator.run(journey, RecordedTest.parse(bytes))
public enum JourneySimulator {
    public static func run(_ definition: JourneyDefinition, _ test: RecordedTest)
        -> SimulationReport
    {
        var taken: Set<SimulationReport.Branch> = []
        let cases = test.cases.map { recorded in
            var simulation = Simulation(definition, in: test.world)
            simulation.play(recorded)
            taken.formUnion(simulation.taken)
            return SimulationReport.CaseReport(
                name: recorded.name, problems: simulation.problems, trace: simulation.trace)
        }
        let all = definition.steps.values.flatMap { step in
            step.outcomes.map { SimulationReport.Branch(step: step.id, outcome: $0) }
        }
        // Do not count outcomes that steps take because an expression fails: the author did not
        // define them.
        let drawn = all.filter { definition.steps[$0.step]?.on[$0.outcome] != nil }
        return SimulationReport(
            cases: cases, untaken: drawn.filter { !taken.contains($0) }.sorted(),
            branchCount: drawn.count)
    }
}

/// One test case in progress.
private struct Simulation {
    private var run: SimulatedRun
    private(set) var problems: [String] = []
    private(set) var trace: [String] = []
    private(set) var taken: Set<SimulationReport.Branch> = []

    init(_ definition: JourneyDefinition, in world: SimulatedWorld) {
        run = SimulatedRun(definition, in: world)
    }

    mutating func play(_ recorded: RecordedTest.Case) {
        var left: [JourneyInstance.Transition] = []
        let first: JourneyDecision?
        do throws(JourneyClientError) {
            first = try run.start(recorded.parameters, user: recorded.user) { left.append($0) }
        } catch {
            problems.append("start: the response was rejected: \(error)")
            first = nil
        }
        note(left, first)
        guard var decision = first else { return }
        for (number, exchange) in recorded.exchanges.enumerated() {
            guard let next = play(exchange, decision, "step \(number + 1)") else { return }
            decision = next
        }
        check(recorded.ending, decision)
    }

    /// - Returns: the next decision; `nil` if the case cannot continue.
    private mutating func play(
        _ exchange: RecordedTest.Exchange, _ decision: JourneyDecision, _ path: String
    ) -> JourneyDecision? {
        guard case .ask(let prompt) = decision else {
            problems.append(
                "\(path): expected \(exchange.step), but the journey ended with \(decision.words)")
            return nil
        }
        guard prompt.journeyStepID == exchange.step else {
            problems.append(
                "\(path): expected \(exchange.step), got \(prompt.journeyStepID) (step “\(prompt.stepID)”)"
            )
            return nil
        }
        problems += JSONDifference.lines(
            expected: exchange.data, actual: prompt.data, at: "\(path): data")
        let options = prompt.options.map(\.id)
        for option in exchange.options where !options.contains(option) {
            problems.append(
                "\(path): expected the option “\(option)”; the options are \(options.joined(separator: ", "))"
            )
        }
        run.now = run.now + .seconds(exchange.afterSeconds)
        (run.world.selfieNow, run.world.verificationNow) = (exchange.selfie, exchange.verification)
        let world = run.world
        for (kind, name, isKnown) in [
            ("selfie", exchange.selfie, exchange.selfie.map { world.selfies[$0] != nil }),
            (
                "verification", exchange.verification,
                exchange.verification.map { world.verifications[$0] != nil }
            ),
            ("key", exchange.key, exchange.key.map { world.keys[$0] != nil }),
        ] where isKnown == false {
            problems.append("\(path): the world has no \(kind) “\(name ?? "")”")
        }
        let response = exchange.response(to: prompt.data, keys: world.keys) { _, challenge in
            "signed:\(challenge)"
        }
        guard let code = exchange.error else { return handle(.response(response), path) }
        return expectMistake(response, code, path) ? decision : nil
    }

    private mutating func expectMistake(
        _ response: ClientResponse, _ code: String, _ path: String
    ) -> Bool {
        do throws(JourneyClientError) {
            _ = try run.handle(.response(response)) { _ in }
            problems.append("\(path): expected the error \(code), but the response was accepted")
            return false
        } catch {
            if error.code.rawValue != code {
                problems.append("\(path): expected the error \(code), got \(error)")
            }
            return true
        }
    }

    /// Handles an event up to the next prompt or the end.
    private mutating func handle(_ event: JourneyEvent, _ path: String) -> JourneyDecision? {
        var left: [JourneyInstance.Transition] = []
        let decision: JourneyDecision?
        do throws(JourneyClientError) { decision = try run.handle(event) { left.append($0) } } catch
        {
            problems.append("\(path): the response was rejected: \(error)")
            decision = nil
        }
        note(left, decision)
        return decision
    }

    private mutating func note(
        _ transitions: [JourneyInstance.Transition], _ decision: JourneyDecision?
    ) {
        for transition in transitions {
            trace.append("\(transition.step) → \(transition.outcome)")
            taken.insert(
                SimulationReport.Branch(step: transition.step, outcome: transition.outcome))
        }
        if let decision { trace.append("  \(decision.words)") }
    }

    private mutating func check(_ ending: RecordedTest.Ending, _ decision: JourneyDecision) {
        switch (ending, decision) {
        case (.success(let user, let amr, let claims), .complete(let completion)):
            if let user, run.world.user(user)?.id != completion.signedInUser {
                problems.append(
                    "end: expected “\(user)” to have signed in, got \(completion.signedInUser?.text ?? "nobody")"
                )
            }
            if let amr, amr != completion.user?.amr ?? [] {
                problems.append(
                    "end: expected amr \(amr.joined(separator: ", ")), got \((completion.user?.amr ?? []).joined(separator: ", "))"
                )
            }
            problems += JSONDifference.lines(
                expected: claims, actual: .object(completion.claims), at: "end: claims")
        case (.rejection(let reason), .reject(let rejection)):
            if let reason, reason != rejection.reason {
                problems.append("end: expected a rejection for \(reason), got \(rejection.reason)")
            }
        case (.success, _): problems.append("end: expected success, got \(decision.words)")
        case (.rejection, _): problems.append("end: expected a rejection, got \(decision.words)")
        }
    }
}

extension JourneyDecision {
    /// A description for people that omits contents.
    fileprivate var words: String {
        switch self {
        case .perform(let effect): "an effect of “\(effect.ticket.step)”"
        case .ask(let prompt): "a prompt for \(prompt.journeyStepID) (“\(prompt.stepID)”)"
        case .complete: "success"
        case .reject(let rejection): "rejection (\(rejection.cause.rawValue): \(rejection.reason))"
        }
    }
}
