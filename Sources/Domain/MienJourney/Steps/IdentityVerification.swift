import MienAPI
public import MienCore

/// Verifies a person's identity in a separate session that ends with a recommendation.
///
/// The session captures a document and a selfie, or with `documents: none` a selfie alone. On a server
/// that checks no documents, a step that needs one turns `allow` into `challenge`, so that nobody is
/// allowed for a document that was not checked.
///
/// A client that answers before the session has ended is asked again, with what the session waits for.
struct IdentityVerification: JourneyStep {
    static let wireName: JourneyStepName? = .identityVerification
    static let lintCodes: [LintFinding.Code] = [.documentsUnchecked]

    /// The documents that a step accepts as sufficient.
    enum Documents: String, CaseIterable, Sendable { case none }

    static let settings =
        [
            Setting(
                "documents", .choice(Documents.allCases.map(\.rawValue)),
                "The documents that must be checked. Without this setting, any that the server checks, and a live selfie. `none` accepts the selfie alone. On a server that checks no documents, a step without this setting answers `challenge` instead of `allow`."
            ),
            Setting(
                "document_live", .flag, default: false,
                "With `true`, the person tilts the document in front of the camera, and its reflections must move. Otherwise the step answers `challenge` at best. An app's setting can ask for it, too."
            ),
            Setting(
                "review", .flag, default: false,
                "With `true`, a session that would answer `challenge` opens a case in Reviews, and the step waits for the decision: accepting answers `allow`, rejecting `deny`, and asking again begins another session. Needs a known user and a document."
            ),
            Setting(
                "callback_url", .returnAddress,
                "The address to which the hosted pages return afterwards: a URL, or one with a scheme of an app's own, such as `com.example.shop://verified`, that the app's redirect URIs list. Apps with screens of their own do not use it."
            ),
            Setting("output_variable", .variable, "Set to `{session_id, recommendation, …}`."),
            Setting("liveness", .liveness, "As for `selfie_acquisition`."),
            Setting(
                "user_identifier", .expression,
                "The user whose identity to verify: a user name, an email address or an external ID. If omitted, the user the journey knows, if any."
            ),
            Setting(
                "establishes_user", .flag, default: false,
                "With `true`, `allow` also means that the person owns the account: the selfie matches the user's registered face, and is used up. Otherwise the step fails as `authenticate_face` does. From then on the journey acts for the account."
            ),
        ] + FailureSettings.settings + ClientSettings.settings

    let documents: Documents?
    let documentLive: Bool
    let isReviewed: Bool
    let callbackURL: String?
    let outputVariable: String?
    let liveness: LivenessPolicy
    let user: CheckedUser
    let establishesUser: Bool
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        documents = try reader.choice("documents")
        documentLive = try reader.flag("document_live", default: false)
        isReviewed = try reader.flag("review", default: false)
        if isReviewed, documents != nil {
            throw reader.error("review", "needs a document to review; omit documents")
        }
        callbackURL = try reader.returnAddress("callback_url")
        outputVariable = try reader.variable("output_variable")
        liveness = try LivenessPolicy(reader)
        user = try CheckedUser(reader)
        establishesUser = try reader.flag("establishes_user", default: false)
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    let clientCanFail = true
    var asked: AuthenticatorType? { establishesUser ? .face : nil }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.reads = user.reads
        if establishesUser {
            facts.needsUser = user.needed
            facts.proof = .weak
        }
        if isReviewed { facts.needsUser = .established }
        for outcome in [Outcome.allow, .challenge, .deny] {
            var way = StepFacts.OutcomeFacts(outcome)
            way.capture = outcome == .allow && !establishesUser
            if outcome == .allow, establishesUser { way.user = .established }
            if let outputVariable { way.assigns = [StepFacts.Assignment(outputVariable)] }
            facts.outcomes.append(way)
        }
        facts.replacesCapture = true
        facts.requiresColors = liveness.requiresColors
        facts.add(failure, client) { $0.capture = false }
        return facts
    }

    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem] {
        let unchecked =
            documents == nil
            ? [
                SettingProblem(
                    .warning, .documentsUnchecked, "documents",
                    "on a server that checks no documents, this step never answers allow; set documents to “none” to accept a live selfie alone"
                )
            ] : []
        return unchecked + liveness.problems
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        run.discardCapture()
        let review = isReviewed ? try reviewed(run) : nil
        let expected =
            establishesUser ? try run.reference(user) : try run.expectedFace(user.identifier)
        return .perform(
            .openVerification(
                VerificationRequest(
                    user: expected, callbackURL: callbackURL, liveness: liveness,
                    isCompared: establishesUser || !run.captureUse.comparisons.isEmpty,
                    consent: run.consentToAsk, needsDocument: documents == nil,
                    tiltsDocument: documentLive, review: review)), .openingVerification)
    }

    private func reviewed(_ run: StepRun) throws(StepFault) -> VerificationReview {
        guard let user = run.instance.user, user.level >= .established else {
            throw StepFault(.userMissing)
        }
        return VerificationReview(user: user.id, until: run.instance.expiresAt)
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
        guard case .verification(let session) = asked else { throw .invalidState }
        if let sent = input.plain["sessionId"]?.stringValue, sent != session.id.text {
            throw .notValid("sessionId", "the ID belongs to another session")
        }
        return .perform(
            .readVerification(
                ReadVerificationEffect(
                    session: session,
                    state: input.plain["state"]?.stringValue.map { Sensitive($0) },
                    callbackURL: callbackURL)),
            .readingVerification(session))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.verificationOpened(let session), _): return ask(session)
        case (.verified(let verdict), _): return try conclude(verdict, &run)
        case (.unfinished(let wait), _) where wait.reason == .askedAgain: return try enter(&run)
        case (.unfinished(let wait), .readingVerification(let session)):
            return ask(session.with(endpoint: wait.endpoint), wait.reason)
        case (.proof(let proof), _):
            try run.establish(proof)
            return .leave(.allow)
        case (_, .checkingFace): return .fail(run.reported(answer.refusal, user))
        default: return .fail(answer.refusal)
        }
    }

    /// - Parameter reason: What the session waits for, if the client has answered before its end.
    private func ask(_ session: VerificationSession, _ reason: VerificationWait.Reason? = nil)
        -> Move
    {
        var payload: [String: JSONValue] = [
            "start_token": .string(session.startToken),
            "base_endpoint": .string(session.baseEndpoint), "session": .string(session.id.text),
            "state": .string(session.state),
        ]
        payload["endpoint"] = session.endpoint.map { .string($0) }
        if !session.required.isEmpty {
            payload["required"] = .array(session.required.map { .string($0) })
        }
        payload["status"] = reason.map { .string($0.rawValue) }
        var data: [String: JSONValue] = ["payload": .object(payload)]
        if let reason {
            data["error"] = ["code": .string(reason.error.rawValue)]
            data["poll_seconds"] = reason.pollSeconds.map { .number(Double($0)) }
        }
        return .ask(.object(data), .verification(session))
    }

    private func conclude(_ verdict: VerificationVerdict, _ run: inout StepRun) throws(StepFault)
        -> Move
    {
        let recommendation =
            verdict.recommendation == .allow && documents == nil && !verdict.checkedDocument
            ? .challenge : verdict.recommendation
        if let outputVariable {
            let own: [String: JSONValue] = [
                "session_id": .string(verdict.session.text),
                "recommendation": .string(recommendation.rawValue),
            ]
            try run.set(outputVariable, .object(verdict.summary.merging(own) { $1 }))
        }
        switch recommendation {
        case .allow:
            if establishesUser { return try compare(verdict, run) }
            if let capture = verdict.capture {
                run.keep(capture, consentTextVersion: verdict.consentTextVersion)
            }
            return .leave(.allow)
        case .challenge: return .leave(.challenge)
        case .deny: return .leave(.deny)
        }
    }

    /// Compares the verification's selfie with the user's registered face.
    private func compare(_ verdict: VerificationVerdict, _ run: StepRun) throws(StepFault) -> Move {
        let reference = try run.reference(user)
        guard let capture = verdict.capture else { throw StepFault(.captureMissing) }
        return .perform(
            .authenticateFace(AuthenticateFaceEffect(user: reference, capture: capture)),
            .checkingFace(expected: reference.expected, capture: capture))
    }
}

extension LintFinding.Code {
    public static let documentsUnchecked = Self(rawValue: "documents_unchecked")
}

/// Reads the verification and compares `state` with the issued one.
public struct ReadVerificationEffect: Sendable, Hashable {
    /// The session as the client knows it.
    public let session: VerificationSession
    public let state: Sensitive<String>?
    /// Where the session's page returns to.
    public let callbackURL: String?
}

/// A verification session to open.
public struct VerificationRequest: Sendable, Hashable {
    public let user: UserReference?
    /// The address to which the hosted pages redirect the browser afterwards.
    public let callbackURL: String?
    public let liveness: LivenessPolicy
    /// Whether the selfie can be compared with the user's registered face, by this step or a later
    /// one. A capture that fails or is abandoned then counts as a guess.
    public let isCompared: Bool
    /// The consent without which the capture takes no picture.
    public let consent: CaptureConsent?
    /// Whether a document must be checked, too, if the server can.
    public let needsDocument: Bool
    /// Whether the document must be tilted, so that its reflections move.
    public let tiltsDocument: Bool
    /// The review that decides a challenge; `nil` if the step answers `challenge`.
    public let review: VerificationReview?
}

/// A review of a verification whose recommendation is to challenge.
public struct VerificationReview: Sendable, Hashable {
    /// The user whose case it is.
    public let user: UserID
    /// The end of the run that waits for the decision.
    public let until: Instant
}

/// The reason a verification has not ended.
public struct VerificationWait: Sendable, Hashable {
    public enum Reason: String, Sendable, CaseIterable {
        /// Pictures are missing, or wait for the submission.
        case requiresInput = "requires_input"
        case processing
        /// Other pictures are needed, then another submission.
        case recapture
        /// A reviewer decides.
        case inReview = "in_review"
        /// A reviewer asked for other pictures, which need another session.
        case askedAgain = "asked_again"

        /// The error that the client is shown: the person or the server has to act.
        var error: StepErrorCode {
            switch self {
            case .requiresInput, .recapture, .askedAgain: .captureUnfinished
            case .processing, .inReview: .notYet
            }
        }

        /// How often a client may usefully answer again; `nil` if it waits for the person.
        var pollSeconds: Int? {
            switch self {
            case .requiresInput, .recapture, .askedAgain: nil
            case .processing: 2
            case .inReview: 30
            }
        }
    }

    public let session: VerificationID
    public let reason: Reason
    /// A link to the capture page that was not used; `nil` keeps the one the client has.
    public let endpoint: String?

    public init(session: VerificationID, reason: Reason, endpoint: String? = nil) {
        (self.session, self.reason, self.endpoint) = (session, reason, endpoint)
    }
}

public struct VerificationSession: Sendable, Hashable, Codable {
    public let id: VerificationID
    public let startToken, baseEndpoint, state: String
    /// The one-time link to the capture page; `nil` if there is no such page.
    public let endpoint: String?
    /// The parts that a session with a document captures: `document`, `document_live` if
    /// it is tilted, and `selfie`. Empty for a selfie alone, whose
    /// start token is that of a capture.
    public let required: [String]

    public init(
        id: VerificationID, startToken: String, baseEndpoint: String, state: String,
        endpoint: String? = nil, required: [String] = []
    ) {
        (self.id, self.startToken, self.baseEndpoint, self.state) = (
            id, startToken, baseEndpoint, state
        )
        (self.endpoint, self.required) = (endpoint, required)
    }

    fileprivate func with(endpoint new: String?) -> VerificationSession {
        VerificationSession(
            id: id, startToken: startToken, baseEndpoint: baseEndpoint, state: state,
            endpoint: new ?? endpoint, required: required)
    }
}

public struct VerificationVerdict: Sendable, Hashable {
    public enum Recommendation: String, Sendable, Hashable, CaseIterable {
        case allow, challenge, deny
    }

    public let session: VerificationID
    public let recommendation: Recommendation
    /// The capture that holds the verification's selfie.
    public let capture: CaptureID?
    /// Values for the step's output variable.
    public let summary: [String: JSONValue]
    /// The version of the text that the person consented to in the capture.
    public let consentTextVersion: String?
    /// Whether a document was checked.
    public let checkedDocument: Bool

    public init(
        session: VerificationID, recommendation: Recommendation, capture: CaptureID? = nil,
        summary: [String: JSONValue] = [:], consentTextVersion: String? = nil,
        checkedDocument: Bool = false
    ) {
        self.checkedDocument = checkedDocument
        (self.session, self.recommendation, self.capture, self.summary) = (
            session, recommendation, capture, summary
        )
        self.consentTextVersion = consentTextVersion
    }
}

extension VerificationRequest {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let id = world.issue(VerificationID.self)
        world.askedConsents[id.text] = consent?.textVersion
        return .verificationOpened(
            VerificationSession(
                id: id, startToken: "start-token-\(world.issued)",
                baseEndpoint: "https://mien.example", state: "state-\(world.issued)"))
    }
}

extension ReadVerificationEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let session = session.id
        guard let name = world.verificationNow, let verification = world.verifications[name] else {
            return .unfinished(VerificationWait(session: session, reason: .requiresInput))
        }
        if let wait = verification.waits {
            return .unfinished(VerificationWait(session: session, reason: wait))
        }
        let asked = world.askedConsents[session.text]
        var capture: CaptureID?
        if let selfie = verification.selfie.flatMap({ world.selfies[$0] }) {
            guard asked == nil || selfie.consents else {
                return .verified(VerificationVerdict(session: session, recommendation: .deny))
            }
            let id = world.issue(CaptureID.self)
            world.captures[id] = selfie
            capture = id
        }
        return .verified(
            VerificationVerdict(
                session: session, recommendation: verification.recommendation,
                capture: capture, summary: verification.summary,
                consentTextVersion: asked, checkedDocument: verification.checksDocument))
    }
}

extension SettingReader {
    /// Reads an address to which a page returns. Whether an app may have its scheme is checked when
    /// the app runs the journey.
    fileprivate func returnAddress(_ name: String) throws(JourneyDefinitionError) -> String? {
        guard let text = try string(name, maxLength: 2000) else { return nil }
        if AppSettings.isOwnScheme(text) { return text }
        return try url(name)
    }
}
