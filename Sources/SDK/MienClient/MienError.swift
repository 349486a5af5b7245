public import MienAPI
public import MienCore

/// An error of the SDK. Branch on ``code``. ``reason`` is for developers and contains no secrets.
///
/// A journey's refusal is not an error but a response, `rejection`.
public struct MienError: CodedError {
    /// Stable codes, as in the SDKs that apps migrate from.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The server's address or an option is invalid.
        case invalidInitializationOptions = "invalid_initialization_options"
        /// `initialize` has not been called.
        case notInitialized = "not_initialized"
        /// No journey was started, or it has ended or expired. Start one.
        case noActiveJourney = "no_active_journey"
        /// The server could not be reached, or its response did not arrive. The same answer may be
        /// sent again.
        case networkError = "network_error"
        /// The step does not accept this answer; ``MienError/fields`` gives the reasons. Answer
        /// again.
        case clientResponseNotValid = "client_response_not_valid"
        /// The server failed, refused the request, is busy, or returned an unexpected response.
        case serverError = "server_error"
        /// The step was already answered, an answer is being sent, or a saved state is not one of
        /// this app's.
        case invalidState = "invalid_state"
        /// The credentials of the app, the administrator, or the capture session are invalid.
        case invalidCredentials = "invalid_credentials"
        /// A one-time code has expired.
        case expiredOTPPasscode = "expired_otp_passcode"
        /// Nobody is signed in, or the sign-in has ended. Sign in again.
        case unauthenticatedUser = "unauthenticated_user"
        /// The token endpoint refused the request; ``MienError/oauthError`` has the OAuth error
        /// code.
        case oauthError = "oauth_error"
        /// The change needs a more recent or stronger sign-in, described by
        /// ``MienError/reauthentication``.
        case reauthenticationRequired = "reauthentication_required"
    }

    public let code: Code
    public let reason: String
    /// The server's problem document, if there is one. Its code is more specific.
    public let problem: Problem?
    /// The wait that the server requests.
    public let retryAfter: Duration?
    /// Whether the server may have acted on the request despite the error.
    public let mayHaveArrived: Bool
    /// The OAuth error of the token endpoint: `invalid_grant`, `invalid_scope` … (RFC 6749 §5.2).
    public let oauthError: String?
    /// The sign-in that the change needs.
    public let reauthentication: ReauthenticationRequest?
    /// Whether the user has already signed in again, so that another such sign-in would change
    /// nothing.
    let isAfterReauthentication: Bool

    public init(
        _ code: Code, _ reason: String, problem: Problem? = nil, retryAfter: Duration? = nil,
        mayHaveArrived: Bool? = nil, oauthError: String? = nil
    ) {
        self.init(
            code, reason, problem: problem, retryAfter: retryAfter, mayHaveArrived: mayHaveArrived,
            oauthError: oauthError, reauthentication: nil)
    }

    init(
        _ code: Code, _ reason: String, problem: Problem? = nil, retryAfter: Duration? = nil,
        mayHaveArrived: Bool? = nil, oauthError: String? = nil,
        reauthentication: ReauthenticationRequest?, isAfterReauthentication: Bool = false
    ) {
        (self.reauthentication, self.isAfterReauthentication) = (
            reauthentication, isAfterReauthentication
        )
        (self.code, self.reason, self.problem, self.retryAfter, self.oauthError) = (
            code, reason, problem, retryAfter, oauthError
        )
        self.mayHaveArrived = mayHaveArrived ?? (code == .networkError)
    }

    /// Returns the same refusal with the user who has to sign in.
    func naming(_ user: String?, isAfterReauthentication: Bool = false) -> Self {
        var needed = reauthentication
        needed?.loginHint = user
        return Self(
            code, reason, problem: problem, retryAfter: retryAfter, mayHaveArrived: mayHaveArrived,
            oauthError: oauthError, reauthentication: needed,
            isAfterReauthentication: isAfterReauthentication)
    }

    /// The errors in the data that was sent, by field.
    public var fields: [Problem.FieldError] { problem?.errors ?? [] }
}

extension MienError {
    public var description: String {
        let fields = fields.map { " · \($0.field): \($0.message)" }.joined()
        return "\(code.rawValue): \(reason)\(fields)"
    }
}

extension MienError {
    /// Converts the server's problem to a client error.
    init(_ problem: Problem, retryAfter: Duration? = nil) {
        let code: Code =
            switch problem.code {
            case .invalidCredentials: .invalidCredentials
            case .noActiveJourney: .noActiveJourney
            case .invalidState, .captureClosed, .captureReplaced, .liveCaptureRequired,
                .frameOutOfOrder,
                .consentRequired, .verificationRefused:
                .invalidState
            case .clientResponseNotValid, .payloadTooLarge, .unsupportedMediaType,
                .imageNotAccepted:
                .clientResponseNotValid
            case .insufficientUserAuthentication: .reauthenticationRequired
            case .invalidRequest, .notPermitted, .notFound, .methodNotAllowed, .conflict,
                .tooManyRequests, .serverError, .unavailable:
                .serverError
            }
        // A server that failed may have failed after writing everything. A busy server has done
        // nothing.
        self.init(
            code, problem.detail, problem: problem, retryAfter: retryAfter,
            mayHaveArrived: problem.status >= 500 && problem.code != .unavailable)
    }
}
