package dev.mien

import java.util.Locale

/** The screens of a document session. The server knows how far it is, and is asked after each step. */
internal class DocumentFlow(
    private val flow: CaptureFlow, private val session: DocumentSession, camera: FrameSource, private val screen: CaptureScreen
) {
    private val texts = flow.texts
    private val words = DocumentWords(texts)
    private val pictures = DocumentPictures(flow, session, camera, screen)
    private var skipsTilt = false
    /** A picture that the person chose to take, or [DOCUMENT], instead of the next step. */
    private var chosen: String? = null
    private var toldRecapture: Triple<String, List<String>, String?>? = null

    fun run(): CaptureOutcome {
        // Refusals in a row. More are not about the step.
        var refusals = 0
        repeat(MAX_STEPS) {
            try {
                screen.showWaiting()
                step(flow.request { session.state() })?.let { return it }
                refusals = 0
            } catch (_: Left) {
                if (stops()) return cancel()
            } catch (error: MienException) {
                // The session is at another step than this screen: it is asked for again.
                if (error.problem?.status !in setOf(400, 409, 422) || ++refusals > 3) throw error
            }
        }
        // Some steps ask nobody, so a server that stays at one would be asked forever.
        return CaptureOutcome.failed(listOf("too_many_steps"))
    }

    /** Shows the next step. Returns the end. */
    private fun step(state: DocumentState): CaptureOutcome? {
        when (state.status) {
            "complete" -> return CaptureOutcome.completed
            "canceled" -> return CaptureOutcome.canceled
            "expired" -> return CaptureOutcome.failed(listOf("expired"))
            "processing" -> return awaitJudgment()
        }
        val missing = state.missingImages.filter { !(skipsTilt && it == "document_tilt") }
        val recapture = state.recaptureImage
        if (state.status == "recapture" && recapture != null && recapture in missing) tellRecapture(recapture, state.recaptureReasons, state.recaptureHint)
        val picked = chosen
        chosen = null
        when {
            state.consentText != null -> askConsent(state)
            picked == DOCUMENT || ("document" in state.required && state.documentType == null) -> chooseDocument(state)
            picked != null -> photograph(picked, state)
            missing.isEmpty() -> send(state)
            missing[0] == "selfie" -> selfie()
            else -> photograph(missing[0], state)
        }
        return null
    }

    private fun photograph(part: String, state: DocumentState) {
        val end = if (part == "document_tilt") pictures.tilt(state) else pictures.take(part, state)
        when (end) {
            DocumentPictures.End.TAKEN -> Unit
            DocumentPictures.End.SKIPPED -> skipsTilt = true
            DocumentPictures.End.OTHER_DOCUMENT -> chosen = DOCUMENT
        }
    }

    private fun askConsent(state: DocumentState) {
        val page = CapturePage(texts.text("document_heading"), state.consentText!!, listOf(flow.button("agree", "document_consent_agree", true), flow.cancelButton()))
        flow.choice(page, "agree")
        flow.request { session.giveConsent(state.consentVersion ?: "") }
    }

    private fun chooseDocument(state: DocumentState) {
        val locale = Locale(texts.language)
        val countries = state.supportedDocuments.values.flatten().distinct().map { it to Locale("", it).getDisplayCountry(locale) }.sortedBy { it.second }
        val country = if (countries.size == 1) countries[0].first else choose("document_choose_country", countries)
        val types = state.supportedDocuments.filterValues { country in it }.keys.map { it to texts.text("document_type_$it") }
        val type = if (types.size == 1) types[0].first else choose("document_choose_type", types)
        skipsTilt = false
        flow.request { session.chooseDocument(country, type) }
    }

    private fun choose(label: String, choices: List<Pair<String, String>>): String {
        while (true) {
            val answer = screen.ask(CapturePage(
                texts.text("document_choose_title"), texts.text(label), listOf(flow.button("continue", "button_continue", true), flow.cancelButton()), choices))
            if (answer.button != "continue") throw Left()
            answer.chosen.firstOrNull()?.let { return it }
        }
    }

    private fun selfie() {
        screen.showWaiting()
        val outcome = flow.selfie(flow.request { session.selfie() })
        if (outcome.kind == CaptureOutcome.Kind.COMPLETED) return
        flow.choice(CapturePage(
            texts.text("document_face_title"), texts.text("document_face_missing"),
            listOf(flow.button("retry", "button_retry", true), flow.cancelButton())), "retry")
    }

    /** What was taken, with a way to take each picture again. */
    private fun send(state: DocumentState) {
        val rows = ArrayList<CaptureRow>()
        val type = state.documentType
        if (type != null) {
            val country = Locale("", state.country ?: "").getDisplayCountry(Locale(texts.language))
            rows.add(CaptureRow(texts.text("document_type_$type"), country, flow.button(DOCUMENT, "document_change")))
        }
        for (part in DocumentWords.parts(state)) {
            val detail = if (part in state.missingImages) "document_tilt_left_out" else "document_taken"
            rows.add(CaptureRow(words.name(part, state), texts.text(detail), if (part == "selfie") null else flow.button(part, "document_retake")))
        }
        val page = CapturePage(
            texts.text("document_check_title"), texts.text("document_check_text"),
            listOf(flow.button("send", "document_send", true), flow.cancelButton()), rows = rows)
        val answer = flow.choice(page, "send", *rows.mapNotNull { it.button?.id }.toTypedArray())
        if (answer == "send") {
            screen.showWaiting()
            flow.request { session.submit() }
        } else {
            if (answer == "document_tilt") skipsTilt = false
            chosen = answer
        }
    }

    /** The journey waits for a longer judgment itself. `null` if there is one, or something is missing. */
    private fun awaitJudgment(): CaptureOutcome? {
        screen.showWaiting()
        repeat(30) {
            Thread.sleep(1000)
            if (flow.request { session.state() }.status != "processing") return null
        }
        return CaptureOutcome.completed
    }

    /** Once for each judgment: the person may look at the same page again. */
    private fun tellRecapture(image: String, reasons: List<String>, hint: String?) {
        if (toldRecapture == Triple(image, reasons, hint)) return
        toldRecapture = Triple(image, reasons, hint)
        val isFace = image == "selfie"
        val isOther = !isFace && DocumentWords.areOfDocument(reasons)
        val answer = flow.choice(CapturePage(
            texts.text("document_again_title"), if (isFace) texts.text("document_reason_selfie") else words.reasons(reasons, hint),
            listOfNotNull(
                flow.button("continue", if (isFace) "button_continue" else "document_again", true),
                if (isOther) flow.button(DOCUMENT, if (DocumentWords.isOfChoice(hint)) "document_other_choice" else "document_other") else null,
                flow.cancelButton())), "continue", DOCUMENT)
        if (answer == DOCUMENT) chosen = DOCUMENT
    }

    /** Asks whether the person means it: photos that were taken would be lost. */
    private fun stops(): Boolean = screen.ask(CapturePage(
        texts.text("document_cancel_title"), texts.text("document_cancel_text"),
        listOf(flow.button("continue", "document_cancel_no", true), flow.button("stop", "document_cancel_yes")))).button != "continue"

    private fun cancel(): CaptureOutcome {
        try { session.cancel() } catch (_: MienException) {}
        return CaptureOutcome.canceled
    }

    private companion object {
        const val DOCUMENT = "document"
        /** More than anybody needs who takes each picture several times. */
        const val MAX_STEPS = 200
    }
}
