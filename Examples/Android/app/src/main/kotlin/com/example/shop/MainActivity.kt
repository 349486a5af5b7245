// A whole app: sign up with a code from an email, register a face, and sign in with it or with a finger.
// Journeys decide on the server what they ask for; this app shows it. See docs/android.md.
package com.example.shop

import android.os.Bundle
import android.text.InputType
import android.widget.Button
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import androidx.fragment.app.FragmentActivity
import dev.mien.Authenticators
import dev.mien.BiometricLogin
import dev.mien.ClientResponseOptionType
import dev.mien.Journey
import dev.mien.JourneyClient
import dev.mien.MienException
import dev.mien.MienOptions
import dev.mien.MienServiceResponse
import dev.mien.MienSession
import dev.mien.MienThreads
import dev.mien.StartJourneyOptions
import dev.mien.android.AndroidDevice
import dev.mien.android.BiometricOptions
import dev.mien.android.KeystoreTokenStorage
import dev.mien.android.MienIdentityVerification
import dev.mien.android.MienIdentityVerificationStatus

open class MainActivity : FragmentActivity(), MienIdentityVerificationStatus {
    /** Change both. */
    protected open val options = MienOptions("https://login.example.org", "shop")

    private lateinit var session: MienSession
    private lateinit var biometrics: BiometricLogin
    private lateinit var page: LinearLayout
    private var journey: Journey? = null
    /** What the app's own page says. */
    private var news: TextView? = null

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        AndroidDevice.useMainThread()
        page = LinearLayout(this).apply { orientation = LinearLayout.VERTICAL }
        setContentView(ScrollView(this).apply { addView(page) })
        val device = AndroidDevice.biometrics(this)
        session = MienSession(options, KeystoreTokenStorage(this), device)
        biometrics = BiometricLogin(session, device)
        MienIdentityVerification.initialize(this, options.applicationId, options.serverPath)
        MienIdentityVerification.registerForStatus(this)
        act("") { session.configure() }
    }

    // The app's own page

    private fun showHome(name: String?, message: String) {
        page.removeAllViews()
        if (name != null) {
            say("Hello, $name")
            button("Register my face") { begin("add-face") }
            button("Use my finger from now on") { act("Your finger is on") { biometrics.enable(dialog()) } }
            button("Sign out") { act("Signed out") { session.signOut() } }
        } else {
            button("Create an account") { begin("sign-up") }
            button("Sign in") { begin("face-login") }
            button("Sign in with my finger") { act("Signed in") { biometrics.authenticate(dialog()) } }
        }
        news = say(message)
    }

    private fun dialog() = BiometricOptions(this, "Sign in to Shop", "", "", "Cancel", Authenticators.BIOMETRIC_STRONG, true)

    /** Does something that waits for the server or the person, and says how it went. */
    private fun act(done: String, work: () -> Unit) = MienThreads.run(
        {
            val message = try {
                work()
                done
            } catch (error: Exception) { error.message ?: "It did not work." }
            val user = try { if (session.state == MienSession.State.SIGNED_IN) session.userInfo() else null } catch (_: MienException) { null }
            Pair(user?.let { it.preferredUsername ?: it.sub }, message)
        }, { (name, message) -> showHome(name, message) }, { showHome(null, "${it.message}") })

    // A journey, step by step, with whatever the server asks for

    private fun begin(id: String) {
        news?.text = ""
        proceed {
            val user = session.takeIf { it.state == MienSession.State.SIGNED_IN }
            JourneyClient(options).start(id, StartJourneyOptions(), user).also { journey = it }.response
        }
    }

    private fun answer(option: String, data: Map<String, String>? = null) = proceed { journey!!.respond(option, data) }

    private fun proceed(send: () -> MienServiceResponse) = MienThreads.run(send, { show(it) }, { say("${it.message}") })

    private fun show(step: MienServiceResponse) {
        val token = step.token
        val startToken = step.startToken
        when {
            // A journey that began with a sign-in leaves it as it is, and makes no second one.
            token != null && session.state == MienSession.State.SIGNED_IN -> act("Done") {}
            token != null -> act("Signed in") { session.signIn(token) }
            step.hasEnded -> act("That did not work.") {}
            startToken != null -> MienIdentityVerification.start(this, startToken.use { it })
            else -> showForm(step)
        }
    }

    private fun showForm(step: MienServiceResponse) {
        page.removeAllViews()
        listOf("title", "text").mapNotNull { step.data?.string(it) }.forEach { say(it) }
        val fields = HashMap<String, EditText>()
        for (option in step.clientResponseOptions.values.sortedBy { it.label }) {
            for (name in option.fieldNames) if (name !in fields) fields[name] = field(name)
            button(option.label) {
                val data = option.fieldNames.associateWith { fields.getValue(it).text.toString() }.filterValues { it != "" }
                answer(option.id, if (option.fieldNames.isEmpty()) null else data)
            }
        }
        step.errorCode?.let { say(it.word) }
    }

    override fun verificationCompleted() = answer(ClientResponseOptionType.ClientInput.type)
    override fun verificationCanceled() = answer(ClientResponseOptionType.Cancel.type)
    override fun verificationFail(error: MienException) = answer(ClientResponseOptionType.Fail.type)

    // Views

    private fun say(words: String) = TextView(this).apply { text = words }.also { page.addView(it) }

    private fun button(label: String, press: () -> Unit) = page.addView(Button(this).apply {
        text = label
        setOnClickListener { press() }
    })

    private fun field(name: String) = EditText(this).apply {
        hint = name
        if (name == "password") inputType = InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_VARIATION_PASSWORD
        page.addView(this)
    }
}
