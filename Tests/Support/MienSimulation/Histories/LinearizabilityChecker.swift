/// Decides whether a history is linearizable: whether each call can be given one moment between its
/// beginning and its reply, so that one client making the calls in the order of these moments would
/// have received the same replies.
///
///     let verdict = LinearizabilityChecker(SingleUseModel()).check(history)
///     #expect(verdict.isLinearizable, "\(verdict)")
///
/// Finding the moments is NP-complete in general. The search is that of Wing and Gong with the memory
/// of Lowe ("Testing for linearizability", 2017): it tries calls in the order of their beginnings,
/// steps back when a reply contradicts the model, and never visits the same set of calls with the
/// same state twice. Objects are checked one by one, which linearizability permits (Herlihy and Wing,
/// 1990, theorem 1).
public struct LinearizabilityChecker<Model: SequentialModel>: Sendable {
    public let model: Model
    /// The most steps that are tried for one object.
    public let maxSteps: Int

    /// - Parameter maxSteps: at least 1. A step takes about a microsecond.
    public init(_ model: Model, maxSteps: Int = 2_000_000) {
        precondition(maxSteps > 0, "at least one step is needed")
        (self.model, self.maxSteps) = (model, maxSteps)
    }

    public enum Verdict: Sendable {
        case linearizable
        /// No order explains the replies about one object.
        case violation(Counterexample)
        /// The steps did not suffice for the object: too many calls overlap.
        case undecided(key: Model.Key)

        public var isLinearizable: Bool {
            if case .linearizable = self { true } else { false }
        }
        public var isViolation: Bool {
            if case .violation = self { true } else { false }
        }
    }

    /// The calls about one object that no order explains.
    public struct Counterexample: Sendable {
        public let key: Model.Key
        /// The calls, by their beginnings.
        public let operations: [Operation<Model.Call, Model.Reply>]
        /// The longest order that explains all replies in it, as positions in ``operations``.
        public let longestOrder: [Int]
        /// The call whose reply arrived first among those that the longest order could not take in.
        public let blocked: Int
    }

    public func check(_ history: History<Model.Call, Model.Reply>) -> Verdict {
        var undecided: Model.Key?
        for (key, operations) in history.parts(by: model.key) {
            var search = LinearizationSearch(model, operations)
            switch search.run(atMost: maxSteps) {
            case .found: continue
            case .exhausted: undecided = undecided ?? key
            case .none(let longest, let blocked):
                return .violation(
                    Counterexample(
                        key: key, operations: operations, longestOrder: longest, blocked: blocked))
            }
        }
        return undecided.map { .undecided(key: $0) } ?? .linearizable
    }
}

extension LinearizabilityChecker.Verdict: CustomStringConvertible {
    public var description: String {
        switch self {
        case .linearizable: "linearizable"
        case .violation(let example): "\(example)"
        case .undecided(let key): "undecided: the calls about \(key) overlap too much"
        }
    }
}

extension LinearizabilityChecker.Counterexample: CustomStringConvertible {
    /// One line for each call: where it stands in the longest order that works, who called when, the
    /// call, and the reply.
    public var description: String {
        let places = Dictionary(
            uniqueKeysWithValues: longestOrder.enumerated().map { ($1, $0 + 1) })
        let lines = operations.enumerated().map { number, operation in
            let place = number == blocked ? "✗" : places[number].map { "\($0)" } ?? "-"
            let end = operation.outcome.map { "\($0.ended)" } ?? "?"
            let reply = operation.outcome.map { "\($0.reply)" } ?? "unknown"
            return
                "  \(place)  client \(operation.client)  \(operation.began)…\(end)  \(operation.call) → \(reply)"
        }
        return (["not linearizable: no order explains the replies about \(key)"] + lines)
            .joined(separator: "\n")
    }
}
