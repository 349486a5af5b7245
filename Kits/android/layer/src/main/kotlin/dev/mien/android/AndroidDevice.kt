package dev.mien.android

import android.content.Context
import android.os.Build
import android.os.Handler
import android.os.Looper
import android.os.SystemClock
import dev.mien.BiometricDevice
import dev.mien.DeviceClock
import dev.mien.MienThreads
import dev.mien.OtpVault
import dev.mien.SealedFile
import dev.mien.Sensitive
import java.io.File
import java.util.UUID
import java.util.concurrent.Executor

/** This device, for the core. */
object AndroidDevice {
    // Unlike Java's clock, it goes on while the device sleeps.
    init { DeviceClock.elapsed = { SystemClock.elapsedRealtime() } }

    /**
     * Has handlers called on the main thread, as Android's callbacks are. Call it before `Mien`, which does not know Android. The
     * classes of this package do it themselves.
     */
    @JvmStatic
    fun useMainThread() {
        val main = Handler(Looper.getMainLooper())
        MienThreads.results = Executor { main.post(it) }
    }

    @JvmStatic
    fun biometrics(context: Context) = BiometricDevice(AndroidDeviceKeys(context), Build.MODEL ?: "Android", installationID(context))

    /** The vault of the app's OTP tokens, in a file that backups leave out. */
    @JvmStatic
    fun otpVault(context: Context) = OtpVault(File(context.applicationContext.noBackupFilesDir, "mien-otp"), AndroidSecrets())

    /** Stays the same while the app is installed. */
    private fun installationID(context: Context): String {
        val file = SealedFile(File(context.applicationContext.noBackupFilesDir, "mien-device"), AndroidSecrets(), "mien/v1/device-id")
        val known = file.get("id")
        if (known != null) return known.use { it }
        return UUID.randomUUID().toString().also { file.put("id", Sensitive(it)) }
    }
}
