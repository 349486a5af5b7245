public import MienAPI
public import MienCore

/// One run of a journey, as a value: it reads no clock, performs no I/O, and uses no randomness.
/// The same events give the same decisions.
///
///     var run = JourneyInstance(id: id, of: journey, app: app, at: now)
///     var decision = try run.handle(.start(), in: journey, at: now)
///     while case .perform(let effect) = decision {
///         decision = try run.handle(.performed(effect.result(await performer.perform(effect.work))), in: journey, at: now)
///     }
///     // .ask: store the run, respond to the client. .complete, .reject: the end.
///
/// Store it when it asks the client or ends. In between, it holds the client's secrets in memory
/// only; they are never encoded.
public struct JourneyInstance: Sendable, Equatable {
    public enum Position: Sendable, Hashable, Codable {
        case created
        case performing(EffectTicket, Pending)
        case asking(StepID, Asked)
        case completed
        case rejected(Rejection)
    }

    /// A completed step and its outcome.
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
    /// The last live capture, until it is used.
    public internal(set) var capture: CaptureID?
    /// Whether texts of consent name the search for duplicates; fixed when the run begins, so that
    /// what is recorded is what was shown.
    public let namesSearch: Bool?
    /// The apps that share faces with this one, as texts of consent name them; fixed when the run
    /// begins.
    public let sharing: FaceSharing?
    /// The version of the text that the person consented to in that capture.
    var captureConsent: String?
    /// The total number of steps in the run.
    public internal(set) var stepsRun = 0
    var loops: [LoopState] = []
    var consents: Set<Consent> = []
    var approvalData: [String: String] = [:]
    /// The last failure of a step since the client's last response.
    var failure: StepErrorCode?
    /// The number of steps since the client's last response.
    var stepsSinceAnswer = 0
    var turns = 0
    /// Sensitive input, such as `form.password`, held until the client is asked again. Never
    /// encoded.
    var secrets: [String: Sensitive<String>] = [:]
    /// The transitions during the last call of `handle`. Not encoded.
    public internal(set) var transitions: [Transition] = []

    /// - Parameters:
    ///   - namesSearch: Whether the app looks for people who register more than once.
    ///   - sharing: The apps that share faces with this one.
    public init(
        id: InstanceID, of definition: JourneyDefinition, app: AppID, namesSearch: Bool = false,
        sharing: FaceSharing? = nil, at now: Instant
    ) {
        (self.namesSearch, self.sharing) = (namesSearch ? true : nil, sharing)
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
            captureConsent, namesSearch, sharing, stepsRun, loops, consents, approvalData
        case failure, stepsSinceAnswer, turns
    }
}

/// Hides variables from printed output because they hold user input. Prints only identify the run.
extension JourneyInstance: CustomStringConvertible, CustomReflectable {
    public var description: String { "run \(id) of \(journey) \(version)" }
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "journey": journey, "version": version])
    }
}
