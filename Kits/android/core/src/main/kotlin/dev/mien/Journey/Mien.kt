package dev.mien

/** Receives the result of one call, where [MienThreads.results] runs it. */
interface MienHandler {
    fun success(response: MienServiceResponse)
    fun error(error: MienException)
}

/**
 * The journeys of one app, one at a time, as mobile apps run them. [JourneyClient] and [Journey] do the same without shared state.
 *
 *     Mien.initialize("https://login.example.org", "shop")
 *     Mien.startJourney("face-login", StartJourneyOptions(), handler)
 *     Mien.submitClientResponse(ClientResponseOptionType.ClientInput.type, data, handler)
 */
object Mien {
    private val lock = Any()
    private var client: JourneyClient? = null
    private var journey: Journey? = null

    @JvmStatic
    @JvmOverloads
    fun initialize(serverPath: String, applicationId: String = "default_application") = initialize(MienOptions(serverPath, applicationId))

    /** A journey in progress is dropped. */
    @JvmStatic
    fun initialize(options: MienOptions) {
        val new = JourneyClient(options)
        synchronized(lock) {
            client = new
            journey = null
        }
    }

    /** `null` before [initialize]. */
    @JvmStatic
    val journeyClient: JourneyClient? get() = synchronized(lock) { client }

    /** The response whose step waits for an answer. */
    @JvmStatic
    val response: MienServiceResponse? get() = synchronized(lock) { journey }?.response

    /**
     * Starts a journey. One in progress is dropped.
     *
     * @param session the session of the user that the journey is about.
     */
    @JvmStatic
    @JvmOverloads
    fun startJourney(journeyId: String, options: StartJourneyOptions?, handler: MienHandler, session: MienSession? = null) = tell(handler) {
        val started = ready().start(journeyId, options ?: StartJourneyOptions(), session)
        synchronized(lock) { journey = started }
        started.response
    }

    /**
     * Answers the current step.
     *
     * @param option the [ClientResponseOptionType.type], or the ID of a branch.
     * @param data a map, [JsonObject], or [MienData]; `null` for an answer without data.
     */
    @JvmStatic
    fun submitClientResponse(option: String, data: Any?, handler: MienHandler) = tell(handler) { active().respond(option, data) }

    /** Sends the answer again that may not have arrived. */
    @JvmStatic
    fun retry(handler: MienHandler) = tell(handler) { active().retry() }

    /** The journey as text. Protect it like a session. */
    @JvmStatic
    fun serializeState(): Sensitive<String> = active().serializeState()

    /** Continues a saved journey at its step. */
    @JvmStatic
    fun restoreFromSerializedState(state: Sensitive<String>): MienServiceResponse {
        val restored = ready().restore(state)
        synchronized(lock) { journey = restored }
        return restored.response
    }

    private fun ready() = journeyClient ?: throw MienException(MienException.Code.NOT_INITIALIZED, "Call Mien.initialize first.")

    internal fun active(): Journey {
        ready()
        return synchronized(lock) { journey }
            ?: throw MienException(MienException.Code.NO_ACTIVE_JOURNEY, "No journey has been started. Start one first.")
    }

    private fun tell(handler: MienHandler, call: () -> MienServiceResponse) = MienThreads.run(call, { handler.success(it) }) { error ->
        handler.error(error as? MienException ?: MienException(MienException.Code.NETWORK_ERROR, "The call was interrupted."))
    }
}
