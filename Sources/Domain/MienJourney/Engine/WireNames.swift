/// All names that clients see, with their alternative spellings. Mien sends the canonical name and
/// accepts each alias.
///
/// Sources: the two journey guides (`loginForm`, `registerNativeBiometrics`, …) and the constants
/// of the mobile and web SDKs.
public enum WireNames {
    /// The names sent in place of a step when a journey ends.
    public static let success = "success", rejection = "rejection"

    /// Alternative spellings by canonical name.
    static let steps: [String: [String]] = [
        success: ["action:success"],
        rejection: ["action:rejection"],
        "loginForm": ["login_form", "action:login_form"],
        "selfieAcquisition": ["selfie_acquisition", "action:selfie_acquisition"],
        "identityVerification": ["action:id_verification", "identity_verification"],
        "registerNativeBiometrics": [
            "nativeBiometricsRegistration", "register_native_biometrics",
            "register_mobile_biometrics",
        ],
        // The second spelling is a typo that one SDK sends.
        "nativeBiometricsAuthentication": [
            "nativeBiometricsAuthenticaton", "authenticateNativeBiometrics",
            "authenticate_native_biometrics", "authenticate_mobile_biometrics",
        ],
        "nativeBiometricsTransactionSigning": [
            "transaction_signing_native_biometrics", "transaction_signing_mobile_biometrics",
        ],
        "deleteMobileBiometrics": [
            "deleteNativeBiometrics", "delete_native_biometrics", "delete_mobile_biometrics",
        ],
        "information": ["action:information"],
        "emailOTPAuthentication": [
            "transmit_platform_email_otp_authentication", "email_otp_authentication",
        ],
        "otpRegistration": ["register_otp"],
        "otpAuthentication": ["authenticate_otp", "genericOTPAuthentication"],
        "otpTransactionSigning": [
            "transaction_signing_otp", "totpSigningTransaction",
            "transmit_platform_transaction_signing_totp",
        ],
        "recordConsent": ["record_consent"],
    ]

    static let options: [ClientOption.Kind: [String]] = [
        .clientInput: ["clientInput"], .cancel: [], .fail: ["failure", "action_failure"],
        .resend: [], .custom: [],
    ]

    private static let stepsByAlias = Dictionary(
        uniqueKeysWithValues: steps.flatMap { name, aliases in ([name] + aliases).map { ($0, name) }
        })
    private static let optionsByAlias = Dictionary(
        uniqueKeysWithValues: options.flatMap { kind, aliases in
            ([kind.rawValue] + aliases).map { ($0, kind) }
        })

    /// Returns the canonical spelling of a step's name; `nil` if the name is unknown.
    public static func step(_ name: String) -> String? { stepsByAlias[name] }

    /// Returns the kind of an option's ID; `nil` for a branch.
    static func option(_ id: String) -> ClientOption.Kind? { optionsByAlias[id] }

    /// The keys under which a `custom` response names its branch.
    static let branchKeys = ["branch_id", "branchId"]
}

extension StepType {
    /// The name that clients switch on; `nil` for steps they never see.
    public var wireName: String? {
        switch self {
        case .loginForm: "loginForm"
        case .selfieAcquisition: "selfieAcquisition"
        case .identityVerification: "identityVerification"
        case .registerNativeBiometrics: "registerNativeBiometrics"
        case .authenticateNativeBiometrics: "nativeBiometricsAuthentication"
        case .transactionSigningNativeBiometrics: "nativeBiometricsTransactionSigning"
        case .deleteNativeBiometrics: "deleteMobileBiometrics"
        case .information: "information"
        case .emailOTPAuthentication: "emailOTPAuthentication"
        case .registerOTP: "otpRegistration"
        case .authenticateOTP: "otpAuthentication"
        case .transactionSigningOTP: "otpTransactionSigning"
        case .recordConsent: "recordConsent"
        case .authenticatePassword, .registerFace, .authenticateFace, .completeJourney,
            .rejectAccess, .condition, .loop, .setVariables, .createUser,
            .lockAuthenticator, .unlockAuthenticator, .callWebhook, .recoveryCodeAuthentication,
            .recoverAccount:
            nil
        }
    }
}
