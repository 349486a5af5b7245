import MienCore

/// The results of recorded tests.
public struct SimulationReport: Sendable {
    public struct CaseReport: Sendable, Hashable {
        public let name: String
        /// Differences from the expected results, one line each; empty if the case passed.
        public let problems: [String]
        /// The steps that the case ran: `form → face`.
        public let trace: [String]

        public var hasPassed: Bool { problems.isEmpty }
    }

    /// An outcome of a step.
    public struct Branch: Sendable, Hashable, Comparable, CustomStringConvertible {
        public let step: StepID
        public let outcome: Outcome

        public var description: String { "\(step).\(outcome)" }
        public static func < (a: Self, b: Self) -> Bool {
            (a.step, a.outcome) < (b.step, b.outcome)
        }
    }

    public let cases: [CaseReport]
    /// Outcomes of steps that no case reached.
    public let untaken: [Branch]
    /// The total number of outcomes.
    public let branchCount: Int

    public var hasPassed: Bool { cases.allSatisfy(\.hasPassed) }
}

/// Compares a value with a partial expectation.
enum JSONDifference {
    /// - Returns: one line per difference; empty if every expected member matches.
    static func lines(expected: JSONValue, actual: JSONValue?, at path: String) -> [String] {
        guard let actual else {
            return ["\(path): expected \(JSONText.write(expected)), got nothing"]
        }
        if case .object(let members) = expected, case .object(let others) = actual {
            return members.sorted { $0.key < $1.key }.flatMap { key, value in
                lines(expected: value, actual: others[key], at: "\(path).\(key)")
            }
        }
        return expected == actual
            ? [] : ["\(path): expected \(JSONText.write(expected)), got \(JSONText.write(actual))"]
    }
}
