package dev.mien

/**
 * The screens of a capture: consent, what to leave out, the camera with its guidance, retry, and cancel. One call serves selfies and
 * documents, whichever the start token is of.
 *
 *     val outcome = CaptureFlow(client, camera, screen, Texts.of(Locale.getDefault())).run(startToken)
 */
class CaptureFlow(
    private val client: JourneyClient, private val camera: FrameSource, private val screen: CaptureScreen, internal val texts: Texts
) {
    /** Runs the capture of a step. Waits for the person: call it on a thread of your own. */
    fun run(startToken: Sensitive<String>): CaptureOutcome {
        screen.showWaiting()
        try {
            return when (StartToken(startToken).kind) {
                StartToken.Kind.DOCUMENTS -> DocumentFlow(this, DocumentSession(startToken, client.connection), camera, screen).run()
                StartToken.Kind.CAPTURE -> selfie(CaptureSession(startToken, client.connection))
            }
        } catch (_: Left) {
            return CaptureOutcome.canceled
        } catch (error: MienException) {
            tellFailure("capture_error_title", texts.firstOf("refusal_${error.problem?.code ?: error.code.word}", "capture_error_text"))
            return CaptureOutcome.failed(error)
        }
    }

    internal fun selfie(session: CaptureSession): CaptureOutcome {
        var answer = request { session.status() }
        val consent = answer.consent
        if (answer.isOpen && consent != null) {
            val page = CapturePage(consent.title, consent.text, listOf(CaptureButton("agree", consent.button, true), cancelButton()))
            if (screen.ask(page).button != "agree") return cancel(session)
            screen.showWaiting()
            answer = request { session.giveConsent(consent) }
        }
        while (true) {
            if (!answer.isOpen && "interrupted" !in answer.reasons) return verdict(answer)
            val choice = screen.ask(readyPage(answer)).button
            if (choice == "cannot") {
                answer = omit(session, answer) ?: return cancel(session)
                continue
            }
            if (choice !in setOf("start", "gentle", "off")) return cancel(session)
            screen.showWaiting()
            // A session that has begun has its colors; the style was sent before.
            if (answer.isOpen && answer.light?.colors?.isEmpty() == true) {
                val style = if (choice != "start") choice else if (screen.prefersGentleColors) "gentle" else "vivid"
                request { session.showLight(style) }
            }
            val last = try { film(session) } catch (error: DeviceException) {
                if (!retriesCamera(error)) return cancel(session)
                answer = session.status()
                continue
            }
            // The server was lost meanwhile. The session begins again, with other actions.
            if (last.status == "failed" && last.reasons.firstOrNull() == "interrupted") {
                answer = session.start()
                continue
            }
            return verdict(last)
        }
    }

    private fun readyPage(answer: CaptureAnswer) = CapturePage(
        texts.text("capture_ready_title"),
        listOfNotNull(
            "capture_ready_text", if (answer.keepsPicture) "capture_picture_kept" else "capture_picture_not_kept",
            answer.light?.let { "capture_light_text" },
            answer.light?.let { if (it.isOmittable) "capture_light_omit" else "capture_light_cannot" }
        ).joinToString(" ") { texts.text(it) },
        listOfNotNull(
            button("start", "button_camera", true),
            answer.light?.let { if (screen.prefersGentleColors) null else button("gentle", "capture_light_gentle") },
            answer.light?.let { if (it.isOmittable) button("off", "capture_light_off") else null },
            if (answer.omittableActions.isEmpty()) null else button("cannot", "capture_cannot"), cancelButton()))

    /** Asks which movements to leave out; `null` if the person cancels. */
    private fun omit(session: CaptureSession, before: CaptureAnswer): CaptureAnswer? {
        var text = "capture_cannot_text"
        while (true) {
            val answer = screen.ask(CapturePage(
                texts.text("capture_cannot_title"), texts.text(text),
                listOf(button("continue", "button_continue", true), button("back", "button_back"), cancelButton()),
                before.omittableActions.map { it to texts.text("action_$it") }, areSeveralChosen = true))
            when (answer.button) {
                "back" -> return before
                "continue" -> try { return session.omitActions(answer.chosen) } catch (error: MienException) {
                    if (error.problem?.code != "not_permitted") throw error
                    text = "capture_cannot_few"
                }
                else -> return null
            }
        }
    }

    private fun film(session: CaptureSession): CaptureAnswer {
        val quality = FrameSource.Quality.LIVE
        screen.showCamera(CaptureStage(quality, texts.text("capture_preview"), listOf(button("cannot", "capture_cannot_now"), cancelButton()))) {
            if (it == "cannot") screen.guide(CaptureGuide(texts.text("capture_cannot_end"), "wait", 0))
            else MienThreads.work.execute { try { session.cancel() } catch (_: MienException) {} }
        }
        val show = LightShow()
        val isFilming = java.util.concurrent.atomic.AtomicBoolean(true)
        MienThreads.work.execute { showColors(session, show, isFilming) }
        try { return film(session, show) } finally { isFilming.set(false) }
    }

    /** Fills the screen with the colors of the session, as long as it films. */
    private fun showColors(session: CaptureSession, show: LightShow, isFilming: java.util.concurrent.atomic.AtomicBoolean) {
        var last: Int? = null
        while (isFilming.get()) {
            val color = session.elapsedMillis?.let { show.color(it) }?.argb
            if (color != last) screen.showColor(color)
            last = color
            Thread.sleep(25)
        }
        if (last != null) screen.showColor(null)
    }

    private fun film(session: CaptureSession, show: LightShow) =
        session.run(camera, object : CaptureListener {
            override fun onGuidance(answer: CaptureAnswer) {
                show.note(answer)
                val name = answer.guidance.firstOrNull() ?: answer.action ?: "wait"
                screen.guide(CaptureGuide(texts.firstOf("action_$name", "guidance_$name", "guidance_wait"), name, answer.progress ?: 0))
            }
        })

    private fun verdict(answer: CaptureAnswer): CaptureOutcome = when (answer.status) {
        "passed" -> CaptureOutcome.completed
        "cancelled" -> CaptureOutcome.canceled
        else -> {
            val reasons = if (answer.reasons.isEmpty()) answer.guidance else answer.reasons
            tellFailure("capture_failed_title", texts.firstOf("refusal_${reasons.firstOrNull()}", "refusal_other"))
            CaptureOutcome.failed(reasons)
        }
    }

    private fun cancel(session: CaptureSession): CaptureOutcome {
        // If the request fails, the session's deadline ends it.
        try { session.cancel() } catch (_: MienException) {}
        return CaptureOutcome.canceled
    }

    /** Says what is wrong with the camera. Returns whether the person tries again. */
    internal fun retriesCamera(error: DeviceException): Boolean {
        val text = when (error.code) {
            DeviceException.Code.BIOMETRIC_NOT_SUPPORTED_OR_PERMISSION_DENIED -> "kit_camera_denied"
            DeviceException.Code.BAD_ARGUMENT -> "camera_missing"
            else -> "camera_busy"
        }
        val page = CapturePage(texts.text("camera_title"), texts.text(text), listOf(button("retry", "button_retry", true), cancelButton()))
        return screen.ask(page).button == "retry"
    }

    internal fun tellFailure(title: String, text: String) {
        screen.ask(CapturePage(texts.text(title), text, listOf(button("continue", "button_continue", true))))
    }

    /**
     * Sends a request. Without a connection, or to a busy server, says so until the person tries again.
     *
     * @throws Left if they cancel.
     */
    internal fun <T> request(send: () -> T): T {
        while (true) {
            try { return send() } catch (error: MienException) {
                val isOffline = error.code == MienException.Code.NETWORK_ERROR
                if (!isOffline && error.problem?.code !in setOf("too_many_requests", "unavailable")) throw error
                choice(CapturePage(
                    texts.text("capture_error_title"), texts.text(if (isOffline) "refusal_network_error" else "capture_error_text"),
                    listOf(button("retry", "button_retry", true), cancelButton())), "retry")
                screen.showWaiting()
            }
        }
    }

    /** Shows a page, and returns which of these buttons was pressed. @throws Left for any other. */
    internal fun choice(page: CapturePage, vararg buttons: String): String =
        screen.ask(page).button.takeIf { it in buttons } ?: throw Left()

    internal fun button(id: String, key: String, isMain: Boolean = false) = CaptureButton(id, texts.text(key), isMain)
    internal fun cancelButton() = button("cancel", "button_cancel")
}
