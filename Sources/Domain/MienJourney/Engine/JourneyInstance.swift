public import MienCore

/// One run of a journey. A value: reads no clock, does no I/O, draws no randomness. Same events in,
/// same decisions out.
///
///     var run = JourneyInstance(id: id, of: journey, app: app, at: now)
///     var decision = try run.handle(.start(), in: journey, at: now)
///     while case .perform(let effect) = decision {
///         decision = try run.handle(.performed(effect.result(await performer.perform(effect.work))), in: journey, at: now)
///     }
///     // .ask: store the run, answer the client. .complete, .reject: the end.
///
/// Store it when it asks or ends. Between, secrets that the client sent are held in memory; they
/// are never encoded.
public struct JourneyInstance: Sendable, Equatable {
    public enum Position: Sendable, Hashable, Codable {
        case created
        case performing(EffectTicket, Pending)
        case asking(StepID, Asked)
        case completed
        case rejected(Rejection)
    }

    /// A step that ended, and how.
    public struct Transition: Sendable, Hashable {
        public let step: StepID
        public let outcome: Outcome
    }

    struct LoopState: Sendable, Hashable, Codable {
        let step: StepID
        var iteration: Int
    }

    struct Consent: Sendable, Hashable, Codable {
        let user: UserID
        let textVersion: String
    }

    public static let maxVariableBytes = 128 * 1024
    public static let maxNestedLoops = 8

    public let id: InstanceID
    public let journey: JourneyID
    public let version: Int
    public let app: AppID
    public let createdAt, expiresAt: Instant
    public internal(set) var position: Position = .created
    public internal(set) var variables: [String: JSONValue] = [:]
    public internal(set) var user: JourneyUser?
    /// The last capture of a live person, until it is used.
    public internal(set) var capture: CaptureID?
    /// All in all.
    public internal(set) var stepsRun = 0
    var loops: [LoopState] = []
    var consents: Set<Consent> = []
    var approvalData: [String: String] = [:]
    /// Since the client last answered.
    var stepsSinceAnswer = 0
    var turns = 0
    /// `form.password` → what was typed, until the client is asked again. Never encoded.
    var secrets: [String: Sensitive<String>] = [:]
    /// What the last call of `handle` passed through. Not encoded.
    public internal(set) var transitions: [Transition] = []

    public init(id: InstanceID, of definition: JourneyDefinition, app: AppID, at now: Instant) {
        (self.id, journey, version, self.app) = (id, definition.id, definition.version, app)
        createdAt = now
        expiresAt = now + .seconds(definition.limits.lifetimeSeconds)
    }

    public var hasEnded: Bool {
        switch position {
        case .created, .performing, .asking: false
        case .completed, .rejected: true
        }
    }
}

extension JourneyInstance: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, journey, version, app, createdAt, expiresAt, position, variables, user, capture,
            stepsRun, loops, consents, approvalData
        case stepsSinceAnswer, turns
    }
}

/// Variables hold what people typed; prints show where the run is, not what is in it.
extension JourneyInstance: CustomStringConvertible, CustomReflectable {
    public var description: String { "run \(id) of \(journey) \(version)" }
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "journey": journey, "version": version])
    }
}
