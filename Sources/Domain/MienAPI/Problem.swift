/// What went wrong: RFC 9457. Clients switch on ``code``.
public struct Problem: Error, Sendable, Hashable, Codable {
    /// `https://mien.dev/problems/<code>`
    public let type: String
    /// The code's own words.
    public let title: String
    /// HTTP status.
    public let status: Int
    /// What is wrong with this request, and what to do.
    public let detail: String
    public let code: ProblemCode
    /// One per field that is not as it must be.
    public let errors: [FieldError]?
    /// The oldest sign-in that will do, in seconds: with `insufficient_user_authentication` (RFC
    /// 9470).
    public let maxAge: Int?
    /// The `acr` that a new sign-in needs; missing if any will do.
    public let acrValues: String?

    public struct FieldError: Sendable, Hashable, Codable {
        /// Where, e.g. `data.username`.
        public let field: String
        public let message: String
        public init(field: String, message: String) {
            (self.field, self.message) = (field, message)
        }
    }

    public init(
        _ code: ProblemCode, _ detail: String? = nil, errors: [FieldError]? = nil,
        maxAge: Int? = nil, acrValues: String? = nil
    ) {
        (self.code, self.errors, self.maxAge, self.acrValues) = (code, errors, maxAge, acrValues)
        (type, title, status) = (
            "https://mien.dev/problems/\(code.rawValue)", code.title, code.status
        )
        self.detail = detail ?? code.title
    }

    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, code, errors, maxAge = "max_age", acrValues = "acr_values"
    }
}

/// Stable words; a test pins them. Never reused for another meaning.
public enum ProblemCode: String, Sendable, Hashable, Codable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidCredentials = "invalid_credentials"
    /// Changing authenticators needs a fresher or stronger sign-in.
    case insufficientUserAuthentication = "insufficient_user_authentication"
    case notPermitted = "not_permitted"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case conflict
    case invalidState = "invalid_state"
    case noActiveJourney = "no_active_journey"
    case clientResponseNotValid = "client_response_not_valid"
    case captureClosed = "capture_closed"
    case liveCaptureRequired = "live_capture_required"
    case frameOutOfOrder = "frame_out_of_order"
    case payloadTooLarge = "payload_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case imageNotAccepted = "image_not_accepted"
    case tooManyRequests = "too_many_requests"
    case serverError = "server_error"
    case unavailable

    public var status: Int {
        switch self {
        case .invalidRequest, .clientResponseNotValid, .imageNotAccepted: 400
        case .invalidCredentials, .insufficientUserAuthentication: 401
        case .notPermitted: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .conflict, .invalidState, .captureClosed, .liveCaptureRequired, .frameOutOfOrder: 409
        case .noActiveJourney: 410
        case .payloadTooLarge: 413
        case .unsupportedMediaType: 415
        case .tooManyRequests: 429
        case .serverError: 500
        case .unavailable: 503
        }
    }

    public var title: String {
        switch self {
        case .invalidRequest: "The request is not as it must be"
        case .invalidCredentials: "The credentials are missing or not accepted"
        case .insufficientUserAuthentication: "The sign-in is too old or too weak for this change"
        case .notPermitted: "This caller may not do that"
        case .notFound: "There is no such thing"
        case .methodNotAllowed: "This address takes other methods"
        case .conflict: "Something of that name is there already, or has changed"
        case .invalidState: "The state token was used already, or is not known"
        case .noActiveJourney: "The journey has ended or expired; start it again"
        case .clientResponseNotValid: "The step does not take this answer"
        case .captureClosed: "The capture session has ended"
        case .liveCaptureRequired: "A live person is asked for, not a picture"
        case .frameOutOfOrder: "Another frame is the next one"
        case .payloadTooLarge: "The body is too large"
        case .unsupportedMediaType: "The body is of another type"
        case .imageNotAccepted: "The image cannot be used"
        case .tooManyRequests: "Too many requests; wait and try again"
        case .serverError: "Something failed here"
        case .unavailable: "The server is not ready or busy; try again"
        }
    }
}
