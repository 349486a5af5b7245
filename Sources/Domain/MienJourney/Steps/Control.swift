import MienCore

/// Goes one of two ways.
struct Condition: JourneyStep {
    static let settings = [Setting("expression", .expression, required: true, "True or false.")]

    let expression: JourneyExpression

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        expression = try reader.required("expression", try reader.expression("expression"))
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.reads = [StepFacts.Read("expression", expression)]
        for (outcome, value) in [(Outcome.isTrue, true), (.isFalse, false)] {
            var outcome = StepFacts.OutcomeFacts(outcome)
            outcome.holds = (expression, value)
            facts.outcomes.append(outcome)
        }
        facts.outcomes.append(.expressionFailure)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        .leave(try run.truth(expression) ? .isTrue : .isFalse)
    }
}

/// Runs its body again and again. A way of the body that leads nowhere means: try again.
struct Loop: JourneyStep {
    static let settings = [
        Setting(
            "max_iterations", .integer(1...100), required: true, "How often the body runs at most."),
        Setting(
            "condition", .expression,
            "Looked at before each iteration; the loop is done when it is false."),
        Setting("counter_variable", .variable, "Set to the iteration's number, from 1."),
    ]

    let maxIterations: Int
    let condition: JourneyExpression?
    let counterVariable: String?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        maxIterations = try reader.required(
            "max_iterations", try reader.integer("max_iterations", 1...100))
        condition = try reader.expression("condition")
        counterVariable = try reader.variable("counter_variable")
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.isLoop = true
        facts.reads = condition.map { [StepFacts.Read("condition", $0)] } ?? []
        var body = StepFacts.OutcomeFacts(.body)
        if let counterVariable { body.assigns = [StepFacts.Assignment(counterVariable)] }
        if let condition { body.holds = (condition, true) }
        facts.outcomes = [body, StepFacts.OutcomeFacts(.done)]
        if condition != nil { facts.outcomes.append(.expressionFailure) }
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        // Back from the body: what was begun in it is over.
        if let place = run.instance.loops.firstIndex(where: { $0.step == run.step }) {
            run.instance.loops.removeLast(run.instance.loops.count - place - 1)
        } else {
            guard run.instance.loops.count < JourneyInstance.maxNestedLoops else {
                throw StepFault(.limitReached)
            }
            run.instance.loops.append(JourneyInstance.LoopState(step: run.step, iteration: 0))
        }
        var state = run.instance.loops.removeLast()
        guard state.iteration < maxIterations,
            try condition.map({ expression throws(StepFault) in try run.truth(expression) }) ?? true
        else {
            return .leave(.done)
        }
        state.iteration += 1
        if let counterVariable { try run.set(counterVariable, .number(Double(state.iteration))) }
        run.instance.loops.append(state)
        return .leave(.body)
    }
}

/// Computes. All expressions read what was there before.
struct SetVariables: JourneyStep {
    static let settings = [
        Setting(
            "variables", .expressions(maxCount: 50), required: true,
            "Variables and the expressions they are set to.")
    ]

    let variables: [String: JourneyExpression]

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        variables = try reader.required(
            "variables", try reader.expressions("variables", maxCount: 50))
        for name in variables.keys.sorted() {
            try reader.check(variable: name, at: "variables.\(name)")
        }
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.reads = variables.sorted { $0.key < $1.key }.map {
            StepFacts.Read("variables.\($0.key)", $0.value)
        }
        var success = StepFacts.OutcomeFacts(.success)
        success.assigns = variables.keys.sorted().map { StepFacts.Assignment($0) }
        facts.outcomes = [success, .expressionFailure]
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        for (name, value) in try run.values(variables) { try run.set(name, value) }
        return .leave(.success)
    }
}

extension StepFacts.OutcomeFacts {
    /// For an expression that has no value. Without a step to go to, the journey ends.
    static let expressionFailure = {
        var facts = Self(.failure)
        facts.isRequired = false
        return facts
    }()
}
