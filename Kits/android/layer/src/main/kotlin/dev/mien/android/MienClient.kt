package dev.mien.android

import android.app.Activity
import android.content.Context
import dev.mien.BiometricLogin
import dev.mien.DeviceTokenStorage
import dev.mien.MemoryDeviceTokens
import dev.mien.MienOptions
import dev.mien.MienSession
import dev.mien.MienThreads
import dev.mien.Reauthenticator
import dev.mien.Sensitive
import dev.mien.TokenStorage

/**
 * One user's sign-in to one app, in the form of Android: listeners, which are called on the main thread. [session] does the same
 * with calls that wait.
 *
 *     mien = MienClient(application, CLIENT_ID, ENDPOINT, TransientTokenStorage())
 *     mien.configure(listener)
 *
 * @param tokenStorage by default, sign-ins outlast the app's end.
 */
class MienClient @JvmOverloads constructor(
    context: Context, clientId: String, endpoint: String, tokenStorage: TokenStorage = KeystoreTokenStorage(context),
    reauthenticator: Reauthenticator? = null, options: MienOptions? = null
) {
    private val device = AndroidDevice.biometrics(context)
    val session = MienSession(
        options ?: MienOptions(endpoint, clientId, deviceTokens = tokenStorage as? DeviceTokenStorage ?: MemoryDeviceTokens()),
        tokenStorage, device, reauthenticator = reauthenticator)
    private val biometrics = BiometricLogin(session, device)

    init { AndroidDevice.useMainThread() }

    /** Reads the stored tokens. Call it once, when the app starts. */
    fun configure(listener: OnConfigureListener) =
        MienThreads.run({ session.configure() }, { listener.onConfigured() }, { listener.onConfigurationFailed(it) })

    /** Signs in on the server's page, in a Custom Tab. The manifest of this library receives the redirect. */
    fun authenticate(activity: Activity, redirectURI: String, listener: OnAuthenticateListener) = MienThreads.run(
        { session.authenticate(redirectURI, CustomTabs(activity)) }, { listener.onAuthenticated(it) }, { listener.onAuthenticationFailed(it) })

    /** Signs in with the token of a completed journey. */
    fun signIn(journeyToken: Sensitive<String>, listener: OnAuthenticateListener) = MienThreads.run(
        {
            session.signIn(journeyToken)
            session.userInfo()
        }, { listener.onAuthenticated(it) }, { listener.onAuthenticationFailed(it) })

    /**
     * Throws what stands in the way: no sensor, no PIN, nothing enrolled. Asks nobody.
     *
     * @param allowed `BiometricManager.Authenticators`, combined with `or`.
     */
    @Suppress("UNUSED_PARAMETER")
    fun checkBiometricSupported(context: Context, allowed: Int) = biometrics.checkSupported(allowed)

    /** Creates a key, has the person unlock it, and registers it for the signed-in user. */
    fun enableBiometric(options: BiometricOptions, listener: OnEnableBiometricListener) =
        MienThreads.run({ biometrics.enable(options) }, { listener.onEnabled() }, { listener.onFailed(it) })

    /** Whether this device has a key for this app. */
    fun isBiometricEnabled(): Boolean = biometrics.isEnabled()

    /** Signs in with the key. */
    fun authenticateBiometric(options: BiometricOptions, listener: OnAuthenticateBiometricListener) = MienThreads.run(
        { biometrics.authenticate(options) }, { listener.onAuthenticated(it) }, { listener.onAuthenticationFailed(it) })

    /** Deletes the key here, and on the server if somebody is signed in. */
    fun disableBiometric(listener: OnFinishListener) =
        MienThreads.run({ biometrics.disable() }, { listener.onFinished() }, { listener.onFailed(it) })

    fun logout(listener: OnFinishListener) = MienThreads.run({ session.signOut() }, { listener.onFinished() }, { listener.onFailed(it) })
}
