package dev.mien.android

import android.app.Activity
import android.content.Intent
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
