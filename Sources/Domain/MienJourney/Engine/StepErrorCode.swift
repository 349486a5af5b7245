/// The reason a step failed, as stored in error variables and rejections. The values are stable.
public enum StepErrorCode: String, Sendable, Hashable, Codable, CaseIterable {
    /// Unknown user, wrong secret, face mismatch, missing or locked authenticator. One code covers
    /// all of these, so that strangers cannot tell them apart.
    case invalidCredentials = "invalid_credentials"
    /// Reported only to the signed-in user.
    case locked, notRegistered = "not_registered"
    case captureMissing = "capture_missing", captureUnfinished = "capture_unfinished",
        captureRefused = "capture_refused"
    case consentMissing = "consent_missing"
    case userMissing = "user_missing", userMismatch = "user_mismatch"
    case secretMissing = "secret_missing"
    /// A new password breaks a rule: it is too short or too long, common, or one of the user's
    /// names.
    case passwordRefused = "password_refused"
    case wrongCode = "wrong_code", expired, limitReached = "limit_reached"
    /// A device key that cannot be registered: the key or its ID is malformed or of an unsupported
    /// type, another key has its ID, or its attestation is missing or was refused.
    case invalidKey = "invalid_key", keyIDTaken = "key_id_taken",
        attestationRefused = "attestation_refused"
    /// The user has not decided yet. The step asks again.
    case notYet = "not_yet"
    /// The user declined on another device.
    case declined
    case clientFailed = "client_failed"
    case notAllowed = "not_allowed"
    /// Changing authenticators requires a more recent or stronger sign-in. Reported to users only
    /// about their own account.
    case insufficientUserAuthentication = "insufficient_user_authentication"
    case expressionFailed = "expression_failed"
    case webhookFailed = "webhook_failed"
    case unavailable
}

/// An error that ends a step with a failure.
struct StepFault: Error, Equatable {
    let code: StepErrorCode

    init(_ code: StepErrorCode) { self.code = code }
}
