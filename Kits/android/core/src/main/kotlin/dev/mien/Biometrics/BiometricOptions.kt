package dev.mien

/** The authenticators that may unlock a key: Android's `BiometricManager.Authenticators`. */
object Authenticators {
    /** A biometric of class 3. */
    const val BIOMETRIC_STRONG = 0x000F
    /** The same here: Android lets only biometrics of class 3 unlock a key. */
    const val BIOMETRIC_WEAK = 0x00FF
    /** The device's PIN, pattern, or password. */
    const val DEVICE_CREDENTIAL = 1 shl 15
}

/**
 * The six options of biometric login on Android. Pass the same ones to every call. A key that was enabled for biometrics only
 * never accepts the device's PIN afterward.
 */
open class BiometricTexts(
    /** The title of the dialog. */
    val title: String,
    val subtitle: String,
    val description: String,
    /** The button that dismisses the dialog. Android shows none beside `DEVICE_CREDENTIAL`. */
    val negativeButtonText: String,
    /** [Authenticators], combined with `or`. */
    val allowedAuthenticators: Int,
    /** Whether another enrollment makes the key unusable. */
    val invalidatedByBiometricEnrollment: Boolean
) {
    internal val acceptsBiometric: Boolean get() = allowedAuthenticators and Authenticators.BIOMETRIC_WEAK != 0
    internal val acceptsCredential: Boolean get() = allowedAuthenticators and Authenticators.DEVICE_CREDENTIAL != 0

    /** What unlocks the key, as servers are told when it is registered. */
    internal val verification: String get() = if (acceptsCredential) "biometric_or_pin" else "biometric"
}
