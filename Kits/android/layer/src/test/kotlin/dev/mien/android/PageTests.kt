package dev.mien.android

import androidx.fragment.app.FragmentActivity
import dev.mien.CancelException
import dev.mien.DeviceException
import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectThrows
import dev.mien.fake.Screen
import java.util.function.Function

/** Pages in Custom Tabs. */
internal object PageTests {
    private fun opened(browser: (String) -> String?): String {
        Screen.scheme = "com.example.shop"
        Screen.receiver = MienRedirectActivity::class.java
        Screen.browser = Function { browser(it) }
        val activity = Screen.open(FragmentActivity())
        try { return CustomTabs(activity).open("https://login.example.org/page") } finally {
            repeat(100) { if (Screen.top() !== activity) Thread.sleep(10) }
            expect(Screen.top() === activity) { "left on the screen: ${Screen.top()}" }
        }
    }

    fun register() {
        test("pages: a tab that redirects returns the whole URL, and leaves nothing on the screen", "hosted pages that return to the app's scheme") {
            expectEqual(opened { "com.example.shop://back?code=1&state=2" }, "com.example.shop://back?code=1&state=2")
        }
        test("pages: a closed tab, another app's scheme, and a phone without a browser are told apart") {
            expectThrows<CancelException> { opened { null } }
            expectThrows<CancelException> { opened { "other.app://back" } }
            Screen.hasBrowser = false
            expectEqual(expectThrows<DeviceException> { opened { null } }.code, DeviceException.Code.HARDWARE)
        }
        test("pages: the activity that waits below the tab may be made again meanwhile") {
            expectEqual(opened {
                Screen.recreateTop()
                "com.example.shop://back?code=1"
            }, "com.example.shop://back?code=1")
        }
    }
}
