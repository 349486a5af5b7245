/// Why a step failed. What error variables and rejections hold; stable.
public enum StepErrorCode: String, Sendable, Hashable, Codable, CaseIterable {
    /// Unknown user, wrong secret, other face, no such authenticator, locked: one and the same to
    /// strangers.
    case invalidCredentials = "invalid_credentials"
    /// Only ever told to the user who has signed in.
    case locked, notRegistered = "not_registered"
    case captureMissing = "capture_missing", captureUnfinished = "capture_unfinished",
        captureRefused = "capture_refused"
    case consentMissing = "consent_missing"
    case userMissing = "user_missing", userMismatch = "user_mismatch", userExists = "user_exists"
    case secretMissing = "secret_missing"
    case wrongCode = "wrong_code", expired, limitReached = "limit_reached"
    case clientFailed = "client_failed"
    case notAllowed = "not_allowed"
    /// Changing authenticators needs a fresher or stronger sign-in. Told to users about their own
    /// account only.
    case insufficientUserAuthentication = "insufficient_user_authentication"
    case expressionFailed = "expression_failed"
    case webhookFailed = "webhook_failed"
    case unavailable
}

/// A step that fails, thrown on its way out.
struct StepFault: Error, Equatable {
    let code: StepErrorCode

    init(_ code: StepErrorCode) { self.code = code }
}
