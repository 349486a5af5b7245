public import MienCore

/// Registers the last selfie as the user's reference. Runs on the server without asking the client.
struct RegisterFace: JourneyStep {
    static let type = StepType.registerFace
    static let effects: [any SimulatedEffect.Type] = [
        ResolveUserEffect.self, RecordConsentEffect.self, FindConsentEffect.self,
        RegisterFaceEffect.self,
    ]

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
            return .perform(ResolveUserEffect(identifier: identifier), .init())
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
                RecordConsentEffect(
                    user: user, text: ConsentText(version: consent.textVersion, text: nil)),
                .init(user: user, textVersion: consent.textVersion))
        }
        if run.instance.captureConsent == consent.textVersion {
            let text = ConsentText(version: consent.textVersion, text: consent.shown.text)
            return .perform(
                RecordConsentEffect(user: user, text: text),
                .init(user: user, textVersion: consent.textVersion))
        }
        guard consent.acceptsEarlier else { throw StepFault(.consentMissing) }
        return .perform(
            FindConsentEffect(user: user, textVersion: consent.textVersion),
            .init(user: user, textVersion: consent.textVersion))
    }

    /// Registers the face and uses the capture up, whatever the result.
    private func register(_ user: UserID, _ run: inout StepRun) throws(StepFault) -> Move {
        guard let capture = run.instance.capture else { throw StepFault(.captureMissing) }
        run.discardCapture()
        return .perform(
            RegisterFaceEffect(
                user: user, capture: capture, consentTextVersion: consent.textVersion),
            .init(user: user, capture: capture, consentTextVersion: consent.textVersion))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending.state) {
        case (.given(let found as ResolveUserEffect.Answer), _):
            return try seeToConsent(try run.actingUser(user, resolved: found.user), &run)
        case (.given(is Done), let recording as RecordConsentEffect.Pending):
            run.consent(recording.user, recording.textVersion)
            return try register(recording.user, &run)
        case (
            .given(let consent as FindConsentEffect.Answer),
            let finding as FindConsentEffect.Pending
        ):
            return consent.isGiven ? try register(finding.user, &run) : .fail(.consentMissing)
        case (.given(let registered as RegisterFaceEffect.Answer), _):
            if let replacement = registered.replacement { run.replace(replacement) }
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

extension StepType {
    public static let registerFace = StepType(declared: "register_face")
}

/// Stores a capture as the user's reference. The engine has already checked consent.
public struct RegisterFaceEffect: StepEffect {
    public let user: UserID
    public let capture: CaptureID
    public let consentTextVersion: String

    public var impact: AuthenticatorImpact { .adds(user) }

    public struct Answer: EffectAnswer {
        public let user: UserID
        public let capture: CaptureID
        /// The face that this one replaces.
        public let replacement: AuthenticatorReplacement?
    }

    public struct Pending: PendingState {
        public static let name = "registeringFace"
        let user: UserID
        let capture: CaptureID
        let consentTextVersion: String

        private enum CodingKeys: String, CodingKey {
            case user = "_0", capture = "_1", consentTextVersion
        }

        public func accepts(_ answer: RegisterFaceEffect.Answer) -> Bool {
            answer.user == user && answer.capture == capture
        }
    }
}

extension EffectReply where Answer == RegisterFaceEffect.Answer {
    /// - Parameter replacement: the face that this one replaces.
    public static func faceRegistered(
        _ user: UserID, capture: CaptureID, _ replacement: AuthenticatorReplacement? = nil
    ) -> Self {
        .answer(Answer(user: user, capture: capture, replacement: replacement))
    }
}

extension RegisterFaceEffect: SimulatedEffect {
    func simulated(in world: inout SimulatedWorld, at now: Instant) -> Reply {
        guard let index = world.index(of: user),
            let selfie = world.captures.removeValue(forKey: capture)
        else {
            return .refused(.captureMissing)
        }
        world.users[index].faces = [selfie.person]
        return .faceRegistered(user, capture: capture)
    }
}
