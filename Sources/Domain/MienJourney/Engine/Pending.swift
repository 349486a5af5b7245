public import MienCore

/// The effect a run waits for, with its subject but without secrets.
public enum Pending: Sendable, Hashable, Codable {
    case resolvingUser
    case checkingPassword(expected: UserID?)
    case openingCapture
    case readingCapture(CaptureID)
    case openingVerification
    case readingVerification(VerificationID)
    case registeringFace(UserID, CaptureID, consentTextVersion: String)
    case checkingFace(expected: UserID?, CaptureID)
    case creatingUser
    case sendingCode(attemptsLeft: Int, resendsLeft: Int)
    case checkingCode(CodeProgress)
    case registeringKey(UserID, publicKeyID: String)
    case challengingKey
    case verifyingKey(ChallengeID)
    case deletingKey
    case offeringOTP(UserID)
    case confirmingOTP(UserID, OTPProgress)
    case checkingOTP(attemptsLeft: Int, expected: UserID?)
    case verifyingOTPSignature(ChallengeID, expected: UserID?)
    case checkingRecoveryCode(expected: UserID?)
    case recovering(UserID)
    case lockingAuthenticator
    case unlockingAuthenticator
    case callingWebhook
    case recordingConsent(UserID, textVersion: String)
    case findingConsent(UserID, textVersion: String)
}

/// The prompt a run waits on.
public enum Asked: Sendable, Hashable, Codable {
    case input
    case capture(CaptureID)
    case verification(VerificationID)
    case code(CodeProgress)
    case deviceKey(ChallengeID)
    case otpRegistration(OTPProgress)
    case otp(attemptsLeft: Int)
}

public struct OTPProgress: Sendable, Hashable, Codable {
    /// The registration's ID, not its code.
    public let registration: CodeID
    public internal(set) var attemptsLeft: Int
    public let expiresAt: Instant
}

public struct CodeProgress: Sendable, Hashable, Codable {
    public let code: CodeID
    public internal(set) var attemptsLeft, resendsLeft: Int
    public let expiresAt: Instant
}

extension EffectResult.Answer {
    /// Returns whether this answers the pending effect for the same user, capture, and session. The
    /// switch has no `default`, so that a new answer does not compile until it is handled.
    func isAnswer(to pending: Pending) -> Bool {
        switch self {
        case .refused: return true
        case .user: return pending == .resolvingUser
        case .authenticated(let user, amr: _, by: _):
            if case .checkingPassword(let expected) = pending {
                return expected == nil || expected == user
            }
            if case .checkingCode = pending { return true }
            if case .verifyingKey = pending { return true }
            if case .checkingOTP(attemptsLeft: _, let expected) = pending {
                return expected == nil || expected == user
            }
            if case .checkingRecoveryCode(let expected) = pending {
                return expected == nil || expected == user
            }
            if case .verifyingOTPSignature(_, let expected) = pending {
                return expected == nil || expected == user
            }
            return false
        case .faceAuthenticated(let user, let capture, amr: _, by: _):
            guard case .checkingFace(let expected, capture) = pending else { return false }
            return expected == nil || expected == user
        case .captureOpened: return pending == .openingCapture
        case .captured(let capture, summary: _): return pending == .readingCapture(capture)
        case .verificationOpened: return pending == .openingVerification
        case .verified(let verdict): return pending == .readingVerification(verdict.session)
        case .faceRegistered(let user, let capture, _):
            guard case .registeringFace(user, capture, consentTextVersion: _) = pending else {
                return false
            }
            return true
        case .userCreated: return pending == .creatingUser
        case .codeSent:
            guard case .sendingCode = pending else { return false }
            return true
        case .deviceKeyRegistered(let user, let key):
            return pending == .registeringKey(user, publicKeyID: key)
        case .deviceChallenge: return pending == .challengingKey
        case .otpOffered:
            guard case .offeringOTP = pending else { return false }
            return true
        case .otpRegistered(let user):
            guard case .confirmingOTP(user, _) = pending else { return false }
            return true
        case .done:
            if case .recordingConsent = pending { return true }
            return [.deletingKey, .lockingAuthenticator, .unlockingAuthenticator].contains(pending)
        case .webhookAnswered: return pending == .callingWebhook
        case .recovery(let user, _): return pending == .recovering(user)
        case .consent:
            guard case .findingConsent = pending else { return false }
            return true
        }
    }
}
