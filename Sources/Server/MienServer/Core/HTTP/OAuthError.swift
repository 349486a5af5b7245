package import HTTPTypes
package import Hummingbird
internal import MienAPI
internal import MienCore

/// An error response of the token endpoints: RFC 6749 §5.2. The description explains what is wrong
/// with the request, never whether a user exists.
package struct OAuthError: Error, Sendable {
    package enum Code: String, Sendable {
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
        /// RFC 9470.
        case insufficientUserAuthentication = "insufficient_user_authentication"
        case loginRequired = "login_required"
        /// OpenID Connect Core §3.1.2.6.
        case consentRequired = "consent_required"
        case accessDenied = "access_denied"
        case interactionRequired = "interaction_required"
        case requestNotSupported = "request_not_supported"
        /// RFC 9101.
        case invalidRequestObject = "invalid_request_object"
        case invalidRequestURI = "invalid_request_uri"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
        /// OpenID Connect Core Error Code unmet_authentication_requirements 1.0.
        case unmetRequirements = "unmet_authentication_requirements"
        /// RFC 7591.
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
        /// RFC 8628.
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        case temporarilyUnavailable = "temporarily_unavailable"
        case serverError = "server_error"
    }

    package let code: Code
    package let description: String
    package let status: HTTPResponse.Status
    /// The scheme of the `WWW-Authenticate` header.
    package var scheme: String?
    /// Whether the header and the body name the code.
    let isCodeShown: Bool
    /// The description for the log and for administrators, if ``description`` repeats a part of
    /// the request.
    var loggedDescription: String?
    /// The requirements for a new sign-in: RFC 9470 §3.
    package var stepUp: StepUp?

    package struct StepUp: Sendable {
        /// The maximum age of the authentication, in seconds.
        package let maxAge: Int
        /// The required `acr`.
        package let acr: String?
        /// The required assurance as a number, for the pages of this server: `acr` names the highest
        /// one only.
        package let level: Int
    }

    package init(
        _ code: Code, _ description: String, status: HTTPResponse.Status? = nil,
        scheme: String? = nil, isCodeShown: Bool = true
    ) {
        (self.code, self.description, self.scheme) = (code, description, scheme)
        self.isCodeShown = isCodeShown
        self.status =
            status ?? Self.status(of: code)
    }

    private static func status(of code: Code) -> HTTPResponse.Status {
        switch code {
        case .invalidClient, .invalidToken, .insufficientUserAuthentication: .unauthorized
        case .insufficientScope: .forbidden
        default: .badRequest
        }
    }

    /// Notes in the facts about the request that it was refused with this error.
    ///
    /// A device that asks again is not refused.
    package func note() {
        guard ![.authorizationPending, .slowDown].contains(code) else { return }
        RequestFacts.note(
            refusal: .init(error: code.rawValue, description: loggedDescription ?? description))
    }

    var response: Response {
        var body: [String: JSONValue] = ["error_description": .string(description)]
        if isCodeShown { body["error"] = .string(code.rawValue) }
        if let stepUp {
            body["max_age"] = .number(Double(stepUp.maxAge))
            body["acr_values"] = stepUp.acr.map { .string($0) }
        }
        var response = JSONBody.response(JSONValue.object(body), status: status)
        response.headers[.pragma] = "no-cache"
        response.headers[.wwwAuthenticate] = challenge
        return response
    }

    /// The value of `WWW-Authenticate`: RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3.
    var challenge: String? {
        guard let scheme else { return nil }
        var parameters = [("realm", "mien")]
        if isCodeShown { parameters.append(("error", code.rawValue)) }
        if let stepUp {
            parameters.append(("max_age", String(stepUp.maxAge)))
            if let acr = stepUp.acr { parameters.append(("acr_values", acr)) }
        }
        return "\(scheme) " + parameters.map { "\($0)=\"\($1)\"" }.joined(separator: ", ")
    }

    /// The same error as `problem`, for endpoints that respond as RFC 6749 says.
    init(_ problem: Problem) {
        let code: Code =
            switch problem.status {
            case 429, 503: .temporarilyUnavailable
            case 500...: .serverError
            default: .invalidRequest
            }
        self.init(code, problem.detail, status: .init(code: problem.status))
    }

    /// The same error for endpoints that respond with problem documents.
    var problem: Problem {
        switch code {
        case .insufficientUserAuthentication:
            Problem(
                .insufficientUserAuthentication, description, maxAge: stepUp?.maxAge,
                acrValues: stepUp?.acr)
        default: Problem(status == .forbidden ? .notPermitted : .invalidCredentials, description)
        }
    }
}

/// Turns every error of the token endpoints into the format that OAuth clients read.
package struct OAuthErrorMiddleware: RouterMiddleware {
    package func handle(
        _ request: Request, context: MienRequestContext,
        next: (Request, MienRequestContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as OAuthError {
            error.note()
            return error.response
        } catch {
            if error is CancellationError { throw error }
            let error = OAuthError(ProblemMiddleware.problem(error, context.logger))
            error.note()
            return error.response
        }
    }
}

extension HTTPField.Name {
    static let pragma = Self("pragma")!
    package static let dpop = Self("dpop")!
}
