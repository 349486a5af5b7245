public import MienAPI

/// The type of a step, in reference order. The raw value is `type` in a definition.
public enum StepType: String, Sendable, Hashable, CaseIterable {
    case loginForm = "login_form"
    case authenticatePassword = "authenticate_password"
    case selfieAcquisition = "selfie_acquisition"
    case identityVerification = "identity_verification"
    case registerFace = "register_face"
    case authenticateFace = "authenticate_face"
    case registerNativeBiometrics = "register_native_biometrics"
    case authenticateNativeBiometrics = "authenticate_native_biometrics"
    case deleteNativeBiometrics = "delete_native_biometrics"
    case transactionSigningNativeBiometrics = "transaction_signing_native_biometrics"
    case emailOTPAuthentication = "email_otp_authentication"
    case registerOTP = "register_otp"
    case authenticateOTP = "authenticate_otp"
    case transactionSigningOTP = "transaction_signing_otp"
    case transactionApprovalOTP = "transaction_approval_otp"
    case recoveryCodeAuthentication = "recovery_code_authentication"
    case recoverAccount = "recover_account"
    case setPassword = "set_password"
    case changePassword = "change_password"
    case recordConsent = "record_consent"
    case createUser = "create_user"
    case lockAuthenticator = "lock_authenticator"
    case unlockAuthenticator = "unlock_authenticator"
    case information
    case waitForTime = "wait_for_time"
    case callWebhook = "call_webhook"
    case condition
    case loop
    case setVariables = "set_variables"
    case completeJourney = "complete_journey"
    case rejectAccess = "reject_access"
}

extension StepType {
    /// The Swift type that implements the step.
    var implementation: any JourneyStep.Type {
        switch self {
        case .loginForm: LoginForm.self
        case .authenticatePassword: AuthenticatePassword.self
        case .selfieAcquisition: SelfieAcquisition.self
        case .identityVerification: IdentityVerification.self
        case .registerFace: RegisterFace.self
        case .authenticateFace: AuthenticateFace.self
        case .registerNativeBiometrics: RegisterNativeBiometrics.self
        case .authenticateNativeBiometrics: AuthenticateNativeBiometrics.self
        case .deleteNativeBiometrics: DeleteNativeBiometrics.self
        case .transactionSigningNativeBiometrics: TransactionSigningNativeBiometrics.self
        case .emailOTPAuthentication: EmailOTPAuthentication.self
        case .registerOTP: RegisterOTP.self
        case .authenticateOTP: AuthenticateOTP.self
        case .transactionSigningOTP: TransactionSigningOTP.self
        case .transactionApprovalOTP: TransactionApprovalOTP.self
        case .recoveryCodeAuthentication: AuthenticateRecoveryCode.self
        case .recoverAccount: RecoverAccount.self
        case .setPassword: SetPassword.self
        case .changePassword: ChangePassword.self
        case .recordConsent: RecordConsent.self
        case .createUser: CreateUser.self
        case .lockAuthenticator: SetAuthenticatorLock<Locking>.self
        case .unlockAuthenticator: SetAuthenticatorLock<Unlocking>.self
        case .information: Information.self
        case .waitForTime: WaitForTime.self
        case .callWebhook: CallWebhook.self
        case .condition: Condition.self
        case .loop: Loop.self
        case .setVariables: SetVariables.self
        case .completeJourney: CompleteJourney.self
        case .rejectAccess: RejectAccess.self
        }
    }

    /// The name that clients switch on; `nil` for steps they never see.
    public var wireName: JourneyStepName? { implementation.wireName }
}
