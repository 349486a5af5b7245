import MienAPI
public import MienCore

/// Verifies a person's identity in a separate session that ends with a recommendation.
struct IdentityVerification: JourneyStep {
    static let type = StepType.identityVerification
    static let wireName: JourneyStepName? = .identityVerification
    static let effects: [any SimulatedEffect.Type] = [
        OpenVerificationEffect.self, ReadVerificationEffect.self,
    ]
    static let prompts: [any PromptState.Type] = [VerificationPrompt.self]

    static let settings =
        [
            Setting(
                "callback_url", .url,
                "The URL to which the hosted pages redirect the browser afterwards. Apps do not use it."
            ),
            Setting("output_variable", .variable, "Set to `{session_id, recommendation, …}`."),
            Setting("liveness", .liveness, "As for `selfie_acquisition`."),
            Setting(
                "user_identifier", .expression,
                "The user whose identity to verify: a user name, an email address or an external ID. If omitted, the user the journey knows, if any."
            ),
            Setting(
                "establishes_user", .flag, default: false,
                "With `true`, `allow` also means that the person owns the account; otherwise the step fails. From then on the journey acts for the account."
            ),
        ] + FailureSettings.settings + ClientSettings.settings

    let callbackURL: String?
    let outputVariable: String?
    let liveness: LivenessPolicy
    let identifier: JourneyExpression?
    let establishesUser: Bool
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        callbackURL = try reader.url("callback_url")
        outputVariable = try reader.variable("output_variable")
        liveness = try LivenessPolicy(reader)
        identifier = try reader.expression("user_identifier")
        establishesUser = try reader.flag("establishes_user", default: false)
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    let clientCanFail = true

    var facts: StepFacts {
        var facts = StepFacts()
        facts.reads = identifier.map { [StepFacts.Read("user_identifier", $0)] } ?? []
        for outcome in [Outcome.allow, .challenge, .deny] {
            var way = StepFacts.OutcomeFacts(outcome)
            way.capture = outcome == .allow
            if outcome == .allow, establishesUser { way.user = .established }
            if let outputVariable { way.assigns = [StepFacts.Assignment(outputVariable)] }
            facts.outcomes.append(way)
        }
        facts.add(failure, client) { $0.capture = false }
        return facts
    }

    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem] {
        liveness.problems
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        run.instance.capture = nil
        let user: UserReference? =
            if let identifier { .identifier(Sensitive(try run.text(identifier))) } else {
                run.instance.user.map { .id($0.id) }
            }
        return .perform(
            OpenVerificationEffect(
                request: VerificationRequest(
                    user: user, callbackURL: callbackURL, liveness: liveness)), .init())
    }

    func options(_ asked: Asked) -> [ClientOption] {
        let fields = [
            InputSchema.Field.text("sessionId", title: "Session", isRequired: false),
            .text("state", title: "State", isRequired: false),
        ]
        return [ClientOption(.clientInput, label: "Done", schema: InputSchema(fields: fields))]
    }

    /// Some clients send `{payload: {sessionId, state}}`; others send nothing.
    func unwrapped(_ data: JSONValue) -> JSONValue {
        guard case .object(let members) = data, members.count == 1, let payload = members["payload"]
        else { return data }
        return payload
    }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard let session = (asked.state as? VerificationPrompt)?.session else {
            throw .invalidState
        }
        if let sent = input.plain["sessionId"]?.stringValue, sent != session.text {
            throw .notValid("sessionId", "the ID belongs to another session")
        }
        return .perform(
            ReadVerificationEffect(
                session: session, state: input.plain["state"]?.stringValue.map { Sensitive($0) }),
            .init(session: session))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .given(let session as VerificationSession):
            let payload: JSONValue = [
                "start_token": .string(session.startToken),
                "base_endpoint": .string(session.baseEndpoint),
                "endpoint": .string(session.endpoint),
                "session": .string(session.id.text), "state": .string(session.state),
            ]
            return .ask(["payload": payload], Asked(VerificationPrompt(session: session.id)))
        case .given(let verdict as VerificationVerdict): return try conclude(verdict, &run)
        default: return .fail(answer.refusal)
        }
    }

    private func conclude(_ verdict: VerificationVerdict, _ run: inout StepRun) throws(StepFault)
        -> Move
    {
        if let outputVariable {
            let own: [String: JSONValue] = [
                "session_id": .string(verdict.session.text),
                "recommendation": .string(verdict.recommendation.rawValue),
            ]
            try run.set(outputVariable, .object(verdict.summary.merging(own) { $1 }))
        }
        switch verdict.recommendation {
        case .allow:
            if let user = verdict.establishes {
                try run.establish(user)
            } else if establishesUser {
                return .fail(.userMismatch)
            }
            run.instance.capture = verdict.capture
            return .leave(.allow)
        case .challenge: return .leave(.challenge)
        case .deny: return .leave(.deny)
        }
    }
}

extension StepType {
    public static let identityVerification = StepType(declared: "identity_verification")
}

/// A prompt to complete a verification session.
struct VerificationPrompt: PromptState {
    static let name = "verification"
    let session: VerificationID

    private enum CodingKeys: String, CodingKey { case session = "_0" }
}

/// Opens a verification session.
public struct OpenVerificationEffect: StepEffect {
    public let request: VerificationRequest

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = VerificationSession

    public struct Pending: PendingState {
        public static let name = "openingVerification"
        public func accepts(_ answer: VerificationSession) -> Bool { true }
    }
}

/// Reads the verification and compares `state` with the issued one.
public struct ReadVerificationEffect: StepEffect {
    public let session: VerificationID
    public let state: Sensitive<String>?

    public var impact: AuthenticatorImpact { .none }

    public typealias Answer = VerificationVerdict

    public struct Pending: PendingState {
        public static let name = "readingVerification"
        let session: VerificationID

        private enum CodingKeys: String, CodingKey { case session = "_0" }

        public func accepts(_ answer: VerificationVerdict) -> Bool { answer.session == session }
    }
}

public struct VerificationRequest: Sendable, Hashable {
    public let user: UserReference?
    /// The address to which the hosted pages redirect the browser afterwards.
    public let callbackURL: String?
    public let liveness: LivenessPolicy
}

public struct VerificationSession: EffectAnswer {
    public let id: VerificationID
    public let startToken, baseEndpoint, endpoint, state: String

    public init(
        id: VerificationID, startToken: String, baseEndpoint: String, endpoint: String,
        state: String
    ) {
        (self.id, self.startToken, self.baseEndpoint, self.endpoint, self.state) = (
            id, startToken, baseEndpoint, endpoint, state
        )
    }
}

public struct VerificationVerdict: EffectAnswer {
    public enum Recommendation: String, Sendable, Hashable, CaseIterable {
        case allow, challenge, deny
    }

    public let session: VerificationID
    public let recommendation: Recommendation
    /// The account that the verified person owns, if the verification checked that.
    public let establishes: UserID?
    /// The capture that holds the verification's selfie.
    public let capture: CaptureID?
    /// Values for the step's output variable.
    public let summary: [String: JSONValue]

    public init(
        session: VerificationID, recommendation: Recommendation, establishes: UserID? = nil,
        capture: CaptureID? = nil,
        summary: [String: JSONValue] = [:]
    ) {
        (self.session, self.recommendation, self.establishes, self.capture, self.summary) = (
            session, recommendation, establishes, capture, summary
        )
    }
}

extension EffectReply where Answer == VerificationSession {
    public static func verificationOpened(_ session: VerificationSession) -> Self {
        .answer(session)
    }
}

extension EffectReply where Answer == VerificationVerdict {
    public static func verified(_ verdict: VerificationVerdict) -> Self { .answer(verdict) }
}

extension OpenVerificationEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        let id = world.issue(VerificationID.self)
        return .verificationOpened(
            VerificationSession(
                id: id, startToken: "start-token-\(world.issued)",
                baseEndpoint: "https://mien.example", endpoint: "https://mien.example/verify",
                state: "state-\(world.issued)"))
    }
}

extension ReadVerificationEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        guard let name = world.verificationNow, let verification = world.verifications[name] else {
            return .refused(.captureUnfinished)
        }
        var capture: CaptureID?
        if let selfie = verification.selfie.flatMap({ world.selfies[$0] }) {
            let id = world.issue(CaptureID.self)
            world.captures[id] = selfie
            capture = id
        }
        return .verified(
            VerificationVerdict(
                session: session, recommendation: verification.recommendation,
                establishes: verification.user.flatMap { world.user($0) }?.id,
                capture: capture, summary: verification.summary))
    }
}
