import MienAPI
import MienCore

/// A type of step: its names, settings, behavior, and facts for the linter. Each type or family of
/// types has one file, with what its effects contain. ``StepType`` names them.
protocol JourneyStep: Sendable {
    /// The name that clients switch on; `nil` for steps they never see.
    static var wireName: JourneyStepName? { get }
    static var settings: [Setting] { get }
    /// The settings of a new step in an editor: the least that the parser accepts.
    static var example: [String: JSONValue] { get }
    /// The codes of findings that only this step has.
    static var lintCodes: [LintFinding.Code] { get }
    /// The authenticator that the step asks the user for.
    static var authenticator: AuthenticatorType? { get }

    /// The authenticator that the step asks for with its settings: ``authenticator``, unless a
    /// setting decides.
    var asked: AuthenticatorType? { get }

    init(_ reader: SettingReader) throws(JourneyDefinitionError)

    var facts: StepFacts { get }
    /// Returns the findings of the linter about the settings alone.
    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem]
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
    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
}

/// A step's next action.
enum Move {
    /// Requests an effect and remembers what it waits for until the answer arrives.
    case perform(StepEffect, Pending)
    /// Shows the client a prompt with this data.
    case ask(JSONValue, Asked)
    case leave(Outcome)
    case fail(StepErrorCode)
    case complete(Completion)
    case reject(reason: String)
}

extension JourneyStep {
    static var wireName: JourneyStepName? { nil }
    static var example: [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: settings.filter(\.isRequired).map { ($0.name, $0.example) })
    }
    static var lintCodes: [LintFinding.Code] { [] }
    static var authenticator: AuthenticatorType? { nil }
    var asked: AuthenticatorType? { Self.authenticator }

    func problems(within limits: JourneyDefinition.Limits) -> [SettingProblem] { [] }

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

    func resume(_ answer: EffectAnswer, _ pending: Pending, _ run: inout StepRun)
        throws(StepFault) -> Move
    { .fail(answer.refusal) }
}
