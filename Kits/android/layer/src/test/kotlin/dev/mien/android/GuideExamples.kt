package dev.mien.android

import android.app.Activity
import android.content.Context
import android.content.pm.PackageManager
import dev.mien.BiometricsRegistrationResult
import dev.mien.ClientResponseOptionType
import dev.mien.DeviceException
import dev.mien.JourneyActionType
import dev.mien.JourneyClient
import dev.mien.Mien
import dev.mien.MienData
import dev.mien.MienException
import dev.mien.MienHandler
import dev.mien.MienOptions
import dev.mien.MienServiceResponse
import dev.mien.MienSession
import dev.mien.OtpProvisioning
import dev.mien.Sensitive
import dev.mien.StartJourneyOptions


// The Kotlin code of the guides in the kit's names. The pages in docs print parts of this file, which GuideTests compares.

/** The guide to face authentication with journeys. */
internal class JourneyScreen(private val context: Context, private val activity: Activity) : MienIdentityVerificationStatus {
    private lateinit var response: MienServiceResponse
    private val callback = object : MienHandler {
        override fun success(response: MienServiceResponse) = processServiceResponse(response)
        override fun error(error: MienException) = show(error)
    }

    fun begin(journeyId: String) {
        AndroidDevice.useMainThread()
        Mien.initialize("https://login.example.org", "shop")
        Mien.startJourney(journeyId, StartJourneyOptions(), callback)
    }

    private fun processServiceResponse(response: MienServiceResponse) {
        when (response.journeyStepId) {
            JourneyActionType.IdentityVerification.type -> handleIdentityVerification(response)
            JourneyActionType.SelfieAcquisition.type -> handleIdentityVerification(response)
            JourneyActionType.LoginForm.type, JourneyActionType.RecordConsent.type -> showForm(response.clientResponseOptions.keys)
            JourneyActionType.Success.type -> finish(response.token)
            JourneyActionType.Rejection.type -> show(response.errorData?.optString("reason"))
        }
    }

    private fun handleIdentityVerification(response: MienServiceResponse) {
        this.response = response
        val startToken = response.startToken ?: return
        MienIdentityVerification.registerForStatus(this)
        MienIdentityVerification.start(context, startToken.use { it })
    }

    override fun verificationCompleted() {
        val payload = response.data?.optJSONObject("payload")
        val data = payload?.let { IDVResult(IDVResponsePayload(it.optString("session"), it.optString("state"))) }
        Mien.submitClientResponse(ClientResponseOptionType.ClientInput.type, data, callback)
    }

    override fun verificationCanceled() = Mien.submitClientResponse(ClientResponseOptionType.Cancel.type, null, callback)

    override fun verificationFail(error: MienException) {
        if (response.clientResponseOptions[ClientResponseOptionType.Fail.type] != null) {
            Mien.submitClientResponse(ClientResponseOptionType.Fail.type, null, callback)
        } else {
            show(error)
        }
    }

    fun logIn(userIdentifier: String) = Mien.submitClientResponse("face", mapOf("user_identifier" to userIdentifier), callback)

    fun logIn(username: String, password: Sensitive<String>) =
        Mien.submitClientResponse("password", mapOf("username" to username, "password" to password), callback)

    fun agree() = Mien.submitClientResponse(ClientResponseOptionType.ClientInput.type, null, callback)

    /** The kit asks for the camera itself. An app that asks before does it as always. */
    fun hasCamera() = activity.checkSelfPermission(android.Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED

    private fun showForm(branches: Set<String>) = show(branches.joinToString())
    private fun finish(token: Sensitive<String>?) = show(token)
    private fun show(what: Any?) { last = what }
    private var last: Any? = null

    class IDVResponsePayload(val sessionId: String, val state: String) : MienData {
        override fun members() = mapOf("sessionId" to sessionId, "state" to state)
    }
    class IDVResult(val payload: IDVResponsePayload) : MienData {
        override fun members() = mapOf("payload" to payload)
    }
}

/** The guide to the step that registers mobile biometrics. */
internal class RegistrationScreen(private val applicationContext: Context?, private val callback: MienHandler) {
    fun register(response: MienServiceResponse) {
        val userId = response.responseData?.optString("user_identifier") ?: return
        applicationContext?.let {
            MienAuthentication.registerNativeBiometrics(it, userId, object : MienAuthCallback<BiometricsRegistrationResult> {
                override fun error(error: DeviceException) {
                    Mien.submitClientResponse(ClientResponseOptionType.Fail.type, null, callback)
                }

                override fun success(result: BiometricsRegistrationResult) {
                    Mien.submitClientResponse(ClientResponseOptionType.ClientInput.type, result, callback)
                }
            })
        }
    }
}

/** The code of docs/android.md. */
internal class Examples(private val context: Context, private val activity: Activity) {
    /** Journeys as values, on a thread of the app's own. */
    fun logIn(options: MienOptions): Sensitive<String>? {
        val journey = JourneyClient(options).start("password-login")
        while (!journey.response.hasEnded) {
            when (journey.response.journeyStepId) {
                JourneyActionType.LoginForm.type ->
                    journey.respond("password", mapOf("username" to "ada", "password" to Sensitive("correct horse battery")))
                else -> journey.respond(ClientResponseOptionType.Cancel.type)
            }
        }
        return journey.response.token
    }

    fun request(session: MienSession): Map<String, String> {
        val headers = session.authorization("GET", "https://api.example.org/orders")
        return headers
    }

    fun code(options: MienOptions, registrationCode: Sensitive<String>, chosen: Sensitive<String>, typed: Sensitive<String>): String {
        val vault = AndroidDevice.otpVault(context)
        val token = OtpProvisioning(options).redeem(registrationCode, "Ada's phone")
        vault.keep(token, chosen)
        val code = vault.code(token.id, typed)
        return code.text
    }

    fun signIn(session: MienSession) {
        session.configure()
        val user = session.authenticate("com.example.shop://signed-in", CustomTabs(activity))
        println(user)
    }
}
