import MienCore

/// Registers the last selfie as the user's reference. Runs on the server without asking the client.
struct RegisterFace: JourneyStep {
    struct Consent: Sendable {
        let textVersion: String
        /// An expression that is true if an earlier form obtained consent.
        let given: JourneyExpression?
        /// Whether consent recorded before this run counts, too.
        let acceptsEarlier: Bool
    }

    static let settings =
        ActingUser.settings + [
            Setting(
                "consent", .consent, required: true,
                "The required consent: `{text_version, given, earlier}`. An earlier `record_consent` step has the same version, or `given` is true, or `earlier` is set and the user consented before this run."
            )
        ] + FailureSettings.settings

    static let consentKeys = ["text_version", "given", "earlier"]

    let user: ActingUser
    let consent: Consent
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try ActingUser(reader)
        failure = try FailureSettings(reader)
        let place = reader.path("consent")
        let consent = try SettingReader(
            reader.value("consent") ?? [:], place: place, known: Self.consentKeys)
        self.consent = Consent(
            textVersion: try consent.required("text_version", try consent.code("text_version")),
            given: try consent.expression("given"),
            acceptsEarlier: try consent.flag("earlier", default: false))
    }

    var facts: StepFacts {
        var facts = StepFacts()
        var success = StepFacts.OutcomeFacts(.success)
        success.capture = false
        facts.outcomes = [success]
        facts.reads =
            user.reads + (consent.given.map { [StepFacts.Read("consent.given", $0)] } ?? [])
        facts.needsUser = user.needed
        facts.needsCapture = true
        if consent.given == nil, !consent.acceptsEarlier {
            facts.needsConsentTextVersion = consent.textVersion
        }
        facts.add(failure, client) { $0.capture = false }
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let acting = try run.actingUser(user)
        if let identifier = acting.unresolved {
            return .perform(.resolveUser(identifier: identifier), .resolvingUser)
        }
        return try seeToConsent(acting.user, &run)
    }

    private func seeToConsent(_ user: UserID, _ run: inout StepRun) throws(StepFault) -> Move {
        if run.instance.consents.contains(
            JourneyInstance.Consent(user: user, textVersion: consent.textVersion))
        {
            return try register(user, &run)
        }
        if let given = consent.given, try run.truth(given) {
            return .perform(
                .recordConsent(user: user, ConsentText(version: consent.textVersion, text: nil)),
                .recordingConsent(user, textVersion: consent.textVersion))
        }
        guard consent.acceptsEarlier else { throw StepFault(.consentMissing) }
        return .perform(
            .findConsent(user: user, textVersion: consent.textVersion),
            .findingConsent(user, textVersion: consent.textVersion))
    }

    /// Registers the face and uses the capture up, whatever the result.
    private func register(_ user: UserID, _ run: inout StepRun) throws(StepFault) -> Move {
        guard let capture = run.instance.capture else { throw StepFault(.captureMissing) }
        run.instance.capture = nil
        return .perform(
            .registerFace(user: user, capture: capture, consentTextVersion: consent.textVersion),
            .registeringFace(user, capture, consentTextVersion: consent.textVersion))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.user(let found), _):
            return try seeToConsent(try run.actingUser(user, resolved: found), &run)
        case (.done, .recordingConsent(let user, let version)):
            run.instance.consents.insert(JourneyInstance.Consent(user: user, textVersion: version))
            return try register(user, &run)
        case (.consent(true), .findingConsent(let user, textVersion: _)):
            return try register(user, &run)
        case (.consent(false), _): return .fail(.consentMissing)
        case (.faceRegistered(_, capture: _, let replacement), _):
            if let replacement { run.replace(replacement) }
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}
