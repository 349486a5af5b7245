package dev.mien.android

import android.content.Context
import dev.mien.Authenticators
import dev.mien.BiometricTexts
import dev.mien.BiometricsAuthenticationResult
import dev.mien.BiometricsRegistrationResult
import dev.mien.DeviceException
import dev.mien.JourneyActionType
import dev.mien.Mien
import dev.mien.MienException
import dev.mien.MienThreads
import dev.mien.NativeBiometrics

/** Receives the result of a device key's registration or use, on the main thread. */
interface MienAuthCallback<T> {
    fun success(result: T)
    fun error(error: DeviceException)
}

/**
 * Device keys for the steps of [Mien]'s journey. Pass the result to `Mien.submitClientResponse` as it is.
 */
object MienAuthentication {
    /** How keys are made by [registerNativeBiometrics]: for biometrics only, and unusable after another enrollment. */
    private val standard = BiometricTexts("", "", "", "", Authenticators.BIOMETRIC_STRONG, true)

    /** Creates a key for the user of the current step, under all names that the step lists and attested for its challenge. */
    @JvmStatic
    fun registerNativeBiometrics(context: Context, username: String, callback: MienAuthCallback<BiometricsRegistrationResult>) =
        registerNativeBiometrics(context, username, standard, callback)

    /** With options that later uses need, too: whether the device's PIN may unlock the key. */
    @JvmStatic
    fun registerNativeBiometrics(
        context: Context, username: String, options: BiometricTexts, callback: MienAuthCallback<BiometricsRegistrationResult>
    ) = tell(callback) {
        val step = Mien.response?.takeIf {
            it.journeyStepId == JourneyActionType.RegisterNativeBiometrics.type && it.data?.string("user_identifier") == username
        }
        keys(context).register(username, options, step?.data?.strings("user_names") ?: emptyList(), step?.data?.string("challenge"))
    }

    /** Shows the dialog, and signs a step's challenge. */
    @JvmStatic
    fun authenticateNativeBiometrics(
        options: BiometricOptions, username: String, challenge: String, callback: MienAuthCallback<BiometricsAuthenticationResult>
    ) = tell(callback) { keys(options.activity).authenticate(username, challenge, options) }

    private fun keys(context: Context): NativeBiometrics {
        val client = Mien.journeyClient ?: throw MienException.notInitialized("Call Mien.initialize first.")
        return NativeBiometrics(AndroidDevice.biometrics(context), client.options.applicationId)
    }

    private fun <T> tell(callback: MienAuthCallback<T>, call: () -> T) {
        AndroidDevice.useMainThread()
        MienThreads.run(call, { callback.success(it) }) { error ->
            callback.error(error as? DeviceException ?: DeviceException(
                DeviceException.Code.BAD_ARGUMENT, (error as? MienException)?.reason ?: "The call failed: ${error.javaClass.simpleName}."))
        }
    }
}
