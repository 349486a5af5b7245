package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.expectError
import dev.mien.Testing.test

/** Captures: order, repetition, sizes, and the screens around them. */
internal object CaptureTests {
    private val nonce = Base64.encodeUrl(ByteArray(32) { 1 })

    private fun answer(status: String = "open", next: Int = 1, more: Map<String, Any?> = emptyMap()) = FakeServer.json(200, mapOf(
        "status" to status, "guidance" to emptyList<String>(), "frames_left" to 100, "expires_at" to 5, "mode" to "liveness_active", "elapsed" to 0,
        "nonce" to nonce, "next_frame" to next) + more)

    private fun session(server: FakeServer) = CaptureSession(Sensitive("cap"), server.options().connection(sleep = {}))
    private fun frames(vararg sizes: Int) = sizes.map { CaptureFrame(ByteArray(it)) }
    private fun numbers(body: ByteArray): List<Int> {
        val found = ArrayList<Int>()
        val all = java.nio.ByteBuffer.wrap(body)
        while (all.remaining() > 0) {
            found.add(all.int)
            all.position(all.position() + 36)
            all.position(all.int + all.position())
        }
        return found
    }

    /** A camera of so many frames. */
    private class Camera(private val count: Int) : FrameSource {
        var stops = 0
        override fun start(quality: FrameSource.Quality, sink: FrameSink) {
            Thread {
                for (i in 0 until count) {
                    if (!sink.onFrame(CaptureFrame(ByteArray(10)))) break
                    Thread.sleep(5)
                }
                sink.onEnd(null)
            }.start()
        }
        override fun stop() { stops++ }
    }

    private class Screen(vararg answers: String) : CaptureScreen {
        private val answers = java.util.ArrayDeque(answers.toList())
        val shown = ArrayList<String>()
        @Volatile var press: ((String) -> Unit)? = null
        override fun ask(page: CapturePage): PageAnswer {
            shown.add(page.title + ": " + page.text)
            val answer = answers.pollFirst() ?: throw IllegalStateException("nobody answers ${page.title}")
            return PageAnswer(answer.substringBefore(' '), answer.split(' ').drop(1))
        }
        override fun showWaiting() = Unit
        override fun showCamera(stage: CaptureStage, onButton: (String) -> Unit) { press = onButton }
        override fun guide(guide: CaptureGuide) { shown.add(guide.text) }
        val colors = java.util.concurrent.CopyOnWriteArrayList<Int?>()
        override fun showColor(argb: Int?) { colors.add(argb) }
        override var prefersGentleColors = false
    }

    fun register() {
        test("captures: what did not arrive is sent again from its place in the chain; what is too large, in halves") {
            val server = FakeServer { request, number ->
                when {
                    number == 1 -> answer()
                    number == 2 -> null
                    request.method == "GET" -> answer(next = 2)
                    else -> answer(next = 4)
                }
            }
            val session = session(server)
            session.start()
            session.submitLive(frames(10, 20, 30))
            expectEqual(server.requests.filter { it.method == "POST" && it.body.isNotEmpty() }.map { numbers(it.body) }, listOf(listOf(1, 2, 3), listOf(2, 3)))

            val small = FakeServer { request, number -> if (number == 1) answer() else if (request.body.size > 200) FakeServer.problem(413, "payload_too_large") else answer() }
            val halved = session(small)
            halved.start()
            halved.submitLive(frames(60, 60, 60, 60))
            expectEqual(small.requests.drop(1).map { numbers(it.body) }, listOf(listOf(1, 2, 3, 4), listOf(1, 2), listOf(1), listOf(2), listOf(3, 4), listOf(3), listOf(4)))
            expectError(MienException.Code.CLIENT_RESPONSE_NOT_VALID) { halved.submitLive(frames(300)) }
        }
        test("captures: times increase, and a session that another device began is refused") {
            val server = FakeServer { _, _ -> answer() }
            val session = session(server)
            session.start()
            session.submitLive(listOf(CaptureFrame(ByteArray(1), takenAtNanos = 0), CaptureFrame(ByteArray(1), takenAtNanos = 0)))
            val body = java.nio.ByteBuffer.wrap(server.requests.last().body)
            expectEqual(listOf(body.getInt(4), body.getInt(45 + 4)), listOf(0, 1))
            expectError(MienException.Code.INVALID_STATE) { session(FakeServer { _, _ -> answer(next = 7) }).start() }
            expectError(MienException.Code.INVALID_STATE) { session(server).submitLive(frames(1)) }
        }
        test("captures: consent comes before the camera, and without it the session is canceled") {
            val consent = mapOf("consent" to mapOf("text_version" to "v1", "title" to "T", "text" to "X", "button_text" to "B"))
            var isGiven = false
            val server = FakeServer { request, _ ->
                if (request.url.endsWith("consent")) isGiven = true
                when {
                    request.method == "DELETE" -> answer("cancelled")
                    request.body.isNotEmpty() && !request.url.endsWith("consent") -> answer("passed")
                    else -> if (isGiven) answer() else answer(more = consent)
                }
            }
            val camera = Camera(3)
            expectEqual(session(server).run(camera).status, "cancelled")
            expectEqual(camera.stops, 0)
            val passed = session(server).run(camera, object : CaptureListener { override fun onConsent(text: ConsentText) = text.version == "v1" })
            expect(passed.hasPassed && camera.stops == 1)
        }
        test("captures: canceled by another thread, a capture ends as canceled, whatever was on its way and whether the server hears of it") {
            for (isReachable in listOf(true, false)) {
                val deletions = java.util.concurrent.atomic.AtomicInteger()
                lateinit var session: CaptureSession
                val server = FakeServer { request, _ ->
                    when {
                        request.method == "DELETE" -> {
                            deletions.incrementAndGet()
                            Thread.sleep(50)
                            if (isReachable) answer("cancelled") else FakeServer.problem(500, "server_error")
                        }
                        request.method == "GET" -> answer()
                        request.body.isNotEmpty() -> {
                            Thread { try { session.cancel() } catch (_: MienException) {} }.start()
                            while (deletions.get() == 0) Thread.sleep(1)
                            FakeServer.problem(409, "capture_closed")
                        }
                        else -> answer()
                    }
                }
                session = session(server)
                expectEqual(session.run(Camera(50)).status, "cancelled")
                if (isReachable) expectEqual(deletions.get(), 1)
            }
        }
        test("screens: a selfie with movements left out, too few of them, a failure, and its words") {
            var omitted = 0
            val server = FakeServer { request, _ ->
                when {
                    request.url.endsWith("accommodation") -> if (++omitted == 1) FakeServer.problem(403, "not_permitted") else answer(more = mapOf("omittable_actions" to listOf("blink")))
                    request.url.endsWith("frames") -> answer("failed", more = mapOf("reasons" to listOf("flat")))
                    else -> answer(more = mapOf("omittable_actions" to listOf("blink", "turn_left")))
                }
            }
            val screen = Screen("cannot", "continue blink", "continue blink", "start", "continue")
            val outcome = CaptureFlow(JourneyClient(server.options()), Camera(50), screen, Texts.of(java.util.Locale.ENGLISH)).run(Sensitive("cap"))
            expectEqual(outcome.kind, CaptureOutcome.Kind.FAILED)
            expectEqual(outcome.error!!.reason, "The capture did not pass: flat")
            expect(screen.shown.any { it.startsWith("Which movements can’t you do?: Too few") }) { screen.shown.toString() }
            expectEqual(screen.shown.last(), "That didn’t work: We could not confirm that it is you. Try again in even light, with your face uncovered.")
            expectEqual(text(server.requests.first { it.url.endsWith("accommodation") }.body), "{\"omitted_actions\":[\"blink\"]}")
        }
        test("colors: each is shown from its time on, the last one stays, and one that comes late does not flash") {
            fun note(vararg colors: Pair<String, Int>, status: String = "open") = CaptureAnswer(JsonObject(mapOf(
                "status" to status, "light" to JsonObject(mapOf(
                    "required" to false, "colors" to colors.map { (color, begin) -> JsonObject(mapOf("color" to color, "begin" to begin.toLong())) })))))
            val show = LightShow()
            expectEqual(show.color(0), null)
            show.note(note("#ff6666" to 0, "#66ff66" to 500))
            show.note(note("#66ff66" to 500, "#6666ff" to 1100))
            expectEqual(listOf(0L, 499L, 500L, 1099L, 1100L, 9000L).map { show.color(it)?.hex },
                listOf("#ff6666", "#ff6666", "#66ff66", "#66ff66", "#6666ff", "#6666ff"))
            expectEqual(show.color(9000)!!.argb, 0xFF6666FF.toInt())
            show.note(note(status = "passed"))
            expectEqual(show.color(9000), null)
            val late = LightShow()
            late.note(note("#ff6666" to 0))
            expectEqual(late.color(10)?.hex, "#ff6666")
            late.note(note("#66ff66" to 400, "#6666ff" to 900))
            expectEqual(listOf(850L, 1000L, 1184L).map { late.color(it)?.hex }, listOf("#66ff66", "#66ff66", "#6666ff"))
        }
        test("screens: a notice comes before the colors, the person chooses, and the screen shows them", "colors of the screen in a live capture") {
            for ((button, reduces, style) in listOf(
                Triple("start", false, "vivid"), Triple("start", true, "gentle"), Triple("gentle", false, "gentle"), Triple("off", false, "off"))) {
                val server = FakeServer { request, number ->
                    val colors = listOf(mapOf("color" to "#ff6666", "begin" to 0), mapOf("color" to "#66ffff", "begin" to 400))
                    when {
                        request.method == "GET" -> answer(more = mapOf("light" to mapOf("required" to false, "omittable" to true)))
                        request.url.endsWith("frames") && number > 60 -> answer("passed")
                        request.url.endsWith("light") || style == "off" -> answer()
                        else -> answer(more = mapOf("light" to mapOf("required" to false, "colors" to colors)))
                    }
                }
                val screen = Screen(button).apply { prefersGentleColors = reduces }
                val outcome = CaptureFlow(JourneyClient(server.options()), Camera(1000), screen, Texts.of(java.util.Locale.ENGLISH)).run(Sensitive("cap"))
                expectEqual(outcome.kind, CaptureOutcome.Kind.COMPLETED)
                expect("photosensitive epilepsy" in screen.shown[0]) { screen.shown[0] }
                expectEqual(text(server.requests.first { it.url.endsWith("light") }.body), "{\"style\":\"$style\"}")
                if (style == "off") expect(screen.colors.isEmpty()) { screen.colors.toString() }
                else expect(screen.colors.take(1) == listOf(0xFFFF6666.toInt())) { screen.colors.toString() }
            }
        }
        test("screens: no connection, and a camera that is missing, are said; leaving cancels the session") {
            val offline = Screen("retry", "cancel")
            val options = FakeServer { _, _ -> null }.options()
            expectEqual(CaptureFlow(JourneyClient(options), Camera(1), offline, Texts.of(java.util.Locale.ENGLISH)).run(Sensitive("cap")).kind, CaptureOutcome.Kind.CANCELED)
            expectEqual(offline.shown.map { it.startsWith("Something went wrong: The connection was lost") }, listOf(true, true))
            val server = FakeServer { request, _ -> if (request.method == "DELETE") answer("cancelled") else answer() }
            val broken = object : FrameSource {
                override fun start(quality: FrameSource.Quality, sink: FrameSink): Unit = throw DeviceException(DeviceException.Code.BAD_ARGUMENT, "none")
                override fun stop() = Unit
            }
            val screen = Screen("start", "retry", "start", "cancel")
            expectEqual(CaptureFlow(JourneyClient(server.options()), broken, screen, Texts.of(java.util.Locale.ENGLISH)).run(Sensitive("cap")).kind, CaptureOutcome.Kind.CANCELED)
            expectEqual(server.requests.last().method, "DELETE")
            expect(screen.shown.any { it.contains("Connect a camera") })
        }
        test("pictures: planes with strides become NV21, and a turn becomes EXIF") {
            val y = java.nio.ByteBuffer.wrap(byteArrayOf(1, 2, 0, 3, 4, 0))
            val uv = java.nio.ByteBuffer.wrap(byteArrayOf(5, 6))
            val v = uv.duplicate().also { it.position(1) }.slice()
            val packed = CameraPicture.nv21(CameraPicture.Plane(y, 3, 1), CameraPicture.Plane(uv, 2, 2), CameraPicture.Plane(v, 2, 2), 2, 2)
            expectEqual(packed.toList(), listOf<Byte>(1, 2, 3, 4, 6, 5))
            for ((sensor, display, front, degrees) in listOf(listOf(90, 0, 0, 90), listOf(270, 0, 1, 270), listOf(90, 90, 0, 0), listOf(270, 90, 1, 0), listOf(90, 270, 0, 180))) {
                expectEqual(CameraPicture.rotation(sensor, display, front == 1), degrees)
            }
            val jpeg = byteArrayOf(-1, -40, 9)
            expect(CameraPicture.turned(jpeg, 0) === jpeg)
            expectEqual(CameraPicture.turned(jpeg, 90).size, 3 + 36)
        }
    }
}
