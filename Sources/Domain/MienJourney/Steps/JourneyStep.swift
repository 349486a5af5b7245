import MienCore

/// A type of step: its settings, its behavior, and the facts for the linter. Each type or family of
/// types has one file.
protocol JourneyStep: Sendable {
    static var settings: [Setting] { get }

    init(_ reader: SettingReader) throws(JourneyDefinitionError)

    var facts: StepFacts { get }
    /// The failure settings; `nil` for steps without them.
    var failure: FailureSettings? { get }
    /// The client settings; set for steps that ask the client.
    var client: ClientSettings? { get }
    /// Whether the client can report a failure.
    var clientCanFail: Bool { get }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move
    /// Returns the client's options, except custom branches, failure, and cancellation.
    func options(_ asked: Asked) -> [ClientOption]
    /// Returns the data in the form that the option's schema describes.
    func unwrapped(_ data: JSONValue) -> JSONValue
    /// Handles the client's choice of one of ``options(_:)``, with data that matches its schema.
    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    /// - Parameter answer: an answer to `pending` for the same user, capture, and session.
    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
}

/// A step's next action.
enum Move {
    case perform(JourneyEffect.Work, Pending)
    case ask(JSONValue, Asked)
    case leave(Outcome)
    case fail(StepErrorCode)
    case complete(Completion)
    case reject(reason: String)
}

extension JourneyStep {
    var failure: FailureSettings? { nil }
    var client: ClientSettings? { nil }
    var clientCanFail: Bool { false }

    func options(_ asked: Asked) -> [ClientOption] { [] }
    func unwrapped(_ data: JSONValue) -> JSONValue { data }

    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    {
        throw .invalidState
    }

    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    { .fail(answer.refusal) }
}

extension EffectResult.Answer {
    /// The refusal's code. Any unexpected answer counts as an outage.
    var refusal: StepErrorCode {
        if case .refused(let code) = self { code } else { .unavailable }
    }
}
