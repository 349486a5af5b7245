package dev.mien

import java.util.concurrent.atomic.AtomicReference

/** The screens of one picture of a document: what to do, the camera with its guidance, and what was wrong with the picture. */
internal class DocumentPictures(
    private val flow: CaptureFlow, private val session: DocumentSession, private val camera: FrameSource, private val screen: CaptureScreen
) {
    /** How they ended, unless the person canceled. */
    enum class End { TAKEN, SKIPPED, OTHER_DOCUMENT }

    private val texts = flow.texts
    private val words = DocumentWords(texts)

    /** Takes a picture as soon as the document is good and still, or when the person presses the button. */
    fun take(side: String, state: DocumentState): End {
        val type = state.documentType ?: "idCard"
        val title = texts.text("${side}_title_$type")
        val text = if (side == "document_back") "document_back_text" else "document_front_text"
        var page = CapturePage(
            title, words.step(side, state) + "\n" + texts.firstOf("${text}_$type", text),
            listOf(flow.button("start", "button_camera", true), flow.button("other", "document_other"), flow.cancelButton()))
        while (true) {
            if (flow.choice(page, "start", "other") == "other") return End.OTHER_DOCUMENT
            val picture = film(side, type, title) ?: continue
            screen.showWaiting()
            val verdict = flow.request { session.sendPicture(side, picture.bytes, picture.type) }
            if (verdict.isAccepted) return End.TAKEN
            page = CapturePage(
                texts.text("document_again_title"), words.reasons(verdict.reasons, verdict.hint),
                listOfNotNull(
                    flow.button("start", "document_again", true),
                    if (DocumentWords.areOfDocument(verdict.reasons)) flow.button("other", "document_other") else null, flow.cancelButton()))
        }
    }

    private fun film(side: String, type: String, title: String): CaptureFrame? {
        val guide = DocumentGuide()
        return watch(title, listOf(flow.button("take", "document_take", true)), "document_guide_by_hand") { frame, preview, isPressed ->
            val advice = preview?.let { guide.take(it, System.nanoTime() / 1_000_000) }
            if (advice != null) {
                screen.guide(CaptureGuide(
                    words.guidance(advice.word, side, type), advice.word, if (advice.isGood) 50 else 0, preview.corners, advice.isGood))
            }
            if (isPressed || advice?.shoots == true) camera.takePicture() ?: frame else null
        }
    }

    /** Nobody has to tilt a document. */
    fun tilt(state: DocumentState): End {
        val title = texts.text("document_tilt_title")
        val (skip, cancel) = Pair(flow.button("skip", "document_tilt_skip"), flow.cancelButton())
        var page = CapturePage(
            title, words.step("document_tilt", state) + "\n" + texts.text("document_tilt_text"),
            listOf(flow.button("start", "button_camera", true), skip, cancel))
        while (true) {
            if (flow.choice(page, "start", "skip") == "skip") return End.SKIPPED
            val pictures = collect(title, state.documentType ?: "idCard") ?: continue
            screen.showWaiting()
            val verdict = flow.request { session.sendTilt(pictures) }
            if (verdict.isAccepted) return End.TAKEN
            page = CapturePage(title, words.reasons(verdict.reasons, verdict.hint), listOf(flow.button("start", "button_retry", true), skip, cancel))
        }
    }

    private fun collect(title: String, type: String): List<ByteArray>? {
        val pictures = ArrayList<ByteArray>()
        return watch(title, emptyList(), "document_tilt_busy") { frame, preview, _ ->
            if (preview == null) return@watch null
            val isThere = preview.corners != null
            if (isThere) pictures.add(frame.bytes)
            screen.guide(CaptureGuide(
                words.guidance(if (isThere) "tilt" else "no_document", "document_front", type), "wait", 100 * pictures.size / TILTED, preview.corners, isThere))
            // The person goes on tilting meanwhile.
            if (pictures.size < TILTED) Thread.sleep(700)
            pictures.takeIf { it.size >= TILTED }
        }
    }

    /**
     * Shows the camera, and has the server look at its frames, until [see] returns something.
     *
     * @param see gets each frame, what the server saw in it, or `null` if it did not look, and whether the button was pressed.
     * @return `null` if the person went back, or tries the camera again.
     */
    private fun <T : Any> watch(
        title: String, buttons: List<CaptureButton>, busy: String, see: (CaptureFrame, DocumentPreview?, Boolean) -> T?
    ): T? {
        val pressed = AtomicReference("")
        val frames = FrameBuffer(isLive = false)
        screen.showCamera(CaptureStage(FrameSource.Quality.DOCUMENT, title, buttons + flow.button("back", "button_back") + flow.cancelButton())) {
            pressed.set(it)
            if (it != "take") frames.onEnd(null)
        }
        var failures = 0
        try {
            camera.start(FrameSource.Quality.DOCUMENT, frames)
            while (true) {
                val frame = frames.take(1, Int.MAX_VALUE)?.get(0)
                val isPressed = pressed.get() == "take"
                if (left(pressed.get())) return null
                if (frame == null) throw DeviceException(DeviceException.Code.HARDWARE, "The camera ended.")
                val preview = if (isPressed) null else try { session.preview(frame.bytes).also { failures = 0 } } catch (error: MienException) {
                    if (error.problem?.status in setOf(401, 404, 409, 410)) throw error
                    // A busy server drops a preview now and then. Without any, the person takes the picture by hand.
                    val isOffline = error.code == MienException.Code.NETWORK_ERROR
                    if (++failures > 2 || isOffline) screen.guide(CaptureGuide(texts.text(if (isOffline) "capture_offline" else busy), "wait", 0))
                    Thread.sleep(maxOf(400, error.retryAfterMillis ?: 0))
                    null
                }
                // A picture that was on its way is not sent after it.
                if (left(pressed.get())) return null
                see(frame, preview, pressed.get() == "take")?.let { return it }
            }
        } catch (error: DeviceException) {
            if (flow.retriesCamera(error)) return null
            throw Left()
        } finally {
            frames.onEnd(null)
            camera.stop()
        }
    }

    /** Whether the person went back. */
    private fun left(button: String): Boolean {
        if (button == "cancel") throw Left()
        return button == "back"
    }

    private companion object {
        /** How many pictures of a tilted document are sent. */
        const val TILTED = 7
    }
}
