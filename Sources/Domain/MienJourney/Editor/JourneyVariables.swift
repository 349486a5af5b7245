internal import MienCore

/// The variables that expressions of each step can read, for completion in an editor.
///
///     for variable in JourneyVariables.inScope(of: journey)[step] ?? [] { print(variable) }
public enum JourneyVariables {
    /// A variable or one of its members: `form`, `form.username`.
    public struct Variable: Sendable, Hashable, Comparable {
        public let path: String
        /// Whether it is set on every path to the step. Otherwise guard it with `has()`.
        public let isAlwaysSet: Bool
        /// Whether it may have members that are not known in advance.
        public let isOpen: Bool
        /// Whether it is a sensitive field, which only settings for secrets can read.
        public let isSecret: Bool

        public static func < (a: Self, b: Self) -> Bool { a.path < b.path }
    }

    /// - Returns: the variables of each reachable step, by path. A step that no path reaches is
    ///   missing.
    public static func inScope(of definition: JourneyDefinition) -> [StepID: [Variable]] {
        inScope(of: JourneyFlow(definition))
    }

    static func inScope(of flow: JourneyFlow) -> [StepID: [Variable]] {
        flow.knowledge.mapValues { known in
            let known = known.completed
            let plain = known.sometimes.union(known.always).map {
                Variable(
                    path: $0, isAlwaysSet: known.always.contains($0),
                    isOpen: known.open.contains($0), isSecret: false)
            }
            let secrets = known.secrets.map {
                Variable(path: $0, isAlwaysSet: true, isOpen: false, isSecret: true)
            }
            return (plain + secrets).sorted()
        }
    }
}
