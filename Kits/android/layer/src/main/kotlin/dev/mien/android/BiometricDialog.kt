package dev.mien.android

import android.os.Handler
import android.os.Looper
import androidx.biometric.BiometricManager
import androidx.biometric.BiometricPrompt
import androidx.fragment.app.FragmentActivity
import dev.mien.Authenticators
import dev.mien.BiometricLockoutException
import dev.mien.BiometricNoEnrollmentException
import dev.mien.BiometricNoPasscodeException
import dev.mien.BiometricNotSupportedOrPermissionDeniedException
import dev.mien.BiometricTexts
import dev.mien.CancelException
import dev.mien.DeviceException
import java.util.concurrent.Executor
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

/** Shows the system's dialog on the main thread, and waits on another one. */
internal object BiometricDialog {
    /** Only class 3 unlocks keys, so BIOMETRIC_WEAK means the same as BIOMETRIC_STRONG. */
    fun authenticators(options: BiometricTexts): Int =
        (if (options.allowedAuthenticators and Authenticators.BIOMETRIC_WEAK != 0) BiometricManager.Authenticators.BIOMETRIC_STRONG else 0) or
            (if (options.allowedAuthenticators and Authenticators.DEVICE_CREDENTIAL != 0) BiometricManager.Authenticators.DEVICE_CREDENTIAL else 0)

    fun show(
        activity: FragmentActivity, options: BiometricTexts, allowed: Int, crypto: BiometricPrompt.CryptoObject
    ): BiometricPrompt.AuthenticationResult {
        check(Looper.myLooper() != Looper.getMainLooper()) { "This call waits for the person. Make it on another thread than the main one." }
        if (allowed == 0) {
            throw DeviceException(DeviceException.Code.BAD_ARGUMENT, "The key was made for other authenticators than these options allow.")
        }
        val outcome = LinkedBlockingQueue<Any>()
        val main = Handler(Looper.getMainLooper())
        main.post {
            val prompt = BiometricPrompt(activity, Executor { main.post(it) }, object : BiometricPrompt.AuthenticationCallback() {
                override fun onAuthenticationSucceeded(result: BiometricPrompt.AuthenticationResult) { outcome.add(result) }
                override fun onAuthenticationError(code: Int, text: CharSequence) { outcome.add(error(code)) }
                // One attempt failed. The dialog says so, and goes on.
                override fun onAuthenticationFailed() = Unit
            })
            val info = BiometricPrompt.PromptInfo.Builder().setTitle(options.title).setAllowedAuthenticators(allowed)
            if (options.subtitle != "") info.setSubtitle(options.subtitle)
            if (options.description != "") info.setDescription(options.description)
            // The dialog has a button for the PIN in its place.
            if (allowed and BiometricManager.Authenticators.DEVICE_CREDENTIAL == 0) info.setNegativeButtonText(options.negativeButtonText)
            try { prompt.authenticate(info.build(), crypto) } catch (_: IllegalArgumentException) {
                outcome.add(DeviceException(DeviceException.Code.BAD_ARGUMENT, "Set a title, and a text for the button that cancels."))
            } catch (_: IllegalStateException) {
                outcome.add(CancelException("The activity is no longer there."))
            }
        }
        var found = outcome.poll(1, TimeUnit.SECONDS)
        while (found == null) {
            // Android made the activity again, or ended it, and the dialog has nobody to tell.
            found = if (activity.isDestroyed) CancelException("The activity is no longer there.") else outcome.poll(1, TimeUnit.SECONDS)
        }
        return found as? BiometricPrompt.AuthenticationResult ?: throw found as DeviceException
    }

    private fun error(code: Int): DeviceException = when (code) {
        BiometricPrompt.ERROR_USER_CANCELED, BiometricPrompt.ERROR_NEGATIVE_BUTTON, BiometricPrompt.ERROR_CANCELED ->
            CancelException("The person or the system closed the dialog.")
        BiometricPrompt.ERROR_LOCKOUT -> BiometricLockoutException("Too many failed attempts. Wait half a minute, or unlock the device with its PIN.")
        BiometricPrompt.ERROR_LOCKOUT_PERMANENT -> BiometricLockoutException("Too many failed attempts. Unlock the device with its PIN.")
        BiometricPrompt.ERROR_NO_BIOMETRICS -> BiometricNoEnrollmentException("No face or finger of class 3 is enrolled.")
        BiometricPrompt.ERROR_NO_DEVICE_CREDENTIAL -> BiometricNoPasscodeException("The device has no PIN, pattern, or password.")
        BiometricPrompt.ERROR_HW_NOT_PRESENT, BiometricPrompt.ERROR_HW_UNAVAILABLE, BiometricPrompt.ERROR_SECURITY_UPDATE_REQUIRED ->
            BiometricNotSupportedOrPermissionDeniedException("The sensor is missing, in use, or off until a security update.")
        BiometricPrompt.ERROR_TIMEOUT -> DeviceException(DeviceException.Code.NOT_RECOGNIZED, "Nobody was recognized in time.")
        else -> DeviceException(DeviceException.Code.HARDWARE, "The sensor failed (error $code).")
    }
}
