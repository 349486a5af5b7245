internal import MienAPI

/// The kind of a step, or how the journey ended. All known spellings of an id compare equal.
///
///     switch response.journeyStepId {
///     case .selfieAcquisition: …
///
/// `JourneyStepID("nativeBiometricsRegistration") == .registerNativeBiometrics`. An unknown id
/// keeps its spelling.
public struct JourneyStepID: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The canonical spelling.
    public let rawValue: String
    /// The same value under the name that Kotlin code uses.
    public var type: String { rawValue }

    public init(rawValue: String) {
        self.rawValue =
            JourneyStepName(spelling: rawValue)?.rawValue ?? Self.canonical[rawValue] ?? rawValue
    }
    public init(_ name: String) { self.init(rawValue: name) }
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    public var description: String { rawValue }

    public static let success: Self = "success"
    public static let rejection: Self = "rejection"
    public static let loginForm: Self = "loginForm"
    public static let information: Self = "information"
    public static let recordConsent: Self = "recordConsent"
    public static let waitForTime: Self = "waitForTime"
    public static let identityVerification: Self = "identityVerification"
    public static let selfieAcquisition: Self = "selfieAcquisition"
    public static let registerNativeBiometrics: Self = "registerNativeBiometrics"
    public static let nativeBiometricsRegistration: Self = "registerNativeBiometrics"
    public static let nativeBiometricsAuthentication: Self = "nativeBiometricsAuthentication"
    public static let nativeBiometricsTransactionSigning: Self =
        "nativeBiometricsTransactionSigning"
    public static let deleteMobileBiometrics: Self = "deleteMobileBiometrics"
    public static let emailOTPAuthentication: Self = "emailOTPAuthentication"
    public static let otpRegistration: Self = "otpRegistration"
    public static let otpAuthentication: Self = "otpAuthentication"
    public static let genericOTPAuthentication: Self = "otpAuthentication"
    public static let otpTransactionSigning: Self = "otpTransactionSigning"
    public static let otpTransactionApproval: Self = "otpTransactionApproval"
    public static let totpSigningTransaction: Self = "otpTransactionSigning"

    // This server has no steps with these names. They exist so that apps that switch on them build.
    public static let debugBreak: Self = "debugBreak"
    public static let waitForAnotherDevice: Self = "waitForAnotherDevice"
    public static let drsTriggerAction: Self = "drsTriggerAction"
    public static let registerDeviceAction: Self = "registerDeviceAction"
    public static let validateDeviceAction: Self = "validateDeviceAction"
    public static let webAuthnRegistration: Self = "webAuthnRegistration"
    public static let webAuthnTransactionSigning: Self = "webAuthnTransactionSigning"
    public static let smsOTPAuthentication: Self = "smsOTPAuthentication"
    public static let otpValidation: Self = "otpValidation"
    public static let emailValidation: Self = "emailValidation"
    public static let smsValidation: Self = "smsValidation"
    public static let totpRegistration: Self = "totpRegistration"
    public static let pinCodeRegistration: Self = "pinCodeRegistration"
    public static let pinCodeAuthentication: Self = "pinCodeAuthentication"
    public static let pinCodeTransactionSigning: Self = "pinCodeTransactionSigning"

    /// The spellings of names that this server has no steps for, in the mobile and web SDKs.
    private static let otherAliases: [String: [String]] = [
        "debugBreak": ["action:debug_break"],
        "waitForAnotherDevice": ["action:wait_for_another_device"],
        "drsTriggerAction": ["action:drs_trigger_action"],
        "registerDeviceAction": [
            "action:crypto_binding_registration", "transmit_platform_device_registration",
        ],
        "validateDeviceAction": [
            "action:crypto_binding_validation", "transmit_platform_device_validation",
        ],
        "webAuthnRegistration": ["action:webauthn_registration"],
        "webAuthnTransactionSigning": ["transmit_platform_transaction_signing_passkey"],
        "smsOTPAuthentication": ["transmit_platform_sms_otp_authentication"],
        "emailValidation": ["transmit_platform_email_validation"],
        "smsValidation": ["transmit_platform_sms_validation"],
        "totpRegistration": ["transmit_platform_totp_registration"],
    ]

    private static let canonical = Dictionary(
        uniqueKeysWithValues: otherAliases.flatMap { name, others in others.map { ($0, name) } })
}
