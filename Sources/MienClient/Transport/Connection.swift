internal import Foundation
internal import Logging
internal import MienAPI
internal import MienCore

/// Requests and answers: JSON in and out, problems as ``MienError``, retries.
struct Connection: Sendable {
    let address: ServerAddress
    let transport: any HTTPTransport
    let retry: RetryPolicy
    let timeout: Duration
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void

    static let mostAnswerBytes = 1 << 20

    struct Call {
        var method: HTTPTransportRequest.Method
        var path: [String]
        var query: [(String, String)] = []
        var bearer: Sensitive<String>?
        var contentType = "application/json"
        var body: [UInt8] = []
        /// Whether it may be sent again when nobody knows if it arrived.
        var isRepeatable = true
    }

    func json<Answer: Decodable>(_ call: Call, as _: Answer.Type = Answer.self) async throws -> Answer {
        let response = try await send(call)
        do { return try JSONDecoder().decode(Answer.self, from: Data(response.body)) } catch {
            throw MienError(
                .serverError, "the answer to \(call.method.rawValue) /\(call.path.joined(separator: "/")) is not as it should be",
                mayHaveArrived: true)
        }
    }

    static func encode(_ body: some Encodable) -> [UInt8] {
        // Our own values: one that cannot be written has a number that JSON has no form for; null stands for it.
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try! encoder.encode(body))
    }

    /// The answer, if the server took the request.
    ///
    /// The bytes of each attempt are the same: what is sent again is never something else.
    @discardableResult
    func send(_ call: Call) async throws -> HTTPTransportResponse {
        var headers = ["accept": "application/json"]
        if !call.body.isEmpty { headers["content-type"] = call.contentType }
        if let bearer = call.bearer { headers["authorization"] = "Bearer " + bearer.use { $0 } }
        let request = HTTPTransportRequest(
            method: call.method, url: try address.url(call.path, query: call.query), headers: headers, body: call.body, timeout: timeout,
            mostAnswerBytes: Self.mostAnswerBytes)
        var generator = SystemRandomNumberGenerator()
        var attempt = 1, mayHaveArrived = false
        while true {
            let failure: Failure
            switch try await once(request, call) {
            case .success(let response): return response
            case .failure(let found): failure = found
            }
            var error = failure.error
            // It was deleted by the request whose answer was lost.
            if mayHaveArrived, call.method == .delete, error.problem?.code == .notFound { return HTTPTransportResponse(status: 204) }
            // Turned away at the door now, but perhaps let in before.
            if mayHaveArrived, failure.isAtDoor {
                error = MienError(.networkError, error.reason, problem: error.problem, retryAfter: error.retryAfter)
            }
            mayHaveArrived = mayHaveArrived || error.mayHaveArrived
            guard failure.mayRepeat, let delay = retry.delay(after: attempt, asked: error.retryAfter, using: &generator) else { throw error }
            logger.info(
                "sending again", metadata: ["client.code": "\(error.code.rawValue)", "client.attempt": "\(attempt)", "client.delay": "\(delay)"])
            try await sleep(delay)
            attempt += 1
        }
    }

    private struct Failure: Error {
        let error: MienError
        let mayRepeat: Bool
        /// The server did not look at what was asked.
        var isAtDoor = false
    }

    private func once(_ request: HTTPTransportRequest, _ call: Call) async throws -> Result<HTTPTransportResponse, Failure> {
        let response: HTTPTransportResponse
        do { response = try await transport.send(request) } catch let error as HTTPTransportError {
            try Task.checkCancellation()
            if error.code == .answerTooLarge {
                return .failure(Failure(error: MienError(.serverError, error.reason, mayHaveArrived: true), mayRepeat: false))
            }
            return .failure(Failure(error: MienError(.networkError, error.reason), mayRepeat: call.isRepeatable))
        }
        // A transport that does not keep to its limit.
        guard response.body.count <= request.mostAnswerBytes else {
            return .failure(Failure(error: MienError(.serverError, "the answer is too large", mayHaveArrived: true), mayRepeat: false))
        }
        guard !(200..<300).contains(response.status) else { return .success(response) }
        let wait = response.headers["retry-after"].flatMap { UInt16($0) }.map { Duration.seconds(Int($0)) }
        let error: MienError
        if let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body)) {
            error = MienError(problem, retryAfter: wait)
        } else if let refusal = (try? JSONText.parse(response.body))?.objectValue, let word = refusal["error"]?.stringValue {
            error = MienError(
                word == "invalid_client" ? .invalidCredentials : response.status >= 500 ? .serverError : .oauthError,
                "\(word): \(refusal["error_description"]?.stringValue ?? "")".printable, retryAfter: wait,
                mayHaveArrived: response.status >= 500 && response.status != 503, oauthError: word)
        } else {
            error = MienError(
                .serverError, "the server answers with status \(response.status) and no problem document", retryAfter: wait,
                mayHaveArrived: !(400..<500).contains(response.status) || response.status == 408)
        }
        // 502 and 504 are a proxy's, which does not know what became of the request.
        return switch response.status {
        case 429, 503: .failure(Failure(error: error, mayRepeat: call.isRepeatable || !error.mayHaveArrived, isAtDoor: true))
        case 502, 504: .failure(Failure(error: error, mayRepeat: call.isRepeatable))
        default: .failure(Failure(error: error, mayRepeat: false))
        }
    }
}
