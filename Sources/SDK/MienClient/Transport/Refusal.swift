internal import Foundation
internal import MienAPI
internal import MienCore

/// The body of an error response: a problem document (RFC 9457), an OAuth error (RFC 6749 section
/// 5.2), or neither.
struct Refusal {
    private let response: HTTPTransportResponse
    private let problem: Problem?
    private let members: [String: JSONValue]
    private let challenges: [AuthenticationChallenge]
    private let retryAfter: Duration?

    init(_ response: HTTPTransportResponse) {
        self.response = response
        problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body))
        members = (try? JSONText.parse(response.body))?.objectValue ?? [:]
        challenges =
            response.headers["www-authenticate"].map { AuthenticationChallenge.parse($0) } ?? []
        retryAfter = response.headers["retry-after"].flatMap { UInt16($0) }.map {
            Duration.seconds(Int($0))
        }
    }

    /// The OAuth error: that of the body, or else that of the `WWW-Authenticate` field.
    var word: String? {
        (problem == nil ? members["error"]?.stringValue : nil)
            ?? challenges.lazy.compactMap { $0.parameters["error"] }.first
    }

    var error: MienError {
        if let reauthentication {
            let reason =
                problem?.detail ?? members["error_description"]?.stringValue?.printable
                ?? "The change needs another sign-in."
            return MienError(
                .reauthenticationRequired, reason, problem: problem, retryAfter: retryAfter,
                oauthError: word, reauthentication: reauthentication)
        }
        if let problem { return MienError(problem, retryAfter: retryAfter) }
        if let word = members["error"]?.stringValue {
            return MienError(
                word == "invalid_client"
                    ? .invalidCredentials : response.status >= 500 ? .serverError : .oauthError,
                "\(word): \(members["error_description"]?.stringValue ?? "")".printable,
                retryAfter: retryAfter,
                mayHaveArrived: response.status >= 500 && response.status != 503, oauthError: word)
        }
        return MienError(
            .serverError,
            "The server responded with status \(response.status) and no problem document.",
            retryAfter: retryAfter,
            mayHaveArrived: !(400..<500).contains(response.status) || response.status == 408)
    }

    /// The sign-in that the server requires (RFC 9470 §3).
    private var reauthentication: ReauthenticationRequest? {
        let error = "insufficient_user_authentication"
        guard response.status == 401, word == error || members["code"]?.stringValue == error else {
            return nil
        }
        let parameters = challenges.first { $0.parameters["error"] == error }?.parameters ?? [:]
        let seconds =
            parameters["max_age"].flatMap { UInt32($0) }.map(Double.init)
            ?? members["max_age"]?.numberValue
        let classes = parameters["acr_values"] ?? members["acr_values"]?.stringValue
        return ReauthenticationRequest(
            maxAge: seconds.flatMap { (0...1e9).contains($0) ? .seconds($0) : nil },
            acrValues: classes?.split(separator: " ").map(String.init) ?? [])
    }
}

extension MienError {
    /// Converts a server's response to an error, for requests that the app sends with its own HTTP
    /// client.
    ///
    /// ``MienSession/performing(_:)`` uses it to detect that another sign-in is needed.
    ///
    /// - Returns: `nil` for status 2xx.
    public init?(response: HTTPTransportResponse) {
        guard !(200..<300).contains(response.status) else { return nil }
        self = Refusal(response).error
    }
}
