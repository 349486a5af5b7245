internal import MienCore

/// An API error document (RFC 9457). Clients switch on ``code``.
public struct Problem: Error, Sendable, Hashable, Codable {
    /// `https://mien.dev/problems/<code>`
    public let type: String
    /// The fixed description of the code.
    public let title: String
    /// HTTP status.
    public let status: Int
    /// The fault in this request, and how to fix it.
    public let detail: String
    /// A code that a newer server sends is decoded as the first one with the same status.
    public let code: ProblemCode
    /// One entry for each invalid field.
    public let errors: [FieldError]?
    /// The maximum age of the sign-in in seconds: with `insufficient_user_authentication` (RFC
    /// 9470).
    public let maxAge: Int?
    /// The `acr` that a new sign-in needs; absent if any is sufficient.
    public let acrValues: String?
    /// The identifier of an error of identity verification, such as
    /// `sudoplatform.identity-verification.InvalidAgeError`.
    public let errorID: String?

    public struct FieldError: Sendable, Hashable, Codable {
        /// The path of the field, such as `data.username`.
        public let field: String
        public let message: String
        public init(field: String, message: String) {
            (self.field, self.message) = (field, message)
        }
    }

    public init(
        _ code: ProblemCode, _ detail: String? = nil, errors: [FieldError]? = nil,
        maxAge: Int? = nil, acrValues: String? = nil, errorID: String? = nil
    ) {
        self.errorID = errorID
        (self.code, self.errors, self.maxAge, self.acrValues) = (code, errors, maxAge, acrValues)
        (type, title, status) = (
            "https://mien.dev/problems/\(code.rawValue)", code.title, code.status
        )
        self.detail = detail ?? code.title
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decode(String.self, forKey: .type)
        title = Self.words(try members.decode(String.self, forKey: .title))
        status = try members.decode(Int.self, forKey: .status)
        detail = Self.words(try members.decode(String.self, forKey: .detail))
        code =
            ProblemCode(rawValue: try members.decode(String.self, forKey: .code))
            ?? ProblemCode(classOf: status)
        errors = try members.decodeIfPresent([FieldError].self, forKey: .errors).map {
            $0.prefix(Self.maxErrors).map {
                FieldError(field: Self.words($0.field), message: Self.words($0.message))
            }
        }
        maxAge = try members.decodeIfPresent(Int.self, forKey: .maxAge)
        acrValues = try members.decodeIfPresent(String.self, forKey: .acrValues)
        errorID = try members.decodeIfPresent(String.self, forKey: .errorID)
    }

    private static let maxErrors = 100
    private static let maxScalars = 2000

    /// The words of a server, which end up in logs and on terminals: printable, and of bounded length.
    private static func words(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxScalars))).printable
    }

    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, code, errors, maxAge = "max_age", acrValues = "acr_values"
        case errorID = "error_id"
    }
}

/// Stable codes, pinned by a test and never reused for another meaning.
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
    /// Another tab of the browser has begun another capture.
    case captureReplaced = "capture_replaced"
    case liveCaptureRequired = "live_capture_required"
    case frameOutOfOrder = "frame_out_of_order"
    /// The person has not consented to the capture, or to identity verification.
    case consentRequired = "consent_required"
    /// The state of the user's identity verification does not allow this.
    case verificationRefused = "verification_refused"
    case payloadTooLarge = "payload_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case imageNotAccepted = "image_not_accepted"
    case tooManyRequests = "too_many_requests"
    case serverError = "server_error"
    case unavailable

    /// The most general code for the class of a status: for a code of a newer server. A more
    /// specific one would say what the server did not, such as that a request did not arrive.
    init(classOf status: Int) { self = status < 500 ? .invalidRequest : .serverError }

    public var status: Int {
        switch self {
        case .invalidRequest, .clientResponseNotValid, .imageNotAccepted: 400
        case .invalidCredentials, .insufficientUserAuthentication: 401
        case .notPermitted: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .conflict, .invalidState, .captureClosed, .captureReplaced, .liveCaptureRequired,
            .frameOutOfOrder, .consentRequired, .verificationRefused:
            409
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
        case .invalidRequest: "The request is invalid"
        case .invalidCredentials: "The credentials are missing or invalid"
        case .insufficientUserAuthentication: "The sign-in is too old or too weak for this change"
        case .notPermitted: "The caller lacks permission for this request"
        case .notFound: "The resource was not found"
        case .methodNotAllowed: "The method is not allowed for this URL"
        case .conflict: "The name is already in use, or the resource has changed"
        case .invalidState: "The state token is unknown or was already used"
        case .noActiveJourney: "The journey has ended or expired; start it again"
        case .clientResponseNotValid: "The step does not accept this response"
        case .captureClosed: "The capture session has ended"
        case .captureReplaced: "Another tab of this browser has begun another capture"
        case .liveCaptureRequired: "A live capture is required, not a picture"
        case .frameOutOfOrder: "The frame is out of order"
        case .consentRequired: "The person has not consented to this"
        case .verificationRefused: "The identity cannot be verified in this way"
        case .payloadTooLarge: "The body is too large"
        case .unsupportedMediaType: "The content type is not supported"
        case .imageNotAccepted: "The image cannot be used"
        case .tooManyRequests: "Too many requests; wait and try again"
        case .serverError: "The server failed to process the request"
        case .unavailable: "The server is busy or not ready; try again"
        }
    }
}
