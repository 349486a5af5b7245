internal import Foundation
internal import Logging
internal import MienAPI
internal import MienCore

/// Sends requests and decodes responses: JSON bodies, problems as ``MienError``, retries.
struct Connection: Sendable {
    let address: ServerAddress
    let transport: any HTTPTransport
    let retry: RetryPolicy
    let timeout: Duration
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void

    static let maxAnswerBytes = 1 << 20

    struct Call {
        var method: HTTPTransportRequest.Method
        var path: [String]
        var query: [(String, String)] = []
        var bearer: Sensitive<String>?
        /// Sends a proof with each attempt; with ``bearer``, the token is bound to the prover's
        /// key.
        var prover: DPoPProver?
        var contentType = "application/json"
        var body: [UInt8] = []
        /// Whether it may be sent again when it is unknown whether it arrived.
        var isRepeatable = true
        /// Replaces a token that the server refuses. It is asked once.
        var renewed: (@Sendable () async throws -> MienSession.Access?)?
    }

    func json<Answer: Decodable>(_ call: Call, as _: Answer.Type = Answer.self) async throws
        -> Answer
    {
        let response = try await send(call)
        do { return try JSONDecoder().decode(Answer.self, from: Data(response.body)) } catch {
            throw MienError(
                .serverError,
                "The response to \(call.method.rawValue) /\(call.path.joined(separator: "/")) is malformed.",
                mayHaveArrived: true)
        }
    }

    static func encode(_ body: some Encodable) -> [UInt8] {
        // The value is our own. Encoding fails only for numbers that JSON cannot represent; null is
        // sent for those.
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try! encoder.encode(body))
    }

    /// Sends a request, repeating it where that is safe, and returns a response with status 2xx.
    ///
    /// Every attempt has the same body. A proof is valid once, so each attempt has its own.
    @discardableResult
    func send(_ call: Call) async throws -> HTTPTransportResponse {
        var call = call, generator = SystemRandomNumberGenerator()
        var attempt = 1, mayHaveArrived = false, mayCorrectProof = true
        while true {
            let failure: Failure
            switch try await once(call) {
            case .success(let response): return response
            case .failure(let found): failure = found
            }
            // Servers check the proof first, so nothing has happened yet.
            if failure.hasCorrectableProof, mayCorrectProof {
                mayCorrectProof = false
                continue
            }
            // The token expired earlier than this device thinks. Servers check it before they act.
            if failure.refusesToken, let renewed = call.renewed {
                call.renewed = nil
                if let access = try await renewed() {
                    (call.bearer, call.prover, mayCorrectProof) = (
                        access.token, access.prover, true
                    )
                    continue
                }
            }
            var error = failure.error
            // An earlier attempt, whose response was lost, deleted it.
            if mayHaveArrived, call.method == .delete, error.problem?.code == .notFound {
                return HTTPTransportResponse(status: 204)
            }
            // This attempt was turned away before processing, but an earlier one may have been
            // processed.
            if mayHaveArrived, failure.isAtDoor {
                error = MienError(
                    .networkError, error.reason, problem: error.problem,
                    retryAfter: error.retryAfter)
            }
            mayHaveArrived = mayHaveArrived || error.mayHaveArrived
            guard failure.mayRepeat,
                let delay = retry.delay(after: attempt, asked: error.retryAfter, using: &generator)
            else { throw error }
            logger.info(
                "Sending a request again",
                metadata: [
                    "client.code": "\(error.code.rawValue)", "client.attempt": "\(attempt)",
                    "client.delay": "\(delay)",
                ])
            try await sleep(delay)
            attempt += 1
        }
    }

    private struct Failure: Error {
        let error: MienError
        let mayRepeat: Bool
        /// The server refused before processing the request.
        var isAtDoor = false
        /// The server refused the proof and returned what a new proof needs.
        var hasCorrectableProof = false
        /// The server refused the access token (RFC 6750 §3.1).
        var refusesToken = false
    }

    /// Creates the request of one attempt, and its proof.
    private func request(_ call: Call) async throws -> (HTTPTransportRequest, DPoPProver.Proof?) {
        let url = try address.url(call.path, query: call.query)
        var headers = ["accept": "application/json"]
        if !call.body.isEmpty { headers["content-type"] = call.contentType }
        if let bearer = call.bearer {
            // HTTP clients quote a header that they refuse in their error.
            guard bearer.use({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 32 && $0 < 127 } }) else {
                throw MienError(
                    .invalidCredentials,
                    "The token is empty, or contains a space, a line break, or another character that no token has."
                )
            }
            headers["authorization"] =
                (call.prover == nil ? "Bearer " : "DPoP ") + bearer.use { $0 }
        }
        let path = String(url.dropFirst(address.text.count).prefix { $0 != "?" })
        let proof = try await call.prover?.proof(
            method: call.method.rawValue, path: path, accessToken: call.bearer)
        headers["dpop"] = proof?.text
        let request = HTTPTransportRequest(
            method: call.method, url: url, headers: headers, body: call.body, timeout: timeout,
            maxAnswerBytes: Self.maxAnswerBytes)
        return (request, proof)
    }

    private func once(_ call: Call) async throws -> Result<HTTPTransportResponse, Failure> {
        let (request, proof) = try await request(call), response: HTTPTransportResponse
        do { response = try await transport.send(request) } catch let error as HTTPTransportError {
            try Task.checkCancellation()
            if error.code == .answerTooLarge {
                return .failure(
                    Failure(
                        error: MienError(.serverError, error.reason, mayHaveArrived: true),
                        mayRepeat: false))
            }
            return .failure(
                Failure(error: MienError(.networkError, error.reason), mayRepeat: call.isRepeatable)
            )
        }
        // The transport did not enforce its limit.
        guard response.body.count <= request.maxAnswerBytes else {
            return .failure(
                Failure(
                    error: MienError(
                        .serverError, "The response is too large.", mayHaveArrived: true),
                    mayRepeat: false))
        }
        let refusal = (200..<300).contains(response.status) ? nil : Refusal(response)
        var hasCorrectableProof = false
        if let proof, let prover = call.prover {
            hasCorrectableProof = await prover.learn(
                from: response, error: refusal?.word, to: proof)
        }
        guard let refusal else { return .success(response) }
        let error = refusal.error
        // 502 and 504 come from a proxy, which does not know the outcome of the request.
        return switch response.status {
        case 429, 503:
            .failure(
                Failure(
                    error: error, mayRepeat: call.isRepeatable || !error.mayHaveArrived,
                    isAtDoor: true))
        case 502, 504: .failure(Failure(error: error, mayRepeat: call.isRepeatable))
        default:
            .failure(
                Failure(
                    error: error, mayRepeat: false, hasCorrectableProof: hasCorrectableProof,
                    refusesToken: response.status == 401 && refusal.word == "invalid_token"))
        }
    }
}

extension Connection.Call {
    /// A request of a signed-in user, or of nobody.
    init(
        method: HTTPTransportRequest.Method, path: [String], query: [(String, String)] = [],
        access: MienSession.Access?, contentType: String = "application/json", body: [UInt8] = [],
        isRepeatable: Bool = true
    ) {
        self.init(
            method: method, path: path, query: query, bearer: access?.token,
            prover: access?.prover, contentType: contentType, body: body,
            isRepeatable: isRepeatable, renewed: access?.renewed)
    }
}
