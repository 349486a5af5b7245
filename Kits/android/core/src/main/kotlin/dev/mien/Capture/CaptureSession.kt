package dev.mien

/** Receives news of a capture while it runs. */
interface CaptureListener {
    /** After each answer of the server. */
    fun onGuidance(answer: CaptureAnswer) {}

    /** Shows a text before the first frame, and returns whether the person agrees. Otherwise, the capture is canceled. */
    fun onConsent(text: ConsentText): Boolean = false
}

/**
 * Sends frames to the capture of a step until it has passed or failed. Calls wait for the server.
 *
 *     val last = journey.captureSession().run(camera, listener)
 *     journey.respond(if (last.hasPassed) ClientResponseOptionType.ClientInput.type else ClientResponseOptionType.Fail.type)
 */
class CaptureSession internal constructor(
    private val token: Sensitive<String>, private val connection: Connection, private val clock: () -> Long = System::nanoTime
) {
    private var framesLeft: Long? = null
    @Volatile private var nonce: ByteArray? = null
    private var chain: FrameChain? = null
    /** On the clock, when the session began. */
    private var began = 0L
    private var last = -1L
    /** Well below the servers' limit; shrinks when a server accepts less. */
    private var batchBytes = 3 shl 20
    @Volatile private var buffer: FrameBuffer? = null
    @Volatile private var isCanceled = false
    private val ending = Any()
    private var ended: CaptureAnswer? = null

    fun status(): CaptureAnswer = noted(connection.json(call("GET")))

    /** Ends the session. Nothing of it is kept. [run] returns soon afterward. */
    fun cancel(): CaptureAnswer {
        isCanceled = true
        buffer?.onEnd(null)
        return synchronized(ending) { ended ?: noted(connection.json(call("DELETE"))).also { ended = it } }
    }

    /** Waits for the cancellation that another thread has begun. If the server cannot be reached, the session's deadline ends it. */
    private fun canceled(): CaptureAnswer =
        try { cancel() } catch (_: MienException) { CaptureAnswer(JsonObject(mapOf("status" to "cancelled"))) }

    /** Tells the server which actions the person cannot perform, before the start. It draws others. */
    fun omitActions(actions: List<String>): CaptureAnswer =
        noted(connection.json(call("POST", "accommodation", Json.bytes(mapOf("omitted_actions" to actions)))))

    /**
     * Tells the server, before the start, that the screen will show colors (`vivid`, `gentle`), or that the person must not see them (`off`).
     * Without it, the session has no colors, and is refused if they are required.
     */
    fun showLight(style: String): CaptureAnswer = noted(connection.json(call("POST", "light", Json.bytes(mapOf("style" to style)))))

    /** The time since the live session began, on the clock of its frames and colors; `null` before. */
    val elapsedMillis: Long? get() = if (nonce == null) null else (clock() - began) / 1_000_000

    /** The person has read the text and agrees. */
    fun giveConsent(text: ConsentText): CaptureAnswer =
        noted(connection.json(call("POST", "consent", Json.bytes(mapOf("text_version" to text.version)))))

    /** Starts the session and its clock. A session with a consent starts only after it. */
    fun start(): CaptureAnswer {
        val answer = noted(connection.json(call("POST", "start")))
        val found = answer.nonce
        if (answer.isOpen && found != null && !found.contentEquals(nonce ?: ByteArray(0))) {
            if (answer.nextFrame != 1L) {
                throw MienException(
                    MienException.Code.INVALID_STATE,
                    "This capture was started by another device or by an earlier run of this app. Start the journey's step again.")
            }
            chain = FrameChain(found)
            began = clock() - answer.elapsed * 1_000_000
            nonce = found
            last = -1
        }
        return answer
    }

    /**
     * Starts, opens the camera, and sends frames until the session is decided or the camera ends.
     *
     * @return the last answer.
     * @throws DeviceException without a camera.
     */
    @JvmOverloads
    fun run(camera: FrameSource, listener: CaptureListener = object : CaptureListener {}): CaptureAnswer {
        var answer = start()
        val consent = answer.consent
        if (answer.isOpen && consent != null) {
            if (!listener.onConsent(consent)) return cancel()
            giveConsent(consent)
            answer = start()
        }
        if (!answer.isOpen) return answer
        val frames = FrameBuffer(answer.isLive)
        buffer = frames
        if (isCanceled) return canceled()
        listener.onGuidance(answer)
        camera.start(if (answer.isLive) FrameSource.Quality.LIVE else FrameSource.Quality.STILL, frames)
        try {
            while (answer.isOpen) {
                val batch = frames.take(if (answer.isLive) 8 else 1, batchBytes) ?: return if (isCanceled) canceled() else answer
                // Frames that were waiting are not sent after it.
                if (isCanceled) return canceled()
                answer = if (answer.isLive) submitLive(batch) else submit(batch[0])
                listener.onGuidance(answer)
            }
            return answer
        } catch (error: MienException) {
            // What was being sent arrived after the end.
            if (isCanceled) return canceled()
            throw error
        } finally {
            frames.onEnd(null)
            buffer = null
            camera.stop()
        }
    }

    /** Sends one picture of a session that needs no live person. If no answer comes, it asks whether the picture arrived before it sends it again. */
    fun submit(frame: CaptureFrame): CaptureAnswer {
        var attempt = 1
        while (true) {
            try {
                return noted(connection.json(call("POST", "frames", frame.bytes, frame.type, isRepeatable = false)))
            } catch (error: MienException) {
                // It may have decided the session although its answer was lost.
                if (error.problem?.code == "capture_closed" && attempt > 1) return status()
                if (error.code != MienException.Code.NETWORK_ERROR) throw error
                val delay = connection.retry.delay(attempt, null) ?: throw error
                val before = framesLeft
                connection.sleep(delay)
                val now = status()
                val left = now.framesLeft
                if (!now.isOpen || (before != null && left != null && left < before)) return now
                attempt++
            }
        }
    }

    /** Sends 1 to 16 frames of a live session, in the order in which they were taken. */
    fun submitLive(frames: List<CaptureFrame>): CaptureAnswer {
        val chain = chain ?: throw MienException(MienException.Code.INVALID_STATE, "No live session has begun. Call start() first.")
        return send(frames.map { frame ->
            val time = ((frame.takenAtNanos ?: clock()) - began) / 1_000_000
            // Two frames within a millisecond still get increasing times.
            last = maxOf(0L, time, last + 1)
            chain.append(frame.bytes, last)
        })
    }

    private fun send(frames: List<LinkedFrame>): CaptureAnswer {
        try { return sendTogether(frames) } catch (error: MienException) {
            if (error.problem?.code != "payload_too_large") throw error
            val size = frames.map { it.picture.size }.sum()
            if (frames.size == 1) {
                throw MienException(
                    MienException.Code.CLIENT_RESPONSE_NOT_VALID,
                    "A frame of $size bytes is larger than the server accepts. Send smaller pictures: ${error.reason}", error.problem)
            }
            // Later batches are smaller, so that they are not refused first.
            batchBytes = minOf(batchBytes, size / 2)
            val answer = send(frames.take(frames.size / 2))
            return if (answer.isOpen) send(frames.drop(frames.size / 2)) else answer
        }
    }

    private fun sendTogether(frames: List<LinkedFrame>): CaptureAnswer {
        var waiting = frames
        var attempt = 1
        while (true) {
            try {
                return noted(connection.json(
                    call("POST", "frames", FrameChain.body(waiting), FrameChain.CONTENT_TYPE, isRepeatable = false)))
            } catch (error: MienException) {
                if (error.problem?.code == "capture_closed" && attempt > 1) return status()
                val isLost = error.code == MienException.Code.NETWORK_ERROR
                if (!isLost && error.problem?.code != "frame_out_of_order") throw error
                val delay = connection.retry.delay(attempt, null) ?: throw error
                if (isLost) connection.sleep(delay)
                val now = status()
                val next = now.nextFrame
                if (!now.isOpen || next == null) return now
                val missing = waiting.filter { it.number >= next }
                if (missing.isEmpty()) return now
                // An earlier frame is missing, and is no longer in memory.
                if (missing[0].number != next) throw error
                waiting = missing
                attempt++
            }
        }
    }

    private fun call(
        method: String, path: String? = null, body: ByteArray = ByteArray(0), type: String = "application/json", isRepeatable: Boolean = true
    ) = Connection.Call(
        method, listOf("v1", "capture") + listOfNotNull(path), token, body = body, contentType = type, isRepeatable = isRepeatable)

    private fun noted(answer: JsonObject): CaptureAnswer = CaptureAnswer(answer).also { framesLeft = it.framesLeft }

    override fun toString() = "capture session"
}
