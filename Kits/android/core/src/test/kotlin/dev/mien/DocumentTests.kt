package dev.mien

import dev.mien.Testing.expect
import dev.mien.Testing.expectEqual
import dev.mien.Testing.test
import java.util.Locale
import java.util.concurrent.ConcurrentLinkedQueue

/** Sessions with documents, and the screens around them. */
internal object DocumentTests {
    private val english = Texts.of(Locale.ENGLISH)
    private val still = listOf(listOf(0.1, 0.1), listOf(0.9, 0.1), listOf(0.9, 0.9), listOf(0.1, 0.9))
    private val good = mapOf("faults" to emptyList<String>(), "ready" to true, "corners" to still)

    /** A person who presses, in turn, what a test says: buttons, and choices behind them. */
    private class Screen(vararg answers: String) : CaptureScreen {
        private val answers = java.util.ArrayDeque(answers.toList())
        val pages = ArrayList<CapturePage>()
        val guides = ConcurrentLinkedQueue<CaptureGuide>()
        @Volatile var stage: CaptureStage? = null
        @Volatile var press: ((String) -> Unit)? = null
        val shown: List<String> get() = pages.map { it.title + ": " + it.text }
        override fun ask(page: CapturePage): PageAnswer {
            pages.add(page)
            val answer = answers.pollFirst() ?: throw IllegalStateException("nobody answers ${page.title}")
            val button = answer.substringBefore(' ')
            val offered = page.buttons + page.rows.mapNotNull { it.button }
            if (offered.none { it.id == button }) throw IllegalStateException("“${page.title}” has no $button, but ${offered.map { it.id }}")
            return PageAnswer(button, answer.split(' ').drop(1))
        }
        override fun showWaiting() = Unit
        override fun showCamera(stage: CaptureStage, onButton: (String) -> Unit) {
            this.stage = stage
            press = onButton
        }
        override fun guide(guide: CaptureGuide) { guides.add(guide) }
    }

    /** Frames of 10 bytes, and pictures of 20. */
    private class Camera(private val count: Int = 2000, private val hasStills: Boolean = true) : FrameSource {
        @Volatile private var isRunning = false
        override fun start(quality: FrameSource.Quality, sink: FrameSink) {
            isRunning = true
            Thread {
                for (i in 0 until count) {
                    if (!isRunning || !sink.onFrame(CaptureFrame(ByteArray(10)))) break
                    Thread.sleep(20)
                }
                sink.onEnd(null)
            }.apply { isDaemon = true }.start()
        }
        override fun takePicture() = if (hasStills) CaptureFrame(ByteArray(20)) else null
        override fun stop() { isRunning = false }
    }

    /** A server with a session for a card and a face. */
    private class World(private val required: List<String> = listOf("document", "selfie")) {
        val missing = java.util.TreeSet<String>(compareBy { listOf("document_front", "document_tilt", "document_back", "selfie").indexOf(it) })
        val verdicts = java.util.ArrayDeque<Map<String, Any?>>()
        /** Paths whose requests fail so often, with this response; `null` is a lost one. */
        val faults = java.util.ArrayDeque<Pair<String, HttpResponse?>>()
        var preview: (Int) -> HttpResponse? = { FakeServer.json(200, good) }
        private var isAgreed = false
        private var isChosen = false
        private var isSubmitted = false
        var isCanceled = false
        /** A picture that the first judgment asks for again, and why. */
        var recapture: Map<String, Any?>? = null
        private var polls = 0
        private var previews = 0
        val server = FakeServer { request, _ -> answer(request.method, request.url.substringAfter("/v1/")) }

        init { reset() }

        private fun reset() {
            missing.clear()
            if ("document" in required) missing += listOf("document_front", "document_back")
            if ("selfie" in required) missing += "selfie"
        }

        private fun answer(method: String, path: String): HttpResponse? {
            val fault = faults.peekFirst()
            if (fault != null && path.endsWith(fault.first)) return faults.pollFirst().second
            return when {
                path == "capture" || path == "capture/start" -> capture("open")
                path == "capture/frames" -> {
                    missing.remove("selfie")
                    capture("passed")
                }
                path.endsWith("preview") -> preview(++previews)
                path.contains("images/") -> {
                    val verdict = verdicts.pollFirst()
                    if (verdict == null) missing.remove(path.substringAfter("images/"))
                    FakeServer.json(200, mapOf("accepted" to (verdict == null), "missing_images" to missing.toList()) + (verdict?.let { mapOf("recapture" to it) } ?: emptyMap()))
                }
                path.endsWith("selfie") -> FakeServer.json(200, mapOf("start_token" to "cap_2"))
                else -> {
                    if (path.endsWith("consent")) isAgreed = true
                    if (path.endsWith("document")) {
                        isChosen = true
                        if (isSubmitted) recapture = null
                        isSubmitted = false
                        reset()
                    }
                    if (path.endsWith("submit")) {
                        isSubmitted = true
                        polls = 0
                    }
                    if (method == "DELETE") isCanceled = true
                    FakeServer.json(200, state())
                }
            }
        }

        private fun state(): Map<String, Any?> {
            val end = if (isCanceled) mapOf("status" to "canceled") else if (!isSubmitted) mapOf("status" to "requires_input")
                else if (++polls <= 2) mapOf<String, Any?>("status" to "processing")
                else recapture?.let {
                    missing.add(it["image"] as String)
                    mapOf("status" to "recapture", "recapture" to it)
                } ?: mapOf<String, Any?>("status" to "complete")
            return mapOf(
                "session_id" to "idv_1", "app_name" to "Shop", "expires_at" to 5, "missing_images" to missing.toList(), "required" to required,
                "supported_documents" to listOf(mapOf("document_type" to "idCard", "countries" to listOf("DE", "US")), mapOf("document_type" to "passport", "countries" to listOf("US")))) +
                end + (if (isAgreed) emptyMap() else mapOf("consent" to mapOf("content" to "Terms", "language" to "en", "version" to "v2"))) +
                (if (isChosen) mapOf("country" to "US", "document_type" to "idCard") else emptyMap())
        }

        private fun capture(status: String) = FakeServer.json(200, mapOf(
            "status" to status, "guidance" to emptyList<String>(), "frames_left" to 100, "expires_at" to 5, "mode" to "image"))

        fun begun(): World = also {
            isAgreed = true
            isChosen = true
        }

        fun run(screen: Screen, camera: FrameSource = Camera()): CaptureOutcome =
            CaptureFlow(JourneyClient(server.options()), camera, screen, english).run(Sensitive("idv_1.secret"))

        val sent: List<String> get() = server.requests.filter { it.method == "PUT" }.map { it.url.substringAfterLast('/') }
    }

    fun register() {
        test("documents: from consent to the judgment, with a picture that has to be taken again, and one that the person takes again") {
            val world = World()
            world.verdicts.add(mapOf("reasons" to listOf("poorImageQuality"), "hint" to "glare"))
            val screen = Screen(
                "agree", "continue US", "continue", "continue idCard", "start", "start", "start", "start",
                "document_front", "start", "document", "continue US", "continue idCard", "start", "start", "start", "send")
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.COMPLETED)
            expectEqual(
                world.server.requests.filter { it.url.endsWith("verification/document") }.map { text(it.body) }.distinct(),
                listOf("{\"country\":\"US\",\"document_type\":\"idCard\"}"))
            expectEqual(world.sent, listOf("document_front", "document_front", "document_back", "document_front", "document_front", "document_back"))
            // The pictures are stills, and not the frames that were looked at.
            expect(world.server.requests.filter { it.method == "PUT" }.all { it.body.size == 20 })
            expect(world.server.requests.filter { it.url.endsWith("preview") }.all { it.body.size == 10 })
            val shown = screen.shown
            expect("Another photo, please: A reflection hides a part of the document. Tilt it a little, or move away from the light." in shown) { shown.toString() }
            expect(shown.any { it.startsWith("Front of your identity card: Step 1 of 3\n") } && shown.any { it.startsWith("Back of your identity card: Step 2 of 3\n") }) { shown.toString() }
            val check = screen.pages.first { it.rows.isNotEmpty() }
            expectEqual(check.rows.map { listOf(it.title, it.detail, it.button?.label) }, listOf(
                listOf("Identity card", "United States", "Change"), listOf("Front", "Taken", "Take again"), listOf("Back", "Taken", "Take again"),
                listOf("Your face", "Taken", null)))
            expect(screen.guides.any { it.corners == still && it.isGood })
        }
        test("documents: without stills the frame is sent; the button takes a picture that the server has not looked at") {
            val world = World(listOf("document")).begun()
            world.preview = { FakeServer.problem(503, "unavailable") }
            val screen = Screen("start", "start", "send")
            Thread {
                repeat(2) {
                    val end = System.nanoTime() + 20_000_000_000
                    while (System.nanoTime() < end && screen.guides.none { it.text == "Take the photo with the button" }) Thread.sleep(10)
                    screen.guides.clear()
                    screen.press!!("take")
                    Thread.sleep(300)
                }
            }.apply { isDaemon = true }.start()
            expectEqual(world.run(screen, Camera(hasStills = false)).kind, CaptureOutcome.Kind.COMPLETED)
            expectEqual(world.sent, listOf("document_front", "document_back"))
            expect(world.server.requests.filter { it.method == "PUT" }.all { it.body.size == 10 })
        }
        test("documents: another document, before a picture, after a refusal for the document, and after the judgment") {
            val world = World(listOf("document")).begun()
            world.verdicts.add(mapOf("reasons" to listOf("docExpired")))
            val screen = Screen(
                "other", "continue US", "continue idCard", "start", "other", "continue US", "continue idCard", "start", "start", "send",
                "document", "continue US", "continue idCard", "start", "start", "send")
            world.recapture = mapOf("image" to "document_front", "reasons" to listOf("docNotSupported"))
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.COMPLETED)
            expectEqual(world.server.requests.count { it.url.endsWith("verification/document") }, 3)
            expect(screen.shown.any { it == "Another photo, please: This document has expired. Use one that is still valid." }) { screen.shown.toString() }
            expect(screen.shown.any { it.startsWith("Another photo, please: We cannot read this document.") }) { screen.shown.toString() }
        }
        test("documents: one of another country than chosen is told by its hint alone, and another choice is offered") {
            val world = World(listOf("document")).begun()
            val screen = Screen("start", "start", "send", "document", "continue US", "continue idCard", "start", "start", "send")
            world.recapture = mapOf("image" to "document_front", "reasons" to listOf("docNotSupported"), "hints" to listOf("other_country"))
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.COMPLETED)
            val told = "Another photo, please: This document is from a different country than the one you chose. Choose its country, or use another document."
            expect(screen.shown.any { it == told }) { screen.shown.toString() }
        }
        test("documents: a refusal for the picture offers no other document") {
            val world = World(listOf("document")).begun()
            world.verdicts.add(mapOf("reasons" to listOf("poorImageQuality"), "hint" to "blurred"))
            val screen = Screen("start", "cancel", "stop")
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.CANCELED)
            expectEqual(screen.pages[1].buttons.map { it.id }, listOf("start", "cancel"))
            expect(world.isCanceled)
        }
        test("documents: without a connection, each request is tried again until it arrives, and nothing is lost") {
            val world = World(listOf("document")).begun()
            // Each is repeated four times before the person is told.
            for (path in listOf("session", "document_front", "document_back", "session")) {
                repeat(4) { world.faults.add(path to null) }
            }
            repeat(4) { world.faults.add("submit" to FakeServer.problem(503, "unavailable")) }
            val screen = Screen("retry", "start", "retry", "start", "retry", "retry", "send", "retry")
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.COMPLETED)
            expectEqual(world.sent.distinct(), listOf("document_front", "document_back"))
            expectEqual(screen.shown.count { it.startsWith("Something went wrong: The connection was lost") }, 4)
            expectEqual(screen.shown.count { it.startsWith("Something went wrong: The server could not answer.") }, 1)
        }
        test("documents: previews that are lost are said, and the camera goes on") {
            val world = World(listOf("document")).begun()
            world.preview = { if (it in 2..9) null else FakeServer.json(200, good) }
            val screen = Screen("start", "start", "send")
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.COMPLETED)
            expect(screen.guides.any { it.text == "No connection. Trying again…" && it.corners == null })
        }
        test("documents: the person is asked before the check is stopped, goes on, goes back, and stops") {
            val world = World(listOf("document")).begun()
            world.preview = { FakeServer.json(200, mapOf("faults" to listOf("too_dark"), "ready" to false)) }
            val screen = Screen("cancel", "continue", "start", "start", "stop")
            Thread {
                for (button in listOf("back", "cancel")) {
                    val end = System.nanoTime() + 20_000_000_000
                    while (System.nanoTime() < end && screen.guides.none { it.text == "Find more light" }) Thread.sleep(10)
                    val press = screen.press!!
                    screen.guides.clear()
                    press(button)
                    Thread.sleep(300)
                    screen.guides.clear()
                }
            }.apply { isDaemon = true }.start()
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.CANCELED)
            expect(world.isCanceled && world.sent.isEmpty())
            expectEqual(screen.shown.count { it == "Stop the check?: The photos that you took will be deleted." }, 2)
            expectEqual(screen.stage!!.buttons.map { it.id }, listOf("take", "back", "cancel"))
        }
        test("documents: one that is canceled while a frame is looked at is not sent; a submission that was lost is not repeated") {
            val world = World(listOf("document")).begun()
            val screen = Screen("start", "stop")
            world.preview = {
                if (it == 3) screen.press!!("cancel")
                FakeServer.json(200, good)
            }
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.CANCELED)
            expect(world.sent.isEmpty())
            expectEqual(world.server.requests.last().method, "DELETE")

            // Nobody is asked about the only document, so a server that forgets the choice would be told forever.
            val forgetful = FakeServer { _, _ -> FakeServer.json(200, mapOf(
                "status" to "requires_input", "missing_images" to listOf("document_front"), "required" to listOf("document"),
                "supported_documents" to listOf(mapOf("document_type" to "idCard", "countries" to listOf("US"))))) }
            val stuck = CaptureFlow(JourneyClient(forgetful.options()), Camera(1), Screen(), english).run(Sensitive("idv_1"))
            expectEqual(stuck.kind, CaptureOutcome.Kind.FAILED)

            var submissions = 0
            val lost = FakeServer { request, _ ->
                if (request.method == "POST") {
                    submissions++
                    null
                } else FakeServer.json(200, mapOf("status" to "processing"))
            }
            expectEqual(DocumentSession(Sensitive("idv"), lost.options().connection(sleep = {})).submit().status, "processing")
            expectEqual(submissions, 1)
        }
        test("documents: a session at another step than the screen is asked for again; a lasting refusal ends the capture") {
            val world = World(listOf("document")).begun()
            world.faults.add("document_front" to FakeServer.problem(409, "invalid_state"))
            val screen = Screen("start", "start", "start", "send")
            expectEqual(world.run(screen).kind, CaptureOutcome.Kind.COMPLETED)
            val refusing = World(listOf("document")).begun()
            repeat(9) { refusing.faults.add("document_front" to FakeServer.problem(409, "invalid_state")) }
            val told = Screen("start", "start", "start", "start", "continue")
            expectEqual(refusing.run(told).error!!.code, MienException.Code.INVALID_STATE)
        }
        test("documents: the picture is taken of a document that is good and still, and words do not change with each frame") {
            val guide = DocumentGuide()
            fun preview(corners: List<List<Double>>?, vararg faults: String) = DocumentPreview(JsonObject(mapOf(
                "ready" to faults.isEmpty(), "faults" to faults.toList(), "corners" to corners)))
            fun moved(by: Double) = still.map { listOf(it[0] + by, it[1]) }
            expectEqual(guide.take(preview(null, "no_document"), 0).word, "no_document")
            // A fault of a single preview is not mentioned.
            expectEqual(guide.take(preview(still, "glare"), 100).word, "no_document")
            expectEqual(guide.take(preview(still, "glare"), 200).word, "glare")
            val taken = listOf(300L to moved(0.0), 400L to moved(0.02), 500L to moved(0.1), 600L to moved(0.1), 900L to moved(0.1).drop(1) + moved(0.1).take(1), 1100L to moved(0.1), 1210L to moved(0.1))
            expectEqual(taken.map { (at, corners) -> guide.take(preview(corners), at).shoots }, listOf(false, false, false, false, false, false, true))
            expectEqual(guide.take(preview(moved(0.1)), 1300).shoots, false)
            expect(DocumentGuide.drift(null, still).isInfinite() && DocumentGuide.drift(still, still.drop(1)).isInfinite())
        }
        test("documents: the token's kind decides between a face and a document") {
            expectEqual(StartToken(Sensitive("idv_1.x")).kind, StartToken.Kind.DOCUMENTS)
            expectEqual(StartToken(Sensitive("cap_1.x")).kind, StartToken.Kind.CAPTURE)
            val server = FakeServer { _, _ -> FakeServer.problem(401, "invalid_credentials") }
            for ((token, path) in listOf("idv_1.x" to "/v1/verification/session", "cap_1.x" to "/v1/capture")) {
                CaptureFlow(JourneyClient(server.options()), Camera(1), Screen("continue"), english).run(Sensitive(token))
                expect(server.requests.last().url.endsWith(path))
            }
            expectEqual(server.requests.size, 2)
        }
    }
}
