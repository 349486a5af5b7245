/// The type of a step. The raw value is `type` in a definition.
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
    case recoveryCodeAuthentication = "recovery_code_authentication"
    case recoverAccount = "recover_account"
    case recordConsent = "record_consent"
    case createUser = "create_user"
    case lockAuthenticator = "lock_authenticator"
    case unlockAuthenticator = "unlock_authenticator"
    case information
    case callWebhook = "call_webhook"
    case condition
    case loop
    case setVariables = "set_variables"
    case completeJourney = "complete_journey"
    case rejectAccess = "reject_access"

    /// The type that implements the step.
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
        case .recoveryCodeAuthentication: AuthenticateRecoveryCode.self
        case .recoverAccount: RecoverAccount.self
        case .recordConsent: RecordConsent.self
        case .createUser: CreateUser.self
        case .lockAuthenticator: LockAuthenticator.self
        case .unlockAuthenticator: UnlockAuthenticator.self
        case .information: Information.self
        case .callWebhook: CallWebhook.self
        case .condition: Condition.self
        case .loop: Loop.self
        case .setVariables: SetVariables.self
        case .completeJourney: CompleteJourney.self
        case .rejectAccess: RejectAccess.self
        }
    }
}
