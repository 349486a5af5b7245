internal import HTTPTypes
package import Hummingbird
internal import Logging
package import MienAPI
internal import MienCore
internal import NIOCore
internal import NIOHTTP1

/// Turns every error into a problem document, adds the request's ID to every response, and logs
/// every request.
package struct ProblemMiddleware: RouterMiddleware {
    let metrics: Metrics

    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        let began = ContinuousClock.now
        var context = context, response: Response
        if let given = RequestIdentity.given(request) {
            context.take(id: given)
        }
        do { response = try await next(request, context) } catch {
            let problem = Self.problem(error, context.logger)
            response = Self.response(
                problem, retryAfter: problem.code == .unavailable ? .zero : nil)
            if let challenge = (error as? OAuthError)?.challenge {
                response.headers[.wwwAuthenticate] = challenge
            }
        }
        // A body after the response to HEAD would be read as the next response.
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = context.id
        response.headers[.contentTypeOptions] = "nosniff"
        let took = ContinuousClock.now - began, route = context.endpointPath
        metrics.count(.requests, ["status": "\(response.status.code)"])
        metrics.record(.requestSeconds, took, ["route": route ?? "unknown"])
        context.logger.info(
            "request",
            metadata: RequestFacts.metadata(
                method: request.method, route: route, status: response.status, took: took,
                app: context.facts.refusal == nil ? context.facts.app : context.facts.claimedApp,
                refusal: context.facts.refusal))
        return response
    }

    package static func response(_ problem: Problem, retryAfter: Duration? = nil) -> Response {
        var response = JSONBody.response(problem, status: .init(code: problem.status))
        response.headers[.contentType] = contentType
        if problem.code == .invalidCredentials { response.headers[.wwwAuthenticate] = "Bearer" }
        if let retryAfter {
            response.headers[.retryAfter] = String(max(1, retryAfter.components.seconds + 1))
        }
        return response
    }

    /// Returns a response outside of the router, and logs it. The connection closes after it.
    static func closing(_ problem: Problem, _ logger: Logger) -> (
        head: HTTPResponse, body: [UInt8]
    ) {
        let id = RequestIdentity.made()
        var facts = RequestFacts.metadata(
            method: nil, route: nil, status: .init(code: problem.status), took: .zero, app: nil)
        facts[RequestIdentity.key] = .string(id)
        logger.info("request", metadata: facts)
        let body = JSONBody.bytes(of: problem)
        let head = HTTPResponse(
            status: .init(code: problem.status),
            headerFields: [
                .contentType: contentType, .contentLength: String(body.count),
                .cacheControl: "no-store", .connection: "close",
                .contentTypeOptions: "nosniff", .requestID: id,
            ])
        return (head, body)
    }

    private static let contentType = "application/problem+json"

    /// Returns the part of an error that clients may see.
    static func problem(_ error: any Error, _ logger: Logger) -> Problem {
        if let report = (error as? any ReportedError)?.report {
            if let failure = report.failure {
                logger.error(failure.message, metadata: failure.metadata)
            }
            return report.problem
        }
        switch error {
        case let problem as Problem: return problem
        case let error as OAuthError: return error.problem
        case let error as HTTPParserError: return MalformedRequests.problem(error)
        // The connection broke while the request was read.
        case is IOError, is ChannelError: return Problem(.invalidRequest)
        case is CancellationError:
            return Problem(.unavailable, "The server is stopping. Try again.")
        case is ServerBusy: return .busy
        case let error as HTTPError:
            switch error.status {
            case .notFound: return Problem(.notFound)
            case .methodNotAllowed: return Problem(.methodNotAllowed)
            case .contentTooLarge: return Problem(.payloadTooLarge)
            case .badRequest: return Problem(.invalidRequest)
            default: return Problem(error.status.code < 500 ? .invalidRequest : .serverError)
            }
        default:
            // Log only the type, because messages of unknown errors may repeat what a client sent.
            logger.error("a request failed", metadata: ["error.type": "\(type(of: error))"])
            return Problem(.serverError)
        }
    }
}

extension HTTPField.Name {
    static let requestID = Self("x-request-id")!
    static let contentTypeOptions = Self("x-content-type-options")!
    static let forwardedFor = Self("x-forwarded-for")!
}
