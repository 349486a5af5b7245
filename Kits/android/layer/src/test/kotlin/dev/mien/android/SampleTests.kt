package dev.mien.android

import com.example.shop.MainActivity
import dev.mien.MienOptions
import dev.mien.Testing
import dev.mien.Texts
import dev.mien.fake.Phone
import dev.mien.fake.Screen
import dev.mien.fake.Touch
import java.io.File
import java.util.Locale

/** The app of Examples/Android, as a person uses it. */
internal object SampleTests {
    private val texts = Texts.of(Locale.ENGLISH)

    private class Shop(override val options: MienOptions) : MainActivity()

    private fun see(words: String, seconds: Int = 60) {
        val end = System.nanoTime() + seconds * 1_000_000_000L
        while (Finger.texts().none { it.startsWith(words) }) {
            if (System.nanoTime() > end) throw Testing.Failure("“$words” is not on the screen, but ${Finger.texts()}")
            Thread.sleep(50)
        }
    }

    /** Shows the face until it is accepted: a machine that holds a camera up for half a second ends a live capture. */
    private fun showFace(begin: () -> Unit) {
        repeat(5) {
            var isRefused = false
            if ("Try again" in Finger.texts()) Finger.press("Try again") else begin()
            Finger.press(texts.text("button_camera"))
            val end = System.nanoTime() + 90_000_000_000L
            while (System.nanoTime() < end) {
                val shown = Finger.texts()
                if ("Signed in" in shown) if (isRefused) break else return
                if ("That did not work." in shown || "Try again" in shown) break
                if ("No face" in shown) {
                    println("    $shown")
                    isRefused = true
                    Finger.press("Continue")
                }
                if (texts.text("capture_failed_title") in shown) {
                    println("    $shown")
                    Finger.press(texts.text("button_continue"))
                    Thread.sleep(2000)
                }
                Thread.sleep(50)
            }
        }
        throw Testing.Failure("the face is not accepted; there is ${Finger.texts()}")
    }

    /** Signs up as far as the question about the face. */
    private fun signUp(server: Server): String {
        val user = "eve-${System.nanoTime() % 1_000_000}"
        Finger.press("Create an account")
        for ((field, text) in listOf("username" to user, "email" to "$user@example.org", "password" to Server.PASSWORD)) Finger.fill(field, text)
        Finger.press("Create account")
        val code = server.mails.code()
        Finger.fill("passcode", code)
        Finger.press("Continue")
        see("Use my face")
        return user
    }

    private fun open(): Server {
        val server = Servers.with(mapOf("FACE_LIVENESS_MODE" to "liveness_passive"))
        val app = "shop-sample-${System.nanoTime() % 1_000_000}"
        server.app(app, mapOf("biometric" to mapOf("enabled" to true)))
        Phone.scene = Person()
        Screen.open(Shop(MienOptions(server.address, app)))
        return server
    }

    fun register() {
        test("sample: a person signs up with a code, and signs in with the password and a finger") {
            val user = signUp(open())
            // Not yet: a person decides about the face later.
            Finger.press("Cancel")
            see("Hello, ")
            // A code from a mail does not allow a key; the password does.
            Finger.press("Sign out")
            Finger.press("Sign in")
            Finger.fill("username", user)
            Finger.fill("password", Server.PASSWORD)
            Finger.press("Password")
            see("Hello, ")
            Phone.touches.add(Touch.RIGHT)
            Finger.press("Use my finger from now on")
            see("Your finger is on")
            Finger.press("Sign out")
            Phone.touches.add(Touch.RIGHT)
            Finger.press("Sign in with my finger")
            see("Hello, ")
        }
        test("sample: a person signs up with a face, and signs in with it") {
            Heads.poses
            val packs = System.getenv("MIEN_HOME")?.let { File(it, "packs").list() }
            if (packs == null || packs.isEmpty()) Testing.skip("needs a model pack: run scripts/setup")
            val server = open()
            var user = ""
            showFace {
                if ("Sign out" in Finger.texts()) Finger.press("Sign out")
                user = signUp(server)
                Finger.press("Use my face")
            }
            Finger.press("Sign out")
            showFace {
                Finger.press("Sign in")
                Finger.fill("user_identifier", user)
                Finger.press("Face")
            }
        }
    }
}
