public import MienCore

/// Calls another system. Success is a response with status 200 to 299.
struct CallWebhook: JourneyStep {
    static let lintCodes = [LintFinding.Code.webhookNotHTTPS]

    static let settings =
        [
            Setting(
                "url", .url, required: true,
                "The URL: `https://…`, without expressions. Send variable data in the body."),
            Setting(
                "body", .expressions(maxCount: 50),
                "The members of the JSON object to send: names and expressions."),
            Setting(
                "timeout_seconds", .integer(1...30), default: 5,
                "How long to wait for the response."),
            Setting("output_variable", .variable, "Set to `{status, body}`."),
        ] + FailureSettings.settings

    let url: String
    let body: [String: JourneyExpression]
    let timeoutSeconds: Int
    let outputVariable: String?
    let failure: FailureSettings?

    init(_ reader: SettingReader) throws(JourneyDefinitionError) {
        url = try reader.required("url", try reader.url("url"))
        body = try reader.expressions("body", maxCount: 50) ?? [:]
        timeoutSeconds = try reader.integer("timeout_seconds", 1...30, default: 5)
        outputVariable = try reader.variable("output_variable")
        failure = try FailureSettings(reader)
    }

    var facts: StepFacts {
        var facts = StepFacts()
        var success = StepFacts.OutcomeFacts(.success)
        if let outputVariable { success.assigns = [StepFacts.Assignment(outputVariable)] }
        facts.outcomes = [success]
        facts.reads = body.sorted { $0.key < $1.key }.map {
            StepFacts.Read("body.\($0.key)", $0.value)
        }
        facts.add(failure, client)
        return facts
    }

    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem] {
        guard !url.hasPrefix("https://") else { return [] }
        return [
            SettingProblem(
                .error, .webhookNotHTTPS, "url",
                "data sent over http can be read and changed in transit; use https")
        ]
    }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move {
        .perform(
            .callWebhook(
                WebhookCall(
                    url: url, body: Sensitive(try run.values(body)), timeoutSeconds: timeoutSeconds)
            ), .callingWebhook)
    }

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    {
        guard case .webhookAnswered(let status, let body) = answer else {
            return .fail(answer.refusal)
        }
        guard (200...299).contains(status) else { return .fail(.webhookFailed) }
        if let outputVariable {
            try run.set(outputVariable, ["status": .number(Double(status)), "body": body])
        }
        return .leave(.success)
    }
}

extension JourneyDefinition {
    /// The URLs that the journey calls, by the steps that do.
    package var webhooks: [(step: StepID, url: String)] {
        steps.compactMap { id, step in (step.step as? CallWebhook).map { (step: id, url: $0.url) } }
            .sorted { $0.step.text < $1.step.text }
    }
}

extension LintFinding.Code {
    public static let webhookNotHTTPS = Self(rawValue: "webhook_not_https")
}

extension SettingReader {
    /// Reads a URL with a host. `http` is accepted, but the linter reports it.
    func url(_ name: String) throws(JourneyDefinitionError) -> String? {
        guard let text = try string(name, maxLength: 2000) else { return nil }
        let rest =
            ["https://", "http://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
            ?? ""
        let host = rest.prefix { !"/?#".contains($0) }
        guard !host.isEmpty, !host.contains("@"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"<>\"\\^`{|}".utf8.contains($0) })
        else {
            throw error(name, "expected a URL: https://host/path, without a user name")
        }
        return text
    }
}

/// A call of another system.
public struct WebhookCall: Sendable, Hashable {
    public let url: String
    public let body: Sensitive<[String: JSONValue]>
    public let timeoutSeconds: Int
}

extension WebhookCall {
    func simulated(in world: SimulatedWorld) -> EffectAnswer {
        guard let webhook = world.webhooks[url] else { return .refused(.webhookFailed) }
        return .webhookAnswered(status: webhook.status, body: webhook.body)
    }
}
