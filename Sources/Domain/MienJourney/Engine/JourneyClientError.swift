/// A client error. The run is unchanged.
public struct JourneyClientError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The event does not fit the run's state: a second start, an unexpected response, or a
        /// late or foreign result.
        case invalidState = "invalid_state"
        /// The option is unknown, or its data is invalid. See ``JourneyClientError/problems``.
        case clientResponseNotValid = "client_response_not_valid"
        /// The run has ended.
        case noActiveJourney = "no_active_journey"
    }

    public let code: Code
    public let problems: [FieldProblem]

    static let invalidState = Self(code: .invalidState, problems: [])
    static let noActiveJourney = Self(code: .noActiveJourney, problems: [])
    static func notValid(_ problems: [FieldProblem]) -> Self {
        Self(code: .clientResponseNotValid, problems: problems)
    }
    static func notValid(_ field: String, _ message: String) -> Self {
        notValid([FieldProblem(field: field, message: message)])
    }

    public var description: String {
        ([code.rawValue]
            + problems.map { $0.field.isEmpty ? $0.message : "\($0.field): \($0.message)" }).joined(
                separator: "; ")
    }
}
