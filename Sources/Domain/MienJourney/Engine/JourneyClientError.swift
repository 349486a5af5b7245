/// A mistake of the client. The run is as it was.
public struct JourneyClientError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Not what the run waits for: a second start, an answer nobody asked for, a late or
        /// foreign result.
        case invalidState = "invalid_state"
        /// No such option, or data that the option does not take. See
        /// ``JourneyClientError/problems``.
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
