package dev.mien.android

import android.content.Context
import android.content.Intent
import dev.mien.CaptureOutcome
import dev.mien.JourneyClient
import dev.mien.Mien
import dev.mien.MienException
import dev.mien.MienOptions
import dev.mien.Sensitive

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
