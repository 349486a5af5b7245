import MienCore

/// The ways through a journey, and what is known on arrival at each step.
struct JourneyFlow {
    struct Edge: Hashable {
        let from: StepID
        let outcome: Outcome
        let to: StepID
    }

    /// The steps that can be reached.
    private(set) var knowledge: [StepID: LintKnowledge] = [:]
    /// Every way that can be taken, back to loops included.
    private(set) var edges: Set<Edge> = []
    /// Outcomes without a way on, outside a loop.
    private(set) var missing: Set<Missing> = []

    struct Missing: Hashable {
        let step: StepID
        let outcome: Outcome
    }

    init(_ definition: JourneyDefinition) {
        guard definition.steps[definition.start] != nil else { return }
        knowledge[definition.start] = LintKnowledge(definition)
        var waiting: Set<StepID> = [definition.start]
        // Knowledge only shrinks and possibilities only grow, so this ends.
        while let id = waiting.min() {
            waiting.remove(id)
            guard let step = definition.steps[id], let known = knowledge[id] else { continue }
            let facts = step.step.facts
            for outcome in facts.outcomes {
                let after = known.after(outcome, of: facts, at: id)
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

    /// - Returns: whether it is news.
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

    /// Steps from which these edges lead back to themselves.
    func cycles(along isOpen: (Edge) -> Bool) -> Set<StepID> {
        let ways = Dictionary(grouping: edges.filter(isOpen), by: \.from)
        // What has no way in, or no way out, is in no cycle; what remains is, or lies between two.
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
