import MienCore

/// Verifies a person's identity in a separate session that ends with a recommendation.
struct IdentityVerification: JourneyStep {
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

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        run.instance.capture = nil
        let user: UserReference? =
            if let identifier { .identifier(Sensitive(try run.text(identifier))) } else {
                run.instance.user.map { .id($0.id) }
            }
        return .perform(
            .openIdentityVerification(
                VerificationRequest(user: user, callbackURL: callbackURL, liveness: liveness)),
            .openingVerification)
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
        if let sent = input.plain["sessionId"]?.stringValue, sent != session.text {
            throw .notValid("sessionId", "the ID belongs to another session")
        }
        return .perform(
            .readIdentityVerification(
                session, state: input.plain["state"]?.stringValue.map { Sensitive($0) }),
            .readingVerification(session))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .verificationOpened(let session):
            let payload: JSONValue = [
                "start_token": .string(session.startToken),
                "base_endpoint": .string(session.baseEndpoint),
                "endpoint": .string(session.endpoint),
                "session": .string(session.id.text), "state": .string(session.state),
            ]
            return .ask(["payload": payload], .verification(session.id))
        case .verified(let verdict): return try conclude(verdict, &run)
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
