package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.test
import java.io.File

/** The recorded exchanges that all clients replay, docs/conformance. */
internal object ConformanceTests {
    fun register() {
        val folder = File(System.getenv("MIEN_REPOSITORY"), "docs/conformance")
        val recordings = folder.listFiles()!!.filter { it.extension == "json" }.sorted()
        var count = 0
        test("conformance: there are recordings for Android") { expect(recordings.count(::isOurs) >= 10) }
        for (file in recordings.filter(::isOurs)) for (hasNews in listOf(false, true)) {
            test("conformance: ${file.nameWithoutExtension}" + if (hasNews) ", with the news of a later server" else "") {
                replay(file, hasNews)
                count++
            }
        }
        test("conformance: all were replayed", "recorded exchanges of `docs/conformance`") { expectEqual(count, 2 * recordings.count(::isOurs)) }
    }

    private fun isOurs(file: File) = "Android" in Json.objectOf(file.readBytes())!!.strings("clients")

    private fun replay(file: File, hasNews: Boolean) {
        val recording = Json.objectOf(file.readBytes())!!
        val command = listOf("python3", System.getenv("MIEN_REPOSITORY") + "/scripts/exchanges", "replay", file.path) + (if (hasNews) listOf("--news") else emptyList())
        val server = ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start()
        try {
            val lines = server.inputStream.bufferedReader()
            val fault = Player(recording, lines.readLine() ?: throw Testing.Failure("the recording is not served")).play()
            server.outputStream.close()
            val problems = listOfNotNull(fault) + lines.readLines().filter { it != "" }
            val status = server.waitFor()
            if (problems.isNotEmpty() || status != 0) throw Testing.Failure(problems.joinToString("\n    ").ifEmpty { "status $status" })
        } finally { server.destroy() }
    }

    /** Makes the calls of a recording. */
    private class Player(private val recording: JsonObject, address: String) {
        private val calls = recording.list("play")!!.map { it as JsonObject }
        private val options = MienOptions(
            address, recording.optJSONObject("names")!!.optString("app"), usesDPoP = recording.string("tokens") != "bearer")
        private val device = BiometricDevice(MemoryKeys(), "Pixel 9")
        private val usesBiometrics = calls.any { "biometrics" in it.optString("call") }
        private val session by lazy {
            MienSession(options, TransientTokenStorage(), if (usesBiometrics) device else null).also { it.configure() }
        }
        private val biometrics by lazy { BiometricLogin(session, device) }
        private val texts = BiometricTexts("Sign in", "", "", "Cancel", Authenticators.BIOMETRIC_STRONG, true)
        private lateinit var journey: Journey
        private lateinit var document: DocumentState

        /** Returns the first call that gave something else than recorded. */
        fun play(): String? {
            for (call in calls) {
                val (found, gives) = Pair(outcome(call), call.optJSONObject("gives")!!)
                for ((name, value) in gives) if (found[name] != value) return "${call.optString("call")}: $name is ${found[name]}, and $value was recorded"
                if ("code" in found && "code" !in gives) return "${call.optString("call")}: $found"
            }
            return null
        }

        private fun outcome(call: JsonObject): Map<String, Any?> = try { perform(call) } catch (error: MienException) {
            mapOf("code" to error.code.word, "problem" to (error.problem?.code ?: error.oauthError), "fields" to error.fields.map { it.field },
                "retry_after" to error.retryAfterMillis?.let { it / 1000 })
        } catch (error: DeviceException) { mapOf("code" to error.code.word) }

        private fun perform(call: JsonObject): Map<String, Any?> = when (call.optString("call")) {
            "start" -> {
                journey = JourneyClient(options).start(call.optString("journey"), StartJourneyOptions(flowId = call.string("flow")))
                answered(journey.response)
            }
            "respond" -> answered(journey.respond(call.optString("option"), call.optJSONObject("data")))
            "restore" -> {
                journey = JourneyClient(options).restore(journey.serializeState())
                answered(journey.response)
            }
            "capture" -> capture(journey.captureSession(), call.boolean("agrees") ?: false)
            "omit" -> journey.captureSession().let {
                it.status()
                mapOf("omittable" to it.omitActions(call.strings("actions")).omittableActions)
            }
            "light" -> mapOf("status" to journey.captureSession().showLight(call.optString("style")).status)
            "cancel capture" -> mapOf("status" to journey.captureSession().cancel().status)
            "document" -> seen(journey.documentSession().state())
            "document consent" -> seen(journey.documentSession().giveConsent(document.consentVersion!!))
            "choose" -> seen(journey.documentSession().chooseDocument(call.optString("country"), call.optString("type")))
            "preview" -> journey.documentSession().preview(PICTURE).let { mapOf("ready" to it.isReady, "faults" to it.faults) }
            "picture" -> journey.documentSession().sendPicture(call.optString("side"), PICTURE).let {
                mapOf("accepted" to it.isAccepted, "reasons" to it.reasons, "hint" to it.hint)
            }
            "selfie" -> capture(journey.documentSession().selfie(), true)
            "submit" -> seen(journey.documentSession().submit())
            "judged" -> {
                var state = journey.documentSession().state()
                while (state.status == "processing") {
                    Thread.sleep(20)
                    state = journey.documentSession().state()
                }
                seen(state)
            }
            "sign in" -> {
                session.signIn(journey.response.token!!)
                mapOf("methods" to session.authenticationMethods)
            }
            "user" -> mapOf("user" to session.userInfo().sub)
            "sign out" -> nothing { session.signOut() }
            "enable biometrics" -> nothing { biometrics.enable(texts) }
            "sign in with biometrics" -> biometrics.authenticate(texts).let { mapOf("user" to it.sub, "methods" to session.authenticationMethods) }
            "disable biometrics" -> nothing { biometrics.disable() }
            else -> throw Testing.Failure("Android has no call “${call.optString("call")}”")
        }

        private fun nothing(body: () -> Unit): Map<String, Any?> {
            body()
            return emptyMap()
        }

        private fun answered(response: MienServiceResponse) = mapOf(
            "step" to response.journeyStepId, "options" to response.clientResponseOptions.keys.filter { it != "later_option" }.sorted(),
            "error" to response.errorCode?.word, "reason" to response.errorData?.string("reason"), "token" to (response.token != null))

        private fun capture(session: CaptureSession, agrees: Boolean): Map<String, Any?> {
            val guidance = LinkedHashSet<String>()
            var asked: String? = null
            val last = session.run(Camera(), object : CaptureListener {
                override fun onGuidance(answer: CaptureAnswer) { guidance += answer.guidance }
                override fun onConsent(text: ConsentText): Boolean {
                    asked = text.version
                    return agrees
                }
            })
            return mapOf("status" to last.status, "reasons" to last.reasons, "guidance" to guidance.filter { it != "later_word" }, "asked" to asked)
        }

        private fun seen(state: DocumentState): Map<String, Any?> {
            document = state
            return mapOf("status" to state.status, "missing" to state.missingImages)
        }
    }

    /** The smallest thing that begins and ends like a JPEG. The recording stands for a server that sees a face or a document in it. */
    private val PICTURE = byteArrayOf(-1, -40, -1, -39)

    /** Delivers pictures until nobody wants more. */
    private class Camera : FrameSource {
        @Volatile private var isRunning = false

        override fun start(quality: FrameSource.Quality, sink: FrameSink) {
            isRunning = true
            Thread { while (isRunning && sink.onFrame(CaptureFrame(PICTURE))) Thread.sleep(20) }.apply { isDaemon = true }.start()
        }

        override fun stop() { isRunning = false }
    }

    /** Keys whose owner always agrees. */
    private class MemoryKeys : DeviceKeys {
        private val keys = java.util.TreeMap<String, JcaSigner>()

        override fun obstacle(allowedAuthenticators: Int): DeviceException? = null
        override fun makeKey(tag: String, options: BiometricTexts, challenge: String?) =
            MadeKey(JcaSigner.generate().also { keys[tag] = it }.publicKey, null)
        override fun unlock(tag: String, options: BiometricTexts) =
            UnlockedKey(true, keys[tag] ?: throw BiometricPrivateKeyNotFoundException("There is no such key."))
        override fun deleteKey(tag: String) { keys.remove(tag) }
        override fun tags() = keys.keys.toList()
    }
}
