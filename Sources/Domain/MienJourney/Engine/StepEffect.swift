public import MienCore

/// Work outside the journey that a step requests, such as checking a password or mailing a code.
///
/// What an effect contains is declared in the file of its step, or in `Effects/` if several steps
/// request it. Effects hold the client's secrets, so that they are never encoded.
public enum StepEffect: Sendable, Hashable {
    /// Finds the user with this identifier.
    case resolveUser(Sensitive<String>)
    case authenticatePassword(AuthenticatePasswordEffect)
    case openCapture(CaptureRequest)
    /// Reads a capture that the client reports as finished.
    case readCapture(CaptureID)
    case openVerification(VerificationRequest)
    case readVerification(ReadVerificationEffect)
    case registerFace(RegisterFaceEffect)
    case authenticateFace(AuthenticateFaceEffect)
    case challengeDeviceKey(ChallengeDeviceKeyEffect)
    case registerDeviceKey(RegisterDeviceKeyEffect)
    case verifyDeviceKey(VerifyDeviceKeyEffect)
    case deleteDeviceKey(DeleteDeviceKeyEffect)
    case sendEmailCode(SendEmailCodeEffect)
    case checkEmailCode(CheckEmailCodeEffect)
    case offerOTP(OfferOTPEffect)
    case confirmOTP(ConfirmOTPEffect)
    case authenticateOTP(AuthenticateOTPEffect)
    /// Draws a challenge for an OTP token. The answer is a challenge even for an unknown user or
    /// token.
    case challengeOTP(approvalData: [String: String])
    case verifyOTPSignature(VerifyOTPSignatureEffect)
    case requestApproval(RequestApprovalEffect)
    case readApproval(ReadApprovalEffect)
    case authenticateRecoveryCode(AuthenticateRecoveryCodeEffect)
    case recoverAccount(RecoverAccountEffect)
    case setPassword(SetPasswordEffect)
    case recordConsent(RecordConsentEffect)
    case findConsent(FindConsentEffect)
    /// Creates an account that the run signs up.
    case createUser(NewUser)
    case setAuthenticatorLock(SetAuthenticatorLockEffect)
    case callWebhook(WebhookCall)
}

/// The effect on a user's authenticators.
public enum AuthenticatorImpact: Sendable, Hashable {
    case none
    /// An answer shows that the user holds an authenticator of this type.
    case verifies(AuthenticatorType)
    /// The performer first requires a sign-in that is fresh and strong enough for the change.
    case adds(UserID), removes(UserID)
    /// As ``adds(_:)``, for an authenticator that signs the user in to every app.
    case addsToEveryApp(UserID)
}

extension StepEffect {
    public var impact: AuthenticatorImpact {
        switch self {
        case .authenticatePassword: .verifies(.password)
        case .authenticateFace: .verifies(.face)
        case .verifyDeviceKey: .verifies(.nativeBiometrics)
        case .checkEmailCode: .verifies(.emailCode)
        case .authenticateOTP, .verifyOTPSignature: .verifies(.otp)
        case .authenticateRecoveryCode: .verifies(.recoveryCode)
        case .registerFace(let effect): .adds(effect.user)
        case .registerDeviceKey(let effect): .adds(effect.user)
        case .offerOTP(let effect): .adds(effect.user)
        case .setPassword(let effect): .addsToEveryApp(effect.user)
        case .deleteDeviceKey(let effect): .removes(effect.user)
        // The signature was counted when the other device sent it. Nothing was entered on this one.
        case .readApproval: .none
        case .resolveUser, .openCapture, .readCapture, .openVerification, .readVerification,
            .challengeDeviceKey, .sendEmailCode, .confirmOTP, .challengeOTP, .requestApproval,
            .recoverAccount, .recordConsent, .findConsent, .createUser, .setAuthenticatorLock,
            .callWebhook:
            .none
        }
    }
}
