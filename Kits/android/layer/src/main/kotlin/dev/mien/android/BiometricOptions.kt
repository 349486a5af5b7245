package dev.mien.android

import androidx.fragment.app.FragmentActivity
import dev.mien.BiometricTexts

/** The options of biometric login, and the activity that shows the dialog. */
class BiometricOptions(
    val activity: FragmentActivity, title: String, subtitle: String, description: String, negativeButtonText: String,
    /** `BiometricManager.Authenticators`, combined with `or`. */
    allowedAuthenticators: Int, invalidatedByBiometricEnrollment: Boolean
) : BiometricTexts(title, subtitle, description, negativeButtonText, allowedAuthenticators, invalidatedByBiometricEnrollment)
