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

    private val hasPack: Boolean
        get() {
            Heads.poses
            return System.getenv("MIEN_HOME")?.let { File(it, "packs").list() }?.isNotEmpty() == true
        }

    private class Shop(override val options: MienOptions) : MainActivity()

    private fun appears(words: String): Boolean {
        val end = System.nanoTime() + 60_000_000_000L
        while (Finger.texts().none { it.startsWith(words) }) {
            if (System.nanoTime() > end) return false
            Thread.sleep(50)
        }
        return true
    }

    private fun see(words: String) {
        if (!appears(words)) throw Testing.Failure("“$words” is not on the screen, but ${Finger.texts()}")
    }

    /** Shows the face until it is accepted: a machine that holds a camera up for half a second ends a live capture. */
    private fun showFace(done: String = "Signed in", begin: () -> Unit) {
        repeat(5) {
            var isRefused = false
            if ("Try again" in Finger.texts()) Finger.press("Try again") else begin()
            if (!appears(texts.text("button_camera"))) {
                println("    ${Finger.texts()}")
                Finger.press("Cancel")
                see("That did not work.")
                return@repeat
            }
            Finger.press(texts.text("button_camera"))
            val end = System.nanoTime() + 90_000_000_000L
            while (System.nanoTime() < end) {
                val shown = Finger.texts()
                if (done in shown) if (isRefused) break else return
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
                    // The sign-in offers its ways again.
                    if ("Password" in Finger.texts()) Finger.press("Cancel")
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
        test("sample: a person registers a face later, after the password, and signs in with it") {
            if (!hasPack) Testing.skip("needs a model pack: run scripts/setup")
            val user = signUp(open())
            Finger.press("Cancel")
            see("Hello, ")
            Finger.press("Sign out")
            Finger.press("Sign in")
            Finger.fill("username", user)
            Finger.fill("password", Server.PASSWORD)
            Finger.press("Password")
            see("Hello, ")
            showFace("Done") {
                Finger.press("Register my face")
                Finger.press("I consent")
            }
            Finger.press("Sign out")
            showFace {
                Finger.press("Sign in")
                Finger.fill("user_identifier", user)
                Finger.press("Face")
            }
        }
        test("sample: a person signs up with a face, and signs in with it") {
            if (!hasPack) Testing.skip("needs a model pack: run scripts/setup")
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
