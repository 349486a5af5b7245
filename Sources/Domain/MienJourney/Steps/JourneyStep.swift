import MienCore

/// A type of step: its settings, what it does, and what the linter has to know of it. All in one
/// file per type or family.
protocol JourneyStep: Sendable {
    static var settings: [Setting] { get }

    init(_ reader: SettingReader) throws(JourneyDefinitionError)

    var facts: StepFacts { get }
    /// How failures go on; `nil` for steps without these settings.
    var failure: FailureSettings? { get }
    /// Set for steps that ask the client.
    var client: ClientSettings? { get }
    /// Can the client say that it failed?
    var clientCanFail: Bool { get }

    func enter(_ run: inout StepRun) throws(StepFault) -> Move
    /// How the client can answer, besides custom branches, failure and cancellation.
    func options(_ asked: Asked) -> [ClientOption]
    /// Data as the option's schema knows it.
    func unwrapped(_ data: JSONValue) -> JSONValue
    /// One of ``options(_:)`` was chosen, with data that fits its schema.
    func respond(_ option: ClientOption, _ input: ValidInput, _ asked: Asked, _ run: inout StepRun)
        throws(JourneyClientError) -> Move
    /// - Parameter answer: one that answers `pending`, about the same things.
    func resume(_ answer: EffectResult.Answer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
}

/// Where a step goes from where it is.
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
    /// Why not. Anything that is no refusal and was not understood is an outage.
    var refusal: StepErrorCode {
        if case .refused(let code) = self { code } else { .unavailable }
    }
}
