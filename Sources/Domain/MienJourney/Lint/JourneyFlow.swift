import MienCore

/// The paths through a journey, and the facts known on arrival at each step.
struct JourneyFlow {
    struct Edge: Hashable {
        let from: StepID
        let outcome: Outcome
        let to: StepID
    }

    /// Facts known at each reachable step.
    private(set) var knowledge: [StepID: LintKnowledge] = [:]
    /// Every edge that can be taken, including returns to loops.
    private(set) var edges: Set<Edge> = []
    /// Outcomes outside loops that have no next step.
    private(set) var missing: Set<Missing> = []

    /// Whether every path was followed. Otherwise the facts are those of some paths.
    private(set) var isComplete = true

    /// The facts that are compared before the paths are given up, about a second's work. Journeys
    /// that people write need a hundredth of it. In others, each of many loops leads to each other,
    /// and the number of paths is exponential.
    static let maxWork = 5_000_000
    static let maxLoopStacks = 2_000

    struct Missing: Hashable {
        let step: StepID
        let outcome: Outcome
    }

    init(_ definition: JourneyDefinition) {
        guard definition.steps[definition.start] != nil else { return }
        knowledge[definition.start] = LintKnowledge(definition)
        var waiting: Set<StepID> = [definition.start]
        var work = 0
        // Terminates because knowledge only shrinks and possibilities only grow.
        while let id = waiting.min() {
            waiting.remove(id)
            guard let step = definition.steps[id], let known = knowledge[id] else { continue }
            let facts = step.step.facts
            for outcome in facts.outcomes {
                let after = known.after(outcome, of: facts, at: id)
                work += after.size
                guard work <= Self.maxWork, after.loops.count <= Self.maxLoopStacks else {
                    isComplete = false
                    return
                }
                for (target, knowledge) in ways(step, outcome, after)
                where definition.steps[target] != nil {
                    edges.insert(Edge(from: id, outcome: outcome.outcome, to: target))
                    if learn(knowledge, at: target) { waiting.insert(target) }
                }
            }
        }
    }

    private mutating func ways(
        _ step: StepDefinition, _ outcome: StepFacts.OutcomeFacts, _ after: LintKnowledge
    ) -> [(StepID, LintKnowledge)] {
        if let target = step.on[outcome.outcome] { return [(target, after)] }
        guard outcome.isRequired else { return [] }
        if after.loops.contains([]) {
            missing.insert(Missing(step: step.id, outcome: outcome.outcome))
        }
        return Set(after.loops.compactMap(\.last)).sorted().map { loop in
            var back = after
            back.loops = after.loops.filter { $0.last == loop }
            return (loop, back)
        }
    }

    /// - Returns: whether this changed what is known.
    private mutating func learn(_ new: LintKnowledge, at step: StepID) -> Bool {
        let joined = knowledge[step].map { $0.joined(new) } ?? new
        guard joined != knowledge[step] else { return false }
        knowledge[step] = joined
        return true
    }

    func reachable(from start: StepID, following isOpen: (Edge) -> Bool) -> Set<StepID> {
        let ways = Dictionary(grouping: edges.filter(isOpen), by: \.from)
        var found: Set<StepID> = [start], waiting = [start]
        while let step = waiting.popLast() {
            for edge in ways[step] ?? [] where found.insert(edge.to).inserted {
                waiting.append(edge.to)
            }
        }
        return found
    }

    /// Returns the steps that can be reached from themselves along these edges.
    func cycles(along isOpen: (Edge) -> Bool) -> Set<StepID> {
        let ways = Dictionary(grouping: edges.filter(isOpen), by: \.from)
        return Set(
            ways.keys.filter { start in
                var found: Set<StepID> = [], waiting = (ways[start] ?? []).map(\.to)
                while let step = waiting.popLast() {
                    if step == start { return true }
                    if found.insert(step).inserted { waiting += (ways[step] ?? []).map(\.to) }
                }
                return false
            })
    }
}
