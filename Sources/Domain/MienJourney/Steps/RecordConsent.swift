import MienAPI
import MienCore

/// Shows the text that a person is asked to consent to. `client_input` consents; `cancel` does not.
/// Records the consent with the text's version.
struct RecordConsent: JourneyStep {
    static let wireName: JourneyStepName? = .recordConsent

    static let settings =
        [
            Setting(
                "text_version", .code, required: true,
                "The version of the text, recorded with the consent."),
            Setting("title", .template, "Shown above the text."),
            Setting("text", .template, required: true, "The text the person consents to."),
            Setting(
                "button", .text(maxLength: 100),
                "The label of the button that consents. Default: I consent."),
        ] + ActingUser.settings + FailureSettings.settings + ClientSettings.settings

    let textVersion: String
    let title: ExpressionTemplate?
    let text: ExpressionTemplate
    let button: String
    let user: ActingUser
    let failure: FailureSettings?
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        textVersion = try reader.required("text_version", try reader.code("text_version"))
        title = try reader.template("title", maxLength: 500)
        text = try reader.required(
            "text", try reader.template("text", maxLength: Information.maxTextLength))
        button = try reader.string("button", maxLength: 100) ?? "I consent"
        user = try ActingUser(reader)
        failure = try FailureSettings(reader)
        client = try ClientSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        var success = StepFacts.OutcomeFacts(.success)
        success.consentTextVersion = textVersion
        facts.outcomes = [success]
        facts.reads =
            user.reads + (title?.expressions ?? []).map { StepFacts.Read("title", $0) }
            + text.expressions.map { StepFacts.Read("text", $0) }
        facts.needsUser = user.needed
        facts.add(failure, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        if let identifier = try run.actingUser(user).unresolved {
            return .perform(.resolveUser(identifier), .resolvingUser)
        }
        return try ask(run)
    }

    private func ask(_ run: StepRun) throws(StepFault) -> Move {
        var data: [String: JSONValue] = [
            "text": .string(try shownText(run)), "text_version": .string(textVersion),
            "button_text": .string(button),
        ]
        if let title { data["title"] = .string(try run.text(title)) }
        return .ask(.object(data), .input)
    }

    private func shownText(_ run: StepRun) throws(StepFault) -> String {
        let own = try run.text(text)
        return CaptureConsent.naming(
            search: run.instance.namesSearch == true, run.instance.sharing, in: own)
    }

    func options(_ asked: Asked) -> [ClientOption] { [ClientOption(.clientInput, label: button)] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        guard let user = run.instance.user?.id else { throw .invalidState }
        do throws(StepFault) {
            let text = ConsentText(
                version: textVersion, text: try shownText(run),
                namesSearch: run.instance.namesSearch == true, sharing: run.instance.sharing)
            return .perform(
                .recordConsent(RecordConsentEffect(user: user, text: text)),
                .recordingConsent(user, textVersion: textVersion))
        } catch { return .fail(error.code) }
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        switch (answer, pending) {
        case (.user(let found), _):
            _ = try run.actingUser(user, resolved: found)
            return try ask(run)
        case (.done, .recordingConsent(let user, let textVersion)):
            run.consent(user, textVersion)
            return .leave(.success)
        default: return .fail(answer.refusal)
        }
    }
}
