package dev.mien.android

import android.app.Activity
import androidx.fragment.app.FragmentActivity
import dev.mien.CancelException
import dev.mien.DeviceException
import dev.mien.HttpRequest
import dev.mien.HttpResponse
import dev.mien.HttpTransport
import dev.mien.Mien
import dev.mien.MienException
import dev.mien.MienOptions
import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectThrows
import dev.mien.fake.Phone
import dev.mien.fake.Screen
import java.util.concurrent.TimeUnit
import java.util.function.Function

/** Pages in Custom Tabs. */
internal object PageTests {
    private fun opened(browser: (String) -> String?): String {
        Screen.scheme = "com.example.shop"
        Screen.receiver = MienRedirectActivity::class.java
        Screen.single = MienBrowserActivity::class.java
        Screen.browser = Function { browser(it) }
        val activity = Screen.open(FragmentActivity())
        try { return CustomTabs(activity).open("https://login.example.org/page") } finally {
            repeat(1000) { if (Screen.top() !== activity) Thread.sleep(10) }
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
        test("pages: only addresses of the web are opened") {
            Screen.browser = Function { throw IllegalStateException("opened $it") }
            val activity = Screen.open(FragmentActivity())
            for (url in listOf("javascript:alert(1)", "intent://x#Intent;end", "file:///sdcard/x", "other.app://x", " https://a", "")) {
                expectEqual(expectThrows<DeviceException> { CustomTabs(activity).open(url) }.code, DeviceException.Code.BAD_ARGUMENT)
            }
        }
        test("pages: another visit ends the one in progress, and is no closed page itself") {
            val next = java.util.concurrent.LinkedBlockingQueue<String>()
            expectThrows<CancelException> {
                opened { url ->
                    if (!url.endsWith("/next")) {
                        Thread { next.add(CustomTabs(Screen.top() as Activity).open("https://login.example.org/next")) }.start()
                        repeat(1000) { if (next.isEmpty()) Thread.sleep(10) }
                        null
                    } else "com.example.shop://back?code=2"
                }
            }
            expectEqual(next.poll(20, TimeUnit.SECONDS), "com.example.shop://back?code=2")
        }
        test("captures: one whose activity is made again, or whose activity ends while the camera is asked for, ends once") {
            val told = java.util.concurrent.LinkedBlockingQueue<String>()
            MienIdentityVerification.registerForStatus(object : MienIdentityVerificationStatus {
                override fun verificationCompleted() { told.add("completed") }
                override fun verificationCanceled() { told.add("canceled") }
                override fun verificationFail(error: MienException) { told.add(error.reason) }
            })
            Mien.initialize(MienOptions("https://login.example.org", "shop", transport = object : HttpTransport {
                override fun send(request: HttpRequest): HttpResponse {
                    val isDocument = request.url.endsWith("/verification/session")
                    val body = if (isDocument) "{\"code\":\"invalid_credentials\",\"status\":401,\"detail\":\"no\"}" else "{\"status\":\"open\",\"mode\":\"image\"}"
                    return HttpResponse(if (isDocument) 401 else 200, emptyMap(), body.toByteArray())
                }
            }))
            Screen.open(FragmentActivity())
            Screen.onMain {
                MienIdentityVerification.start(Phone.application, "cap_1")
                Screen.top().destroy()
            }
            expectEqual(told.poll(20, TimeUnit.SECONDS), "The capture did not pass: interrupted")
            Phone.permissions.add(android.Manifest.permission.CAMERA)
            Screen.onMain { MienIdentityVerification.start(Phone.application, "cap_2") }
            Thread.sleep(300)
            Screen.recreateTop()
            expectEqual(told.poll(20, TimeUnit.SECONDS), "canceled")
            expectEqual(told.poll(300, TimeUnit.MILLISECONDS), null)
        }
        test("pages: the activity that waits below the tab may be made again meanwhile") {
            expectEqual(opened {
                Screen.recreateTop()
                "com.example.shop://back?code=1"
            }, "com.example.shop://back?code=1")
        }
    }
}
