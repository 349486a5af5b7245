public import MienAPI
public import MienCore

/// What went wrong. Branch on ``code``; ``reason`` is for a developer, and names no secret.
///
/// That a journey refuses somebody is no error: it is a response, `rejection`.
public struct MienError: CodedError {
    /// Stable words, those of the SDKs that apps come from.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The server's address or an option is not as it must be.
        case invalidInitializationOptions = "invalid_initialization_options"
        /// `initialize` comes first.
        case notInitialized = "not_initialized"
        /// There is none, or it has ended or expired: start one.
        case noActiveJourney = "no_active_journey"
        /// The server could not be reached, or its answer did not come: the same answer may be sent
        /// again.
        case networkError = "network_error"
        /// The step does not accept this response; ``MienError/fields`` says why. Answer again.
        case clientResponseNotValid = "client_response_not_valid"
        /// The server failed, refused the request, is busy, or answers something else than it
        /// should.
        case serverError = "server_error"
        /// The step was answered already, an answer is under way, or a saved state is not one of
        /// this app's.
        case invalidState = "invalid_state"
        /// The app's, the administrator's or the capture session's credentials.
        case invalidCredentials = "invalid_credentials"
        /// A one-time code came too late.
        case expiredOTPPasscode = "expired_otp_passcode"
        /// Nobody is signed in, or not any more: sign in again.
        case unauthenticatedUser = "unauthenticated_user"
        /// The token endpoint refused; ``MienError/oauthError`` says how.
        case oauthError = "oauth_error"
        /// The change needs a fresher or stronger sign-in; ``MienError/reauthentication`` says
        /// which.
        case reauthenticationRequired = "reauthentication_required"
    }

    public let code: Code
    public let reason: String
    /// What the server said, if it did: its own code is finer.
    public let problem: Problem?
    /// When the server asks to wait.
    public let retryAfter: Duration?
    /// Whether the server may have acted on the request all the same.
    public let mayHaveArrived: Bool
    /// What the token endpoint said: `invalid_grant`, `invalid_scope` … (RFC 6749 §5.2).
    public let oauthError: String?
    /// The sign-in that the change needs.
    public let reauthentication: ReauthenticationRequest?
    /// The user has signed in again already: another sign-in like that would change nothing.
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

    /// The same refusal of a change, with the user who has to sign in.
    func naming(_ user: String?, isAfterReauthentication: Bool = false) -> Self {
        var needed = reauthentication
        needed?.loginHint = user
        return Self(
            code, reason, problem: problem, retryAfter: retryAfter, mayHaveArrived: mayHaveArrived,
            oauthError: oauthError, reauthentication: needed,
            isAfterReauthentication: isAfterReauthentication)
    }

    /// What is wrong with the data that was sent, by field.
    public var fields: [Problem.FieldError] { problem?.errors ?? [] }
}

extension MienError {
    public var description: String {
        let fields = fields.map { " · \($0.field): \($0.message)" }.joined()
        return "\(code.rawValue): \(reason)\(fields)"
    }
}

extension MienError {
    /// The server's problem, in the client's words.
    init(_ problem: Problem, retryAfter: Duration? = nil) {
        let code: Code =
            switch problem.code {
            case .invalidCredentials: .invalidCredentials
            case .noActiveJourney: .noActiveJourney
            case .invalidState, .captureClosed, .liveCaptureRequired, .frameOutOfOrder:
                .invalidState
            case .clientResponseNotValid, .payloadTooLarge, .unsupportedMediaType,
                .imageNotAccepted:
                .clientResponseNotValid
            case .insufficientUserAuthentication: .reauthenticationRequired
            case .invalidRequest, .notPermitted, .notFound, .methodNotAllowed, .conflict,
                .tooManyRequests, .serverError, .unavailable:
                .serverError
            }
        // A server that failed may have failed after it had written everything down; one that is
        // busy has done nothing.
        self.init(
            code, problem.detail, problem: problem, retryAfter: retryAfter,
            mayHaveArrived: problem.status >= 500 && problem.code != .unavailable)
    }
}
