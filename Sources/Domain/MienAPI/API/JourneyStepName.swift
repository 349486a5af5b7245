public import MienCore

/// The step that a journey waits for, or how it ended.
///
/// Mien sends these names and accepts every alias. Sources: the two journey guides (`loginForm`,
/// `registerNativeBiometrics`, …) and the constants of the mobile and web SDKs.
public enum JourneyStepName: String, WireWord {
    case loginForm, selfieAcquisition, identityVerification
    case registerNativeBiometrics, nativeBiometricsAuthentication
    case nativeBiometricsTransactionSigning, deleteMobileBiometrics
    case information, emailOTPAuthentication
    case otpRegistration, otpAuthentication, otpTransactionSigning, otpTransactionApproval
    case recordConsent, waitForTime
    /// The journey ended with success.
    case success
    /// The journey ended without it.
    case rejection

    /// Creates a name from any of its spellings.
    public init?(spelling: String) {
        guard let name = Self.bySpelling[spelling] else { return nil }
        self = name
    }

    /// Alternative spellings.
    public var aliases: [String] {
        switch self {
        case .loginForm: ["login_form", "action:login_form"]
        case .selfieAcquisition: ["selfie_acquisition", "action:selfie_acquisition"]
        case .identityVerification: ["action:id_verification", "identity_verification"]
        case .registerNativeBiometrics:
            [
                "nativeBiometricsRegistration", "register_native_biometrics",
                "register_mobile_biometrics",
            ]
        case .nativeBiometricsAuthentication:
            // One SDK expects the first name, which is misspelled.
            [
                "nativeBiometricsAuthenticaton", "authenticateNativeBiometrics",
                "authenticate_native_biometrics", "authenticate_mobile_biometrics",
            ]
        case .nativeBiometricsTransactionSigning:
            ["transaction_signing_native_biometrics", "transaction_signing_mobile_biometrics"]
        case .deleteMobileBiometrics:
            ["deleteNativeBiometrics", "delete_native_biometrics", "delete_mobile_biometrics"]
        case .information: ["action:information"]
        case .emailOTPAuthentication:
            ["transmit_platform_email_otp_authentication", "email_otp_authentication"]
        case .otpRegistration: ["register_otp"]
        case .otpAuthentication: ["authenticate_otp", "genericOTPAuthentication"]
        case .otpTransactionSigning:
            [
                "transaction_signing_otp", "totpSigningTransaction",
                "transmit_platform_transaction_signing_totp",
            ]
        case .otpTransactionApproval: ["transaction_approval_otp"]
        case .recordConsent: ["record_consent"]
        case .waitForTime: ["wait_for_time"]
        case .success: ["action:success"]
        case .rejection: ["action:rejection"]
        }
    }

    private static let bySpelling = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { name in
            ([name.rawValue] + name.aliases).map { ($0, name) }
        })
}
