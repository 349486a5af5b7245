package dev.mien.android

import android.app.Activity
import android.content.ActivityNotFoundException
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import androidx.browser.customtabs.CustomTabsIntent
import dev.mien.CancelException
import dev.mien.DeviceException

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
