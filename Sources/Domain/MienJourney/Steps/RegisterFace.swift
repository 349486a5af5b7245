public import MienCore

/// Registers the last selfie as the user's reference. Runs on the server without asking the client.
struct RegisterFace: JourneyStep {
    struct Consent: Sendable {
        let textVersion: String
        /// An expression that is true if an earlier form obtained consent.
        let given: JourneyExpression?
        /// Whether consent recorded before this run counts, too.
        let acceptsEarlier: Bool
        /// The text that a capture shows if nothing else obtains consent.
        let shown: CaptureConsent

        /// Whether the capture asks for consent where no earlier step has recorded it.
        var isAskedByCapture: Bool { given == nil && !acceptsEarlier }
    }

    static let settings =
        ActingUser.settings + [
            Setting(
                "consent", .consent,
                "The required consent: `{text_version, given, earlier, title, text, button}`. An earlier `record_consent` step has the same version, or `given` is true, or `earlier` is set and the user consented before this run. With neither `given` nor `earlier`, the capture asks for the consent that is missing, with this text or a standard one."
            )
        ] + FailureSettings.settings

    static let consentKeys = ["text_version", "given", "earlier", "title", "text", "button"]

    let user: ActingUser
    let consent: Consent
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        user = try ActingUser(reader)
        failure = try FailureSettings(reader)
        consent = try Consent(reader)
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
        facts.add(failure, client) { $0.capture = false }
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        let acting = try run.actingUser(user)
        if let identifier = acting.unresolved {
            return .perform(.resolveUser(identifier), .resolvingUser)
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
            return record(user, text: nil)
        }
        if run.instance.captureConsent == consent.textVersion {
            return record(user, text: consent.shown.text)
        }
        guard consent.acceptsEarlier else { throw StepFault(.consentMissing) }
        return .perform(
            .findConsent(FindConsentEffect(user: user, textVersion: consent.textVersion)),
            .findingConsent(user))
    }

    private func record(_ user: UserID, text: String?) -> Move {
        .perform(
            .recordConsent(
                RecordConsentEffect(
                    user: user, text: ConsentText(version: consent.textVersion, text: text))),
            .recordingConsent(user, textVersion: consent.textVersion))
    }

    /// Registers the face and uses the capture up, whatever the result.
    private func register(_ user: UserID, _ run: inout StepRun) throws(StepFault) -> Move {
        guard let capture = run.instance.capture else { throw StepFault(.captureMissing) }
        run.discardCapture()
        return .perform(
            .registerFace(
                RegisterFaceEffect(
                    user: user, capture: capture, consentTextVersion: consent.textVersion)),
            .registeringFace(user, capture: capture))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.user(let found), _):
            return try seeToConsent(try run.actingUser(user, resolved: found), &run)
        case (.done, .recordingConsent(let user, let textVersion)):
            run.consent(user, textVersion)
            return try register(user, &run)
        case (.consent(let isGiven), .findingConsent(let user)):
            return isGiven ? try register(user, &run) : .fail(.consentMissing)
        case (.faceRegistered(_, _, let replacement), _):
            if let replacement { run.replace(replacement) }
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

extension RegisterFace.Consent {
    /// Reads the setting `consent`.
    fileprivate init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        let standard = CaptureConsent.standard
        guard let value = reader.value("consent") else {
            self.init(
                textVersion: standard.textVersion, given: nil, acceptsEarlier: false,
                shown: standard)
            return
        }
        let reader = try SettingReader(
            value, path: reader.path("consent"), known: RegisterFace.consentKeys)
        let version = try reader.required("text_version", try reader.code("text_version"))
        self.init(
            textVersion: version, given: try reader.expression("given"),
            acceptsEarlier: try reader.flag("earlier", default: false),
            shown: CaptureConsent(
                textVersion: version,
                title: try reader.string("title", maxLength: 500) ?? standard.title,
                text: try reader.string("text", maxLength: Information.maxTextLength)
                    ?? standard.text,
                button: try reader.string("button", maxLength: 100) ?? standard.button))
    }
}

/// Stores a capture as the user's reference. The engine has already checked consent.
public struct RegisterFaceEffect: Sendable, Hashable {
    public let user: UserID
    public let capture: CaptureID
    public let consentTextVersion: String
}

extension RegisterFaceEffect {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        guard let index = world.index(of: user),
            let selfie = world.captures.removeValue(forKey: capture)
        else {
            return .refused(.captureMissing)
        }
        world.users[index].faces = [selfie.person]
        return .faceRegistered(user, capture: capture)
    }
}
