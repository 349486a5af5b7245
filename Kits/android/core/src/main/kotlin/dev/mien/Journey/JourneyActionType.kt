package dev.mien

/**
 * The kinds of steps, and how a journey ends. A response has the [type] of one of them, in the canonical spelling:
 *
 *     when (response.journeyStepId) {
 *         JourneyActionType.SelfieAcquisition.type -> …
 *     }
 */
enum class JourneyActionType(val type: String, vararg aliases: String) {
    Success("success", "action:success"),
    Rejection("rejection", "action:rejection"),
    LoginForm("loginForm", "login_form", "action:login_form"),
    Information("information", "action:information"),
    RecordConsent("recordConsent", "record_consent"),
    WaitForTime("waitForTime", "wait_for_time"),
    IdentityVerification("identityVerification", "action:id_verification", "identity_verification"),
    SelfieAcquisition("selfieAcquisition", "selfie_acquisition", "action:selfie_acquisition"),
    RegisterNativeBiometrics(
        "registerNativeBiometrics", "nativeBiometricsRegistration", "register_native_biometrics", "register_mobile_biometrics"),
    NativeBiometricsAuthentication(
        "nativeBiometricsAuthentication", "nativeBiometricsAuthenticaton", "authenticateNativeBiometrics",
        "authenticate_native_biometrics", "authenticate_mobile_biometrics"),
    NativeBiometricsTransactionSigning(
        "nativeBiometricsTransactionSigning", "transaction_signing_native_biometrics", "transaction_signing_mobile_biometrics"),
    DeleteMobileBiometrics("deleteMobileBiometrics", "deleteNativeBiometrics", "delete_native_biometrics", "delete_mobile_biometrics"),
    EmailOTPAuthentication("emailOTPAuthentication", "transmit_platform_email_otp_authentication", "email_otp_authentication"),
    OTPRegistration("otpRegistration", "register_otp"),
    OTPAuthentication("otpAuthentication", "authenticate_otp", "genericOTPAuthentication"),
    OTPTransactionSigning(
        "otpTransactionSigning", "transaction_signing_otp", "totpSigningTransaction", "transmit_platform_transaction_signing_totp"),
    OTPTransactionApproval("otpTransactionApproval", "transaction_approval_otp");

    private val aliases = aliases.toList()

    companion object {
        private val canonical: Map<String, String> =
            values().flatMap { action -> (action.aliases + action.type).map { it to action.type } }.toMap()

        /** The canonical spelling; an unknown one is kept. */
        @JvmStatic
        fun canonical(spelling: String): String = canonical[spelling] ?: spelling
    }
}

/** The answers to a step besides its own branches. */
enum class ClientResponseOptionType(val type: String, vararg aliases: String) {
    /** The requested data. */
    ClientInput("client_input", "clientInput"),
    /** The person declined. */
    Cancel("cancel"),
    /** The step failed on this device. */
    Fail("fail", "failure", "action_failure"),
    /** Asks for a new one-time code. */
    Resend("resend");

    private val aliases = aliases.toList()

    companion object {
        private val canonical: Map<String, String> =
            values().flatMap { option -> (option.aliases + option.type).map { it to option.type } }.toMap()

        @JvmStatic
        fun canonical(spelling: String): String = canonical[spelling] ?: spelling
    }
}
