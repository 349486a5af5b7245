public import MienCore

/// An effect that a run waits for: its subject, without secrets. What a step needs to go on when the
/// answer arrives is here, too.
public enum Pending: Sendable, Hashable, Codable {
    case resolvingUser
    case checkingPassword(expected: UserID?)
    case openingCapture
    case readingCapture(CaptureID)
    case openingVerification
    case readingVerification(VerificationSession)
    case registeringFace(UserID, capture: CaptureID)
    case checkingFace(expected: UserID?, capture: CaptureID)
    case challengingKey
    case registeringKey(UserID, publicKeyID: String)
    case verifyingKey
    case deletingKey
    case sendingCode(attemptsLeft: Int, resendsLeft: Int)
    case checkingCode(CodeProgress)
    case offeringOTP(UserID)
    case confirmingOTP(UserID, OTPProgress)
    case checkingOTP(expected: UserID?, attemptsLeft: Int)
    case verifyingOTPSignature(expected: UserID?)
    case requestingApproval(data: [String: String])
    case readingApproval(ApprovalRequest, expected: UserID)
    case checkingRecoveryCode(expected: UserID?)
    case recovering(UserID)
    case settingPassword(UserID)
    case recordingConsent(UserID, textVersion: String)
    case findingConsent(UserID)
    case creatingUser
    case settingLock
    case callingWebhook
}

extension Pending {
    /// Returns whether an answer fits the effect and concerns the same user, capture, and session. A
    /// refusal answers any effect.
    func accepts(_ answer: EffectAnswer) -> Bool {
        if case .refused = answer { return true }
        return switch self {
        case .resolvingUser: if case .user = answer { true } else { false }
        case .checkingPassword(let expected), .checkingOTP(let expected, _),
            .verifyingOTPSignature(let expected), .checkingRecoveryCode(let expected):
            answer.proves(expected)
        case .readingApproval(_, let expected): answer.proves(expected)
        case .checkingFace(let expected, let capture): answer.proves(expected, with: capture)
        case .verifyingKey, .checkingCode: answer.proves(nil)
        case .openingCapture: if case .captureOpened = answer { true } else { false }
        case .readingCapture(let capture):
            if case .captured(capture, _, _) = answer { true } else { false }
        case .openingVerification: if case .verificationOpened = answer { true } else { false }
        case .readingVerification(let session): answer.verification == session.id
        case .registeringFace(let user, let capture):
            if case .faceRegistered(user, capture, _) = answer { true } else { false }
        case .challengingKey: if case .deviceChallenge = answer { true } else { false }
        case .registeringKey(let user, let publicKeyID):
            if case .deviceKeyRegistered(user, publicKeyID, _) = answer { true } else { false }
        case .sendingCode: if case .codeSent = answer { true } else { false }
        case .offeringOTP: if case .otpOffered = answer { true } else { false }
        case .confirmingOTP(let user, _): answer == .otpRegistered(user)
        case .requestingApproval: if case .approvalOpened = answer { true } else { false }
        case .recovering(let user): if case .recovery(user, _) = answer { true } else { false }
        case .settingPassword(let user):
            if case .passwordSet(user, _) = answer { true } else { false }
        case .findingConsent: if case .consent = answer { true } else { false }
        case .creatingUser: if case .userCreated = answer { true } else { false }
        case .callingWebhook: if case .webhookAnswered = answer { true } else { false }
        case .deletingKey, .recordingConsent, .settingLock: answer == .done
        }
    }
}

extension EffectAnswer {
    /// The verification session that was read.
    fileprivate var verification: VerificationID? {
        switch self {
        case .verified(let verdict): verdict.session
        case .unfinished(let wait): wait.session
        default: nil
        }
    }
}
