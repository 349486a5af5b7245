public import MienCore

/// A journey: what happens from the start to a completion or rejection, as data. Format:
/// `docs/spec/journeys.md`.
///
///     let journey = try JourneyDefinition.parse(Array(try Data(contentsOf: file)))
///     let findings = JourneyLinter.lint(journey)
public struct JourneyDefinition: Sendable {
    public static let maxBytes = 256 * 1024
    public static let maxDepth = 20
    public static let maxSteps = 500

    public struct Limits: Sendable, Hashable {
        public static let stepsRange = 1...1000, lifetimeRange = 60...86_400

        /// Steps between two answers of the client.
        public let maxSteps: Int
        /// Of a run, from its start.
        public let lifetimeSeconds: Int

        public init(maxSteps: Int = 200, lifetimeSeconds: Int = 3600) {
            (self.maxSteps, self.lifetimeSeconds) = (maxSteps, lifetimeSeconds)
        }
    }

    public let id: JourneyID
    /// From 1. A run stays on the version it was started with.
    public let version: Int
    public let title: String
    public let description: String?
    public let start: StepID
    public let steps: [StepID: StepDefinition]
    public let limits: Limits
    /// What can be given at the start; anything within limits when this is `nil`.
    public let parameters: InputSchema?
    /// Only a user who has signed in can start it.
    public let requiresUser: Bool
    /// The document, as it was read.
    public let source: JSONValue
}

extension JourneyDefinition: Hashable, Codable {
    public static func == (a: Self, b: Self) -> Bool { a.source == b.source }
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }

    public init(from decoder: any Decoder) throws { try self.init(try JSONValue(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try source.encode(to: encoder) }
}

/// A step of a journey.
public struct StepDefinition: Sendable {
    public let id: StepID
    public let type: StepType
    public let label: String?
    /// Where each outcome leads.
    public let on: [Outcome: StepID]
    let step: any JourneyStep

    /// The outcomes it can have, in the order of the reference.
    public var outcomes: [Outcome] { step.facts.outcomes.map(\.outcome) }
    public var isClientFacing: Bool { step.facts.isClientFacing }
    /// It ends the journey.
    public var isEnd: Bool { step.facts.end != nil }
}
