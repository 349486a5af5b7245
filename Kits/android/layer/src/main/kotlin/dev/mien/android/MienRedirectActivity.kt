package dev.mien.android

import android.app.Activity
import android.content.Intent
import android.os.Bundle

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
