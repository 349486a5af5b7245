package dev.mien

/**
 * One run of a journey.
 *
 *     val journey = client.start("face-login")
 *     while (!journey.response.hasEnded) {
 *         when (journey.response.journeyStepId) {
 *             JourneyActionType.LoginForm.type -> journey.respond("face", mapOf("user_identifier" to "ada"))
 *             JourneyActionType.SelfieAcquisition.type -> { journey.captureSession().run(camera); journey.respond() }
 *             else -> journey.respond(ClientResponseOptionType.Cancel.type)
 *         }
 *     }
 *
 * An error of [respond] leaves the journey as it was. Answer the step again; after a network error, with the same answer.
 */
class Journey internal constructor(answer: JsonObject, private val client: JourneyClient) {
    private val progress = JourneyProgress(answer)

    /** The last response. */
    val response: MienServiceResponse get() = progress.response

    /**
     * Answers the current step. [data] is a map, [JsonObject], or [MienData].
     *
     * @throws MienException after `network_error`, it is unknown whether the answer arrived: only the same one is accepted.
     */
    @JvmOverloads
    fun respond(option: String = ClientResponseOptionType.ClientInput.type, data: Any? = null): MienServiceResponse =
        send(progress.submit(option, data))

    /** Sends the answer again that may not have arrived. */
    fun retry(): MienServiceResponse = send(progress.resubmit())

    private fun send(request: JourneyProgress.Request): MienServiceResponse {
        val answer = try {
            client.connection.json(Connection.Call("POST", listOf("v1", "journeys", "respond"), body = request.body))
        } catch (error: MienException) {
            progress.failed(error)
            throw error
        } catch (error: Exception) {
            // The thread was interrupted, or a key refused to sign a proof: the answer can be sent again.
            progress.failed(MienException(MienException.Code.NETWORK_ERROR, "The call was interrupted."))
            throw error
        }
        client.keep(answer)
        return progress.received(answer)
    }

    /** The journey as text, for [JourneyClient.restore]. Protect it like a session: it continues the journey. */
    fun serializeState(): Sensitive<String> = client.saved(response)

    /** The capture of the current step. */
    fun captureSession(): CaptureSession = CaptureSession(startToken(), client.connection)

    /** The document session of the current step. */
    fun documentSession(): DocumentSession = DocumentSession(startToken(), client.connection)

    private fun startToken() = response.startToken
        ?: throw MienException(MienException.Code.INVALID_STATE, "This step has no capture session.")

    override fun toString() = response.toString()
}
