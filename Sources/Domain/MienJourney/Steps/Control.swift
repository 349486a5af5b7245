import MienCore

/// Chooses one of two outcomes.
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

/// Repeats its body. An outcome in the body without a next step starts another iteration.
struct Loop: JourneyStep {
    static let settings = [
        Setting(
            "max_iterations", .integer(1...100), required: true, "The maximum number of iterations."
        ),
        Setting(
            "condition", .expression,
            "Checked before each iteration; the loop ends when it is false."),
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
        // When the body returns to this loop, the loops started inside it end.
        if let index = run.instance.loops.firstIndex(where: { $0.step == run.step }) {
            run.instance.loops.removeLast(run.instance.loops.count - index - 1)
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

/// Computes variables. All expressions read the values from before the step.
struct SetVariables: JourneyStep {
    static let settings = [
        Setting(
            "variables", .expressions(maxCount: 50), required: true,
            "Variable names and the expressions that compute their values.")
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
    /// The outcome of an expression without a value. Without a next step, the journey ends.
    static let expressionFailure = {
        var facts = Self(.failure)
        facts.isRequired = false
        return facts
    }()
}
