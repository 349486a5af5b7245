public import MienCore

/// A journey from start to completion or rejection, as data. `docs/spec/journeys.md` describes the
/// format.
///
///     let journey = try JourneyDefinition.parse(Array(try Data(contentsOf: file)))
///     let findings = JourneyLinter.lint(journey)
public struct JourneyDefinition: Sendable {
    public static let maxBytes = 256 * 1024
    public static let maxDepth = 20
    public static let maxSteps = 500

    public struct Limits: Sendable, Hashable {
        public static let stepsRange = 1...1000, lifetimeRange = 60...86_400

        /// Maximum number of steps between two client responses.
        public let maxSteps: Int
        /// Maximum duration of a run, from its start.
        public let lifetimeSeconds: Int

        public init(maxSteps: Int = 200, lifetimeSeconds: Int = 3600) {
            (self.maxSteps, self.lifetimeSeconds) = (maxSteps, lifetimeSeconds)
        }
    }

    public let id: JourneyID
    /// The version, from 1. A run keeps the version it started with.
    public let version: Int
    public let title: String
    public let description: String?
    public let start: StepID
    public let steps: [StepID: StepDefinition]
    public let limits: Limits
    /// The accepted start parameters; `nil` accepts any, within limits.
    public let parameters: InputSchema?
    /// Whether only a signed-in user can start the journey.
    public let requiresUser: Bool
    /// The parsed document.
    public let source: JSONValue
    /// The uses of every capture step's selfie.
    var captureUses: [StepID: CaptureUse]
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
    /// The step that follows each outcome.
    public let on: [Outcome: StepID]
    var step: any JourneyStep

    /// The step's possible outcomes, in reference order.
    public var outcomes: [Outcome] { step.facts.outcomes.map(\.outcome) }
    public var isClientFacing: Bool { step.facts.isClientFacing }
    /// Whether the step ends the journey.
    public var isEnd: Bool { step.facts.end != nil }
}
