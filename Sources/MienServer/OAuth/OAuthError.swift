internal import HTTPTypes
internal import Hummingbird
internal import MienAPI

/// What the token endpoints answer when they refuse: RFC 6749 §5.2. The words say what was wrong with the request, never whether a user exists.
struct OAuthError: Error, Sendable {
    enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        /// RFC 8707.
        case invalidTarget = "invalid_target"
        /// RFC 9449.
        case invalidProof = "invalid_dpop_proof"
        /// RFC 6750, RFC 9449.
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        case loginRequired = "login_required"
        case temporarilyUnavailable = "temporarily_unavailable"
        case serverError = "server_error"
    }

    let code: Code
    let description: String
    let status: HTTPResponse.Status
    /// Of `WWW-Authenticate`.
    var scheme: String?

    init(_ code: Code, _ description: String, status: HTTPResponse.Status? = nil, scheme: String? = nil) {
        (self.code, self.description, self.scheme) = (code, description, scheme)
        self.status =
            status ?? (code == .invalidClient || code == .invalidToken ? .unauthorized : code == .insufficientScope ? .forbidden : .badRequest)
    }

    var response: Response {
        var response = JSONBody.response(["error": code.rawValue, "error_description": description], status: status)
        response.headers[.pragma] = "no-cache"
        if let scheme { response.headers[.wwwAuthenticate] = "\(scheme) realm=\"mien\", error=\"\(code.rawValue)\"" }
        return response
    }
}

/// Every refusal of these addresses has the form that OAuth clients read.
struct OAuthErrorMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: MienRequestContext, next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as OAuthError { return error.response } catch {
            if error is CancellationError { throw error }
            let problem = ProblemMiddleware.problem(error, context.logger)
            let code: OAuthError.Code =
                switch problem.status {
                case 429, 503: .temporarilyUnavailable
                case 500...: .serverError
                default: .invalidRequest
                }
            return OAuthError(code, problem.detail, status: .init(code: problem.status)).response
        }
    }
}

extension HTTPField.Name {
    static let pragma = Self("pragma")!
    static let dpop = Self("dpop")!
}
