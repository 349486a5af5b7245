package dev.mien

import java.util.Locale
import java.util.concurrent.atomic.AtomicBoolean

/** The screens of a document session. The server knows how far it is, and is asked after each step. */
internal class DocumentFlow(
    private val flow: CaptureFlow, private val session: DocumentSession, private val camera: FrameSource, private val screen: CaptureScreen
) {
    private val texts = flow.texts
    private var skipsTilt = false

    fun run(first: DocumentState): CaptureOutcome {
        var state = first
        repeat(MAX_STEPS) {
            val recapture = state.recaptureImage
            if (state.status == "recapture" && recapture != null && recapture in state.missingImages) tellRecapture(state)
            val missing = state.missingImages.filter { !(skipsTilt && it == "document_tilt") }
            val outcome = when {
                state.status == "complete" -> return CaptureOutcome.completed
                state.status == "canceled" -> return CaptureOutcome.canceled
                state.status == "expired" -> return CaptureOutcome.failed(listOf("expired"))
                state.status == "processing" -> awaitJudgment()
                state.consentText != null -> askConsent(state)
                "document" in state.required && state.documentType == null -> chooseDocument(state)
                missing.isEmpty() -> send()
                missing[0] == "selfie" -> selfie()
                missing[0] == "document_tilt" -> tilt()
                else -> photograph(missing[0], state)
            }
            if (outcome != null) return outcome
            screen.showWaiting()
            state = session.state()
        }
        // Some steps ask nobody, so a server that stays at one would be asked forever.
        return CaptureOutcome.failed(listOf("too_many_steps"))
    }

    private fun askConsent(state: DocumentState): CaptureOutcome? {
        val page = CapturePage(texts.text("document_heading"), state.consentText!!, listOf(flow.button("agree", "document_consent_agree", true), flow.cancelButton()))
        if (screen.ask(page).button != "agree") return cancel()
        session.giveConsent(state.consentVersion ?: "")
        return null
    }

    private fun chooseDocument(state: DocumentState): CaptureOutcome? {
        val locale = Locale(texts.language)
        val countries = state.supportedDocuments.values.flatten().distinct().map { it to Locale("", it).getDisplayCountry(locale) }.sortedBy { it.second }
        val country = (if (countries.size == 1) countries[0].first else choose("document_choose_country", countries)) ?: return cancel()
        val types = state.supportedDocuments.filterValues { country in it }.keys.map { it to texts.text("document_type_$it") }
        val type = (if (types.size == 1) types[0].first else choose("document_choose_type", types)) ?: return cancel()
        session.chooseDocument(country, type)
        return null
    }

    private fun choose(label: String, choices: List<Pair<String, String>>): String? {
        while (true) {
            val answer = screen.ask(CapturePage(
                texts.text("document_choose_title"), texts.text(label), listOf(flow.button("continue", "button_continue", true), flow.cancelButton()), choices))
            if (answer.button != "continue") return null
            answer.chosen.firstOrNull()?.let { return it }
        }
    }

    /** Takes a picture as soon as two frames in a row are good, or when the person presses the button. */
    private fun photograph(side: String, state: DocumentState): CaptureOutcome? {
        val type = state.documentType ?: "idCard"
        val text = if (side == "document_back") "document_back_text" else "document_front_text"
        val ready = screen.ask(CapturePage(
            texts.text("${side}_title_$type"), texts.firstOf("${text}_$type", text),
            listOf(flow.button("start", "button_camera", true), flow.cancelButton())))
        if (ready.button != "start") return cancel()
        val isPressed = AtomicBoolean()
        val isCanceled = AtomicBoolean()
        val frames = FrameBuffer(isLive = false)
        screen.showCamera(CaptureStage(
            FrameSource.Quality.DOCUMENT, texts.text("document_tip"), listOf(flow.button("take", "document_take", true), flow.cancelButton()))) {
            if (it == "take") isPressed.set(true)
            else {
                isCanceled.set(true)
                frames.onEnd(null)
            }
        }
        var good = 0
        try {
            camera.start(FrameSource.Quality.DOCUMENT, frames)
            while (true) {
                val frame = frames.take(1, Int.MAX_VALUE)?.get(0) ?: return if (isCanceled.get()) cancel() else CaptureOutcome.failed(listOf("source_ended"))
                val preview = session.preview(frame.bytes)
                // A picture that was on its way is not sent after it.
                if (isCanceled.get()) return cancel()
                good = if (preview.isReady) good + 1 else 0
                val fault = preview.faults.firstOrNull()
                val kind = if (type == "passport") "passport" else side
                screen.guide(CaptureGuide(
                    if (fault == null) texts.text("document_guide_hold_still") else texts.firstOf("document_guide_$fault", "document_guide_${fault}_$kind", "document_guide_hold_still"),
                    fault ?: "wait", if (good > 0) 50 else 0))
                if (good < 2 && !isPressed.get()) continue
                camera.stop()
                screen.showWaiting()
                val picture = session.sendPicture(side, frame.bytes)
                if (!picture.isAccepted) {
                    val hint = picture.hint ?: "unreadable"
                    flow.tellFailure("document_again_title", texts.firstOf("document_fault_$hint", "document_fault_unreadable"))
                }
                return null
            }
        } catch (error: DeviceException) {
            return if (flow.retriesCamera(error)) null else cancel()
        } finally {
            frames.onEnd(null)
            camera.stop()
        }
    }

    /** Nobody has to tilt a document. */
    private fun tilt(): CaptureOutcome? {
        val ready = screen.ask(CapturePage(
            texts.text("document_tilt_title"), texts.text("document_tilt_text"),
            listOf(flow.button("start", "button_camera", true), flow.button("skip", "document_tilt_skip"), flow.cancelButton())))
        when (ready.button) {
            "start" -> Unit
            "skip" -> {
                skipsTilt = true
                return null
            }
            else -> return cancel()
        }
        val isCanceled = AtomicBoolean()
        val frames = FrameBuffer(isLive = false)
        screen.showCamera(CaptureStage(FrameSource.Quality.LIVE, texts.text("document_tilt_tip"), listOf(flow.cancelButton()))) {
            isCanceled.set(true)
            frames.onEnd(null)
        }
        val pictures = ArrayList<ByteArray>()
        try {
            camera.start(FrameSource.Quality.DOCUMENT, frames)
            while (pictures.size < 7) {
                val frame = frames.take(1, Int.MAX_VALUE)?.get(0) ?: return if (isCanceled.get()) cancel() else null
                val isThere = session.preview(frame.bytes).corners != null
                if (isThere && frame.bytes.size <= 300 * 1024) pictures.add(frame.bytes)
                screen.guide(CaptureGuide(texts.text("document_guide_tilt"), "wait", 100 * pictures.size / 7))
                Thread.sleep(700)
                if (isCanceled.get()) return cancel()
            }
        } catch (error: DeviceException) {
            return if (flow.retriesCamera(error)) null else cancel()
        } finally {
            frames.onEnd(null)
            camera.stop()
        }
        screen.showWaiting()
        val answer = session.sendTilt(pictures)
        if (!answer.isAccepted) flow.tellFailure("document_again_title", texts.firstOf("document_fault_${answer.hint}", "document_fault_unreadable"))
        return null
    }

    private fun selfie(): CaptureOutcome? {
        val outcome = flow.selfie(session.selfie())
        // A face that was not recorded leads back to its page. A canceled one ends the session.
        return if (outcome.kind == CaptureOutcome.Kind.CANCELED) cancel() else null
    }

    private fun send(): CaptureOutcome? {
        val page = CapturePage(
            texts.text("document_check_title"), texts.text("document_check_text"),
            listOf(flow.button("send", "document_send", true), flow.cancelButton()))
        if (screen.ask(page).button != "send") return cancel()
        session.submit()
        return null
    }

    /** The journey waits for a longer judgment itself. `null` if there is one, or something is missing. */
    private fun awaitJudgment(): CaptureOutcome? {
        screen.showWaiting()
        repeat(30) {
            Thread.sleep(1000)
            if (session.state().status != "processing") return null
        }
        return CaptureOutcome.completed
    }

    private fun tellRecapture(state: DocumentState) {
        val words = mapOf(
            "imageMissing" to "image_missing", "docExpired" to "document_expired", "docNotSupported" to "document_not_supported",
            "docDamaged" to "document_damaged", "poorImageQuality" to "poor_image_quality")
        val word = if (state.recaptureImage == "selfie") "selfie" else words[state.recaptureReasons.firstOrNull()] ?: "poor_image_quality"
        flow.tellFailure("document_again_title", texts.text("document_reason_$word"))
    }

    private fun cancel(): CaptureOutcome {
        try { session.cancel() } catch (_: MienException) {}
        return CaptureOutcome.canceled
    }

    private companion object {
        /** More than anybody needs who takes each picture several times. */
        const val MAX_STEPS = 200
    }
}
