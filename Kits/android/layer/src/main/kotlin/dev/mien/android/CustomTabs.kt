package dev.mien.android

import android.app.Activity
import android.content.ActivityNotFoundException
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import androidx.browser.customtabs.CustomTabsIntent
import dev.mien.CancelException
import dev.mien.DeviceException
import dev.mien.SignInPage
import dev.mien.SignInPresenter
import java.util.concurrent.LinkedBlockingQueue

/** Opens pages of the server in a Custom Tab, and waits until one returns to the app. */
class CustomTabs(private val activity: Activity) : SignInPresenter {
    override fun present(page: SignInPage): String = open(page.url)

    /**
     * Opens a page, such as the `endpoint` of a step whose `callback_url` has the app's scheme, and returns the whole URL with which
     * it came back. Waits: call it on a thread of your own.
     *
     * @throws CancelException if the person closes the tab.
     * @throws DeviceException `BAD_ARGUMENT` for another address than one of the web, which would open another app.
     */
    fun open(url: String): String {
        if (!isOfWeb.containsMatchIn(url)) {
            throw DeviceException(DeviceException.Code.BAD_ARGUMENT, "The page's address must begin with https:// or http://.")
        }
        val visit = LinkedBlockingQueue<Any>()
        Visits.begin(visit)
        activity.runOnUiThread {
            activity.startActivity(Intent(activity, MienBrowserActivity::class.java).putExtra(MienBrowserActivity.PAGE, url))
        }
        val found = visit.take()
        return found as? String ?: throw found as DeviceException
    }

    private companion object { val isOfWeb = Regex("^https?://", RegexOption.IGNORE_CASE) }
}

/** The visit in progress: one at a time. */
internal object Visits {
    private var current: LinkedBlockingQueue<Any>? = null

    @Synchronized
    fun begin(visit: LinkedBlockingQueue<Any>) {
        current?.add(CancelException("Another page was opened."))
        current = visit
    }

    @Synchronized
    fun end(result: Any) {
        current?.add(result)
        current = null
    }
}

/**
 * Opens the tab above the app's activity, and waits for the redirect below it: without one, the person has closed the tab. It shows
 * nothing.
 */
class MienBrowserActivity : Activity() {
    private var isOpen = false
    private var hasEnded = false

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        isOpen = state?.getBoolean(OPEN) ?: false
    }

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        state.putBoolean(OPEN, isOpen)
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        // The next visit, which has closed the tab of this one.
        if (intent.getStringExtra(PAGE) != null) isOpen = false
        setIntent(intent)
    }

    override fun onDestroy() {
        super.onDestroy()
        // The person has removed the app from the list of recent ones.
        if (isFinishing && !hasEnded) Visits.end(CancelException("The person closed the page."))
    }

    override fun onResume() {
        super.onResume()
        val back = intent.data
        val page = intent.getStringExtra(PAGE)
        when {
            back != null -> end(back.toString())
            isOpen || page == null -> end(CancelException("The person closed the page."))
            else -> try {
                isOpen = true
                CustomTabsIntent.Builder().build().launchUrl(this, Uri.parse(page))
            } catch (_: ActivityNotFoundException) {
                end(DeviceException(DeviceException.Code.HARDWARE, "The device has no browser."))
            }
        }
    }

    private fun end(result: Any) {
        hasEnded = true
        Visits.end(result)
        finish()
    }

    internal companion object {
        const val PAGE = "dev.mien.page"
        const val OPEN = "dev.mien.open"
    }
}

/** Receives the redirect: the manifest lists the app's scheme for it. Any app can send one; the session refuses what is not its own. */
class MienRedirectActivity : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        // Closes the tab, which is above the browser's activity.
        startActivity(Intent(this, MienBrowserActivity::class.java).setData(intent.data)
            .addFlags(Intent.FLAG_ACTIVITY_CLEAR_TOP or Intent.FLAG_ACTIVITY_SINGLE_TOP))
        finish()
    }
}
