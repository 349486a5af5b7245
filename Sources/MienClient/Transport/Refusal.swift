internal import Foundation
internal import MienAPI
internal import MienCore

/// What a response that is not 2xx says: a problem document (RFC 9457), or an error in OAuth's words (RFC 6749 §5.2), or neither.
struct Refusal {
    private let response: HTTPTransportResponse
    private let problem: Problem?
    private let members: [String: JSONValue]
    private let challenges: [AuthenticationChallenge]
    private let retryAfter: Duration?

    init(_ response: HTTPTransportResponse) {
        self.response = response
        problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body))
        members = problem == nil ? (try? JSONText.parse(response.body))?.objectValue ?? [:] : [:]
        challenges = response.headers["www-authenticate"].map { AuthenticationChallenge.parse($0) } ?? []
        retryAfter = response.headers["retry-after"].flatMap { UInt16($0) }.map { Duration.seconds(Int($0)) }
    }

    /// The OAuth error: the body's, or else that of the `WWW-Authenticate` field.
    var word: String? { members["error"]?.stringValue ?? challenges.lazy.compactMap { $0.parameters["error"] }.first }

    var error: MienError {
        if let problem { return MienError(problem, retryAfter: retryAfter) }
        if let word = members["error"]?.stringValue {
            return MienError(
                word == "invalid_client" ? .invalidCredentials : response.status >= 500 ? .serverError : .oauthError,
                "\(word): \(members["error_description"]?.stringValue ?? "")".printable, retryAfter: retryAfter,
                mayHaveArrived: response.status >= 500 && response.status != 503, oauthError: word)
        }
        return MienError(
            .serverError, "the server answers with status \(response.status) and no problem document", retryAfter: retryAfter,
            mayHaveArrived: !(400..<500).contains(response.status) || response.status == 408)
    }
}
