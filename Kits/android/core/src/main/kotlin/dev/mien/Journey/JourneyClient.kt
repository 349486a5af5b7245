package dev.mien

/** Starts journeys for one app on one server. Its calls wait for the server: make them on a thread of your own. */
class JourneyClient internal constructor(val options: MienOptions, internal val connection: Connection) {
    @Throws(MienException::class)
    constructor(options: MienOptions) : this(options, options.connection())

    private val key = AppKey(connection.address.text, options.applicationId)

    /**
     * Starts a journey. The request is repeated if no answer comes: a run whose answer was lost expires and has changed nothing.
     *
     * @param session the session of the user that the journey is about, of the same app on the same server.
     */
    @JvmOverloads
    fun start(journeyId: String, start: StartJourneyOptions = StartJourneyOptions(), session: MienSession? = null): Journey {
        // The token must not reach another server.
        if (session != null && session.key != key) {
            throw MienException(MienException.Code.INVALID_INITIALIZATION_OPTIONS, "The session belongs to another server or app.")
        }
        val access = session?.access()
        val body = linkedMapOf<String, Any?>("client_id" to options.applicationId)
        val parameters = LinkedHashMap<String, Any?>(start.additionalParams ?: emptyMap())
        if (options.resource != null && "resource" !in parameters) parameters["resource"] = options.resource
        if (parameters.isNotEmpty()) body["additional_params"] = parameters
        start.flowId?.let { body["flow_id"] = it }
        start.organization?.let { body["organization"] = it }
        deviceToken()?.let { body["device_token"] = it }
        val answer = connection.json(Connection.Call(
            "POST", listOf("v1", "journeys", journeyId, "start"), access, Json.bytes(body)))
        keep(answer)
        return Journey(answer, this)
    }

    /** Continues a journey that was saved with [Journey.serializeState]. */
    fun restore(state: Sensitive<String>): Journey {
        val saved = state.use { text -> if (text.length <= MAX_STATE) Base64.decodeUrl(text)?.let { Json.objectOf(it) } else null }
        val answer = saved?.optJSONObject("answer")
        if (saved == null || saved.integer("version") != 1L || answer?.string("state") == null) {
            throw MienException(MienException.Code.INVALID_STATE, "This is not the saved state of a journey.")
        }
        if (saved.string("server") != key.server || saved.string("application") != key.application) {
            throw MienException(MienException.Code.INVALID_STATE, "The saved journey belongs to another app or server.")
        }
        return Journey(answer, this)
    }

    internal fun saved(response: MienServiceResponse): Sensitive<String> {
        if (response.hasEnded) throw MienException(MienException.Code.NO_ACTIVE_JOURNEY, "The journey has ended.")
        val answer = response.answer.filterKeys { it != "token" && it != "device_token" }
        return Sensitive(Base64.encodeUrl(Json.bytes(
            mapOf("version" to 1, "server" to key.server, "application" to key.application, "answer" to answer))))
    }

    /** The capture of a start token. */
    fun captureSession(startToken: Sensitive<String>) = CaptureSession(startToken, connection)

    /** The document session of a start token. */
    fun documentSession(startToken: Sensitive<String>) = DocumentSession(startToken, connection)

    /** A sign-in does not fail because the device token cannot be stored. */
    internal fun keep(answer: JsonObject) {
        val token = answer.string("device_token") ?: return
        try { options.deviceTokens.storeDeviceToken(Sensitive(token), key) } catch (_: DeviceException) {}
    }

    private fun deviceToken() = try { options.deviceTokens.deviceToken(key) } catch (_: DeviceException) { null }

    private companion object { const val MAX_STATE = 256 * 1024 }
}

class StartJourneyOptions @JvmOverloads constructor(
    /** The journey's own parameters. */
    val additionalParams: Map<String, Any?>? = null,
    /** The app's own identifier, which comes back in the token. */
    val flowId: String? = null,
    /** An ID, an external ID, or `none`; by default the user's only one. */
    val organization: String? = null
)
