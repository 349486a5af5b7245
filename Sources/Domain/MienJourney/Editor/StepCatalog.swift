public import MienCore

/// The step types as an editor offers them.
public enum StepCatalog {
    /// The part that a type of step plays in a journey.
    public enum Role: String, Sendable, Hashable, CaseIterable {
        /// Asks the client.
        case client
        /// Works on the server.
        case server
        /// Chooses the next step, or computes variables.
        case flow
        /// Ends the journey.
        case end
    }

    public struct Entry: Sendable {
        public let type: StepType
        public let role: Role
        /// The JSON Schema of `config`, which refers to ``JourneySchema/definitions``.
        public let settings: JSONValue
        /// The settings that may read sensitive fields.
        public let secrets: [String]
        /// A `config` for a new step: the least that the parser accepts.
        public let example: JSONValue
        /// The outcomes of a step with that config.
        public let outcomes: [Outcome]
    }

    /// Every type, in reference order.
    public static let entries = StepType.allCases.map(Entry.init)
}

extension Setting {
    fileprivate var mayReadSecrets: Bool {
        if case .secret = kind { true } else { false }
    }
}

extension StepCatalog.Entry {
    fileprivate init(_ type: StepType) {
        let example = JSONValue.object(type.implementation.example)
        guard let name = StepID("step"),
            let step = try? StepDefinition(
                name, ["type": .string(type.rawValue), "config": example])
        else { preconditionFailure("the example of “\(type.rawValue)” is invalid") }
        self.type = type
        role =
            if step.isEnd { .end } else if type.wireName != nil { .client } else {
                [.condition, .loop, .setVariables].contains(type) ? .flow : .server
            }
        secrets = type.implementation.settings.filter(\.mayReadSecrets).map(\.name)
        settings = .object(JourneySchema.config(type))
        (self.example, outcomes) = (example, step.outcomes)
    }
}
