import MienAPI
import MienCore

/// Shows text to the user.
struct Information: JourneyStep {
    static let wireName: JourneyStepName? = .information

    static let maxTextLength = 20_000

    static let settings =
        [
            Setting("title", .template, "Shown above the text."),
            Setting("text", .template, required: true, "The text to show."),
            Setting(
                "button", .text(maxLength: 100),
                "The label of the button that continues. Default: Continue."),
        ] + ClientSettings.settings

    let title: ExpressionTemplate?
    let text: ExpressionTemplate
    let button: String
    let client: ClientSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        title = try reader.template("title", maxLength: 500)
        text = try reader.required(
            "text", try reader.template("text", maxLength: Self.maxTextLength))
        button = try reader.string("button", maxLength: 100) ?? "Continue"
        client = try ClientSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        facts.outcomes = [StepFacts.OutcomeFacts(.success)]
        facts.reads =
            (title?.expressions ?? []).map { StepFacts.Read("title", $0) }
            + text.expressions.map { StepFacts.Read("text", $0) }
        facts.add(nil, client)
        return facts
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        var data: [String: JSONValue] = [
            "text": .string(try run.text(text)), "button_text": .string(button),
        ]
        if let title { data["title"] = .string(try run.text(title)) }
        return .ask(.object(data), .input)
    }

    func options(_ asked: Asked) -> [ClientOption] { [ClientOption(.clientInput, label: button)] }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        .leave(.success)
    }
}
