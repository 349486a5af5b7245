import MienAPI
public import MienCore

/// Takes a selfie of a live person. Another step determines whose face it is.
struct SelfieAcquisition: JourneyStep {
    static let wireName: JourneyStepName? = .selfieAcquisition

    static let settings =
        [
            Setting("output_variable", .variable, "Set to `{capture_id, …}`."),
            Setting(
                "purpose", .choice(CaptureRequest.Purpose.allCases.map(\.rawValue)),
                "The purpose of the selfie; a selfie that is stored is taken from several frames. If omitted: `registration` if a `register_face` step can use it and no `authenticate_face` step can, otherwise `authentication`."
            ),
            Setting(
                "liveness", .liveness,
                "The liveness requirements beyond the app's own: `{mode, threshold, quality, timeout_seconds, actions, action_count, accommodation, light, light_accommodation}`."
            ),
            Setting(
                "user_identifier", .expression,
                "The user whose face is expected, as in the following `authenticate_face` step. If a capture fails or is abandoned after the client received an action, it counts as a failed face authentication of this user. If omitted, the user the journey knows, or else the one that the following step names."
            ),
        ] + FailureSettings.settings + ClientSettings.settings

    let outputVariable: String?
    let purpose: CaptureRequest.Purpose?
    let liveness: LivenessPolicy
    let identifier: JourneyExpression?
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        outputVariable = try reader.variable("output_variable")
        purpose = try reader.choice("purpose")
        liveness = try LivenessPolicy(reader)
        identifier = try reader.expression("user_identifier")
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    let clientCanFail = true

    var facts: StepFacts {
        var facts = StepFacts()
        var success = StepFacts.OutcomeFacts(.success)
        success.capture = true
        if let outputVariable { success.assigns = [StepFacts.Assignment(outputVariable)] }
        facts.outcomes = [success]
        facts.reads = identifier.map { [StepFacts.Read("user_identifier", $0)] } ?? []
        facts.replacesCapture = true
        facts.requiresColors = liveness.requiresColors
        facts.add(failure, client) { $0.capture = false }
        return facts
    }

    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem] {
        liveness.problems
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        run.discardCapture()
        let user = try run.expectedFace(identifier)
        return .perform(
            .openCapture(
                CaptureRequest(
                    purpose: purpose ?? run.captureUse.purpose, liveness: liveness, user: user,
                    consent: run.consentToAsk)),
            .openingCapture)
    }

    func options(_ asked: Asked) -> [ClientOption] { [ClientOption(.clientInput, label: "Done")] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .capture(let capture) = asked else { throw .invalidState }
        return .perform(.readCapture(capture), .readingCapture(capture))
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .captureOpened(let capture, let startToken):
            return .ask(["start_token": .string(startToken)], .capture(capture))
        case .captured(let capture, let summary, let consentTextVersion):
            if let outputVariable {
                try run.set(
                    outputVariable,
                    .object(summary.merging(["capture_id": .string(capture.text)]) { $1 }))
            }
            run.keep(capture, consentTextVersion: consentTextVersion)
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

extension LivenessPolicy {
    /// The findings of the linter about the setting `liveness`.
    var problems: [SettingProblem] {
        guard mode == .image else { return [] }
        return [
            SettingProblem(
                .warning, .livenessOff, "liveness",
                "a photo of the person passes unless the app requires more; omit the mode, or use “liveness_active”"
            )
        ]
    }

    /// Whether people who must not see colors cannot pass, as far as the step decides.
    var requiresColors: Bool { light == .require && lightAccommodation != true && mode != .image }

    /// Reads the setting `liveness`.
    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        self.init()
        guard let value = reader.value("liveness") else { return }
        let reader = try SettingReader(value, path: reader.path("liveness"), known: Self.keys)
        mode = try reader.choice("mode")
        threshold = try reader.integer("threshold", Self.gradeRange)
        quality = try reader.integer("quality", Self.gradeRange)
        timeoutSeconds = try reader.integer("timeout_seconds", Self.timeoutRange)
        actions = try reader.choices("actions")
        actionCount = try reader.integer("action_count", Self.actionCountRange)
        if reader.value("accommodation") != nil {
            accommodation = try reader.flag("accommodation", default: true)
        }
        light = try reader.choice("light")
        if reader.value("light_accommodation") != nil {
            lightAccommodation = try reader.flag("light_accommodation", default: false)
        }
        if let fault = faults.first { throw reader.error(fault.setting, "it \(fault.message)") }
    }
}

/// A capture session to open.
public struct CaptureRequest: Sendable, Hashable {
    public enum Purpose: String, Sendable, Codable, CaseIterable {
        case authentication, registration
    }

    public let purpose: Purpose
    /// The step's requirements beyond the app's own.
    public let liveness: LivenessPolicy
    /// The user whose face is expected, if any.
    public let user: UserReference?
    /// The consent without which the capture takes no picture.
    public let consent: CaptureConsent?

    public init(
        purpose: Purpose, liveness: LivenessPolicy = LivenessPolicy(), user: UserReference? = nil,
        consent: CaptureConsent? = nil
    ) {
        (self.purpose, self.liveness, self.user, self.consent) = (purpose, liveness, user, consent)
    }
}

extension CaptureRequest {
    func simulated(in world: inout SimulatedWorld) -> EffectAnswer {
        let id = world.issue(CaptureID.self)
        world.askedConsents[id.text] = consent?.textVersion
        return .captureOpened(id, startToken: "start-token-\(world.issued)")
    }
}

extension SimulatedWorld {
    mutating func read(_ capture: CaptureID) -> EffectAnswer {
        guard let name = selfieNow, let selfie = selfies[name] else {
            return .refused(.captureUnfinished)
        }
        let asked = askedConsents[capture.text]
        guard selfie.isLive, asked == nil || selfie.consents else {
            return .refused(.captureRefused)
        }
        captures[capture] = selfie
        return .captured(capture, summary: [:], consentTextVersion: asked)
    }
}
