import MienCore

/// Facts that hold when a step is entered, on any path to it.
struct LintKnowledge: Equatable {
    /// Paths that exist always or sometimes.
    var always: Set<String> = []
    var sometimes: Set<String> = []
    /// Variables that may have members unknown in advance.
    var open: Set<String> = []
    /// Sensitive fields that are still held on every path.
    var secrets: Set<String> = []
    var user: JourneyUser.Level?
    var hasCapture = false
    /// The possible loop stacks, outermost loop first.
    var loops: Set<[StepID]> = [[]]

    /// Returns the facts at the start of a journey.
    init(_ definition: JourneyDefinition) {
        always = [
            "user", "user.level", "app", "app.id", "journey", "journey.id", "journey.version",
            "journey.run", "parameters",
        ]
        sometimes = always.union(["user.id", "user.amr"])
        if definition.requiresUser { user = .authenticated }
        if let parameters = definition.parameters {
            for field in parameters.fields {
                sometimes.insert("parameters.\(field.name)")
                if field.isRequired { always.insert("parameters.\(field.name)") }
            }
        } else {
            open.insert("parameters")
        }
    }

    /// Merges the facts of another path to the same step.
    func joined(_ other: Self) -> Self {
        var both = self
        both.always.formIntersection(other.always)
        both.sometimes.formUnion(other.sometimes)
        both.open.formUnion(other.open)
        both.secrets.formIntersection(other.secrets)
        both.user = user.flatMap { mine in other.user.map { min(mine, $0) } }
        both.hasCapture = hasCapture && other.hasCapture
        both.loops.formUnion(other.loops)
        return both
    }

    /// Returns the facts after a step ended with `outcome`.
    func after(_ outcome: StepFacts.OutcomeFacts, of facts: StepFacts, at step: StepID) -> Self {
        var next = self
        if facts.isClientFacing { next.secrets = [] }
        for assignment in outcome.assigns { next.assign(assignment) }
        next.secrets.formUnion(outcome.secrets)
        if let level = outcome.user { next.user = max(user ?? level, level) }
        if let capture = outcome.capture { next.hasCapture = capture }
        if let holds = outcome.holds {
            let present = holds.expression.presentPaths(whenValueIs: holds.value)
            next.always.formUnion(present)
            next.sometimes.formUnion(present)
        }
        if facts.isLoop {
            next.loops = Set(
                loops.map { Self.stack($0, at: step, isBody: outcome.outcome == .body) })
        }
        return next
    }

    private mutating func assign(_ assignment: StepFacts.Assignment) {
        let name = assignment.variable
        let isOther: (String) -> Bool = { $0 != name && !$0.hasPrefix(name + ".") }
        always = always.filter(isOther).union([name])
        sometimes = sometimes.filter(isOther).union([name])
        secrets = secrets.filter(isOther)
        guard let members = assignment.members else {
            open.insert(name)
            return
        }
        open.remove(name)
        for (member, isAlways) in members {
            sometimes.insert("\(name).\(member)")
            if isAlways { always.insert("\(name).\(member)") }
        }
    }

    private static func stack(_ stack: [StepID], at loop: StepID, isBody: Bool) -> [StepID] {
        let outer = Array(stack.prefix { $0 != loop })
        // Ignore deeper nesting: the run rejects it, and the analysis learns nothing from it.
        return isBody && outer.count < JourneyInstance.maxNestedLoops ? outer + [loop] : outer
    }

    /// A measure of the work of comparing these facts.
    var size: Int {
        1 + always.count + sometimes.count + secrets.count
            + loops.count * JourneyInstance.maxNestedLoops
    }

    /// Adds the facts that the user's level implies.
    var completed: Self {
        guard user != nil else { return self }
        var copy = self
        copy.always.formUnion(["user.id", "user.amr"])
        return copy
    }
}
