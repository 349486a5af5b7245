package dev.mien.android

import android.Manifest
import android.app.Activity
import android.content.Context
import android.content.Intent
import android.content.pm.PackageManager
import android.os.Bundle
import android.view.Surface
import dev.mien.CaptureFlow
import dev.mien.CaptureOutcome
import dev.mien.FrameSource
import dev.mien.JourneyClient
import dev.mien.Mien
import dev.mien.MienException
import dev.mien.MienOptions
import dev.mien.MienThreads
import dev.mien.Sensitive
import dev.mien.Texts
import java.util.Locale

/** Receives the end of a capture, on the main thread: exactly one of the three. */
interface MienIdentityVerificationStatus {
    /** Answer the step with `client_input`. */
    fun verificationCompleted()
    /** Answer with `cancel`. */
    fun verificationCanceled()
    /** Answer with `fail`, if the step has it. */
    fun verificationFail(error: MienException)
}

/** Captures for selfie and identity-verification steps, with screens. One call serves selfies and documents. */
object MienIdentityVerification {
    private var client: JourneyClient? = null
    private var status: MienIdentityVerificationStatus? = null
    /** The start token of the activity that opens: an intent could be read by other apps in the list of recent ones. */
    private var pending: Sensitive<String>? = null

    /** Needed only without `Mien.initialize`, whose server is used otherwise. */
    @JvmStatic
    @Suppress("UNUSED_PARAMETER")
    fun initialize(context: Context, clientId: String, baseUrl: String) {
        client = JourneyClient(MienOptions(baseUrl, clientId))
    }

    @JvmStatic
    fun registerForStatus(status: MienIdentityVerificationStatus) { this.status = status }

    /** Opens the screens. A capture that is open is canceled. */
    @JvmStatic
    fun start(context: Context, startToken: String) {
        server()
        pending = Sensitive(startToken)
        context.startActivity(Intent(context, MienCaptureActivity::class.java).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK))
    }

    internal fun server(): JourneyClient = client ?: Mien.journeyClient
        ?: throw MienException.notInitialized("Call Mien.initialize or MienIdentityVerification.initialize first.")

    internal fun takeToken(): Sensitive<String>? = pending.also { pending = null }

    internal fun tell(outcome: CaptureOutcome) {
        val status = status ?: return
        when (outcome.kind) {
            CaptureOutcome.Kind.COMPLETED -> status.verificationCompleted()
            CaptureOutcome.Kind.CANCELED -> status.verificationCanceled()
            CaptureOutcome.Kind.FAILED -> status.verificationFail(outcome.error!!)
        }
    }
}

/** The activity around [MienCaptureView]: asks for the camera, and ends with the capture. */
open class MienCaptureActivity : Activity() {
    private var view: MienCaptureView? = null
    private var token: Sensitive<String>? = null

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        // A screenshot would show the person's document.
        window.addFlags(android.view.WindowManager.LayoutParams.FLAG_SECURE or android.view.WindowManager.LayoutParams.FLAG_KEEP_SCREEN_ON)
        token = MienIdentityVerification.takeToken()
        // The system ended the app meanwhile: the app starts its journey's step again.
        if (token == null) return finish()
        val view = MienCaptureView(this, Texts.of(Locale.getDefault()))
        this.view = view
        setContentView(view)
        if (checkSelfPermission(Manifest.permission.CAMERA) == PackageManager.PERMISSION_GRANTED) begin()
        else requestPermissions(arrayOf(Manifest.permission.CAMERA), PERMISSION)
    }

    // Denied or not: the screens say what is wrong with the camera.
    override fun onRequestPermissionsResult(code: Int, permissions: Array<String>, results: IntArray) {
        super.onRequestPermissionsResult(code, permissions, results)
        if (code == PERMISSION) begin()
    }

    /** The camera; an app may have one of its own. */
    protected open fun camera(view: MienCaptureView): FrameSource = AndroidCamera(this, { view.previewSurface() }, { displayRotation() })

    private fun begin() {
        val view = view ?: return
        val token = token ?: return
        this.token = null
        AndroidDevice.useMainThread()
        val flow = CaptureFlow(MienIdentityVerification.server(), camera(view), view, Texts.of(Locale.getDefault()))
        MienThreads.run({ flow.run(token) }, { end(it) }, { end(null) })
    }

    private fun end(outcome: CaptureOutcome?) {
        // What stops from now on is no capture any more.
        view = null
        token = null
        finish()
        if (outcome != null) MienIdentityVerification.tell(outcome)
        else MienIdentityVerification.tell(CaptureOutcome.interrupted())
    }

    private fun displayRotation(): Int {
        @Suppress("DEPRECATION") // Its successor came with Android 11.
        return when (windowManager.defaultDisplay.rotation) {
            Surface.ROTATION_90 -> 90
            Surface.ROTATION_180 -> 180
            Surface.ROTATION_270 -> 270
            else -> 0
        }
    }

    override fun onBackPressed() { view?.leave() ?: super.onBackPressed() }

    override fun onStop() {
        super.onStop()
        // Nobody is in front of the camera any more. Android also makes the activity again, for example in another language: the new
        // one has no token, so the capture ends with this one.
        view?.leave()
    }

    override fun onDestroy() {
        super.onDestroy()
        // The person was still being asked for the camera.
        if (token != null) end(null)
    }

    private companion object { const val PERMISSION = 101 }
}
