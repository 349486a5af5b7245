import MienCore

/// How recorded tests went.
public struct SimulationReport: Sendable {
    public struct CaseReport: Sendable, Hashable {
        public let name: String
        /// What was expected and what came, one line each; empty when the case passed.
        public let problems: [String]
        /// The steps it went through: `form → face`.
        public let trace: [String]

        public var hasPassed: Bool { problems.isEmpty }
    }

    /// A way out of a step.
    public struct Branch: Sendable, Hashable, Comparable, CustomStringConvertible {
        public let step: StepID
        public let outcome: Outcome

        public var description: String { "\(step).\(outcome)" }
        public static func < (a: Self, b: Self) -> Bool {
            (a.step, a.outcome) < (b.step, b.outcome)
        }
    }

    public let cases: [CaseReport]
    /// Ways out of steps that no case took.
    public let untaken: [Branch]
    /// All there are.
    public let branchCount: Int

    public var hasPassed: Bool { cases.allSatisfy(\.hasPassed) }
}

/// What is missing in, or different about, a value of which only a part is expected.
enum JSONDifference {
    /// - Returns: one line per difference; empty when every member that is expected is there.
    static func lines(expected: JSONValue, actual: JSONValue?, at place: String) -> [String] {
        guard let actual else {
            return ["\(place): expected \(JSONText.write(expected)), there is none"]
        }
        if case .object(let members) = expected, case .object(let others) = actual {
            return members.sorted { $0.key < $1.key }.flatMap { key, value in
                lines(expected: value, actual: others[key], at: "\(place).\(key)")
            }
        }
        return expected == actual
            ? [] : ["\(place): expected \(JSONText.write(expected)), got \(JSONText.write(actual))"]
    }
}
