package dev.mien.android

import android.Manifest
import android.app.Activity
import android.content.pm.PackageManager
import android.os.Bundle
import android.view.Surface
import dev.mien.CaptureFlow
import dev.mien.CaptureOutcome
import dev.mien.FrameSource
import dev.mien.MienThreads
import dev.mien.Sensitive
import dev.mien.Texts
import java.util.Locale

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
        // The capture has ended: leaving the screen no longer cancels it.
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
        // Nobody is in front of the camera any more, or the system creates the activity again, without its capture.
        view?.leave()
    }

    override fun onDestroy() {
        super.onDestroy()
        // The person was still being asked for the camera.
        if (token != null) end(null)
    }

    private companion object { const val PERMISSION = 101 }
}
