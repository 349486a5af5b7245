import MienCore

/// Takes a selfie of a live person. Another step determines whose face it is.
struct SelfieAcquisition: JourneyStep {
    static let settings =
        [
            Setting("output_variable", .variable, "Set to `{capture_id, …}`."),
            Setting(
                "purpose", .choice(CaptureRequest.Purpose.allCases.map(\.rawValue)),
                default: "authentication",
                "The purpose of the selfie; the server may require more of a selfie that it stores."
            ),
            Setting(
                "liveness", .liveness,
                "The liveness requirements beyond the app's own: `{mode, threshold, quality, timeout_seconds, actions, action_count}`."
            ),
            Setting(
                "user_identifier", .expression,
                "The user whose face is expected, as in the following `authenticate_face` step. If a capture fails or is abandoned after the client received an action, it counts as a failed face authentication of this user. If omitted, the user the journey knows, if any."
            ),
        ] + FailureSettings.settings + ClientSettings.settings

    let outputVariable: String?
    let purpose: CaptureRequest.Purpose
    let liveness: LivenessPolicy
    let identifier: JourneyExpression?
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        outputVariable = try reader.variable("output_variable")
        purpose = try reader.choice("purpose", default: .authentication)
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
            .openCapture(CaptureRequest(purpose: purpose, liveness: liveness, user: user)),
            .openingCapture)
    }

    func options(_ asked: Asked) -> [ClientOption] { [ClientOption(.clientInput, label: "Done")] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard case .capture(let capture) = asked else { throw .invalidState }
        return .perform(.readCapture(capture), .readingCapture(capture))
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch answer {
        case .captureOpened(let capture, let startToken):
            return .ask(["start_token": .string(startToken)], .capture(capture))
        case .captured(let capture, let summary):
            if let outputVariable {
                try run.set(
                    outputVariable,
                    .object(summary.merging(["capture_id": .string(capture.text)]) { $1 }))
            }
            run.instance.capture = capture
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}

extension LivenessPolicy {
    /// Reads the setting `liveness`.
    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        self.init()
        guard let value = reader.value("liveness") else { return }
        let reader = try SettingReader(value, place: reader.path("liveness"), known: Self.keys)
        mode = try reader.choice("mode")
        threshold = try reader.integer("threshold", Self.gradeRange)
        quality = try reader.integer("quality", Self.gradeRange)
        timeoutSeconds = try reader.integer("timeout_seconds", Self.timeoutRange)
        actions = try reader.choices("actions")
        actionCount = try reader.integer("action_count", Self.actionCountRange)
        if let fault = faults.first { throw reader.error(fault.setting, "it \(fault.message)") }
    }
}
