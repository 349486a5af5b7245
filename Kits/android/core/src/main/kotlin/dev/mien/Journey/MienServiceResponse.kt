package dev.mien

/** A journey's response: the next step, or how it ended. It may contain secrets, so only the step and its options are printed. */
class MienServiceResponse internal constructor(internal val answer: JsonObject, private val isUpdate: Boolean = false) {
    enum class ResponseType(val type: String) {
        JourneySuccess("journey_success"), ClientInputRequired("client_input_required"),
        ClientInputUpdateRequired("client_input_update_required"), JourneyRejection("journey_rejection")
    }

    /** The [JourneyActionType.type] of the step. */
    val journeyStepId: String = JourneyActionType.canonical(answer.optString("journey_step_id"))

    /** The step's data; its form depends on the step. */
    val data: JsonObject? get() = answer.optJSONObject("data")

    /** The same, as older code names it. */
    val responseData: JsonObject? get() = data

    /** Why the journey rejected: `cause`, `reason`. */
    val errorData: JsonObject? get() = answer.optJSONObject("error_data")

    /** The ways to answer, by their IDs. */
    val clientResponseOptions: Map<String, ClientResponseOption> =
        answer.optJSONObject("client_response_options")?.mapNotNull { (id, option) ->
            (option as? JsonObject)?.let { id to ClientResponseOption(id, it.optString("label"), it.optJSONObject("schema")) }
        }?.toMap() ?: emptyMap()

    /** The option of this ID, in any spelling. */
    fun option(id: String): ClientResponseOption? = clientResponseOptions[ClientResponseOptionType.canonical(id)] ?: clientResponseOptions[id]

    /** The proof that the journey was completed: a signed JWT. Only with `success`. */
    val token: Sensitive<String>? get() = answer.string("token")?.let { Sensitive(it) }

    val type: ResponseType
        get() = when (journeyStepId) {
            JourneyActionType.Success.type -> ResponseType.JourneySuccess
            JourneyActionType.Rejection.type -> ResponseType.JourneyRejection
            else -> if (isUpdate) ResponseType.ClientInputUpdateRequired else ResponseType.ClientInputRequired
        }

    internal val state: String? get() = answer.string("state")

    val hasEnded: Boolean get() = state == null

    /** Milliseconds since 1970 after which answers are refused. */
    val expiresAt: Long get() = answer.integer("expires_at") ?: 0

    /** The start token of a capture, wherever the step puts it. */
    val startToken: Sensitive<String>?
        get() = (data?.optJSONObject("payload")?.string("start_token") ?: data?.string("start_token"))?.let { Sensitive(it) }

    /** The error of the last answer, of a step that failed since, or of a rejection; `null` if there was none. */
    val errorCode: MienException.Code?
        get() {
            val word = data?.optJSONObject("error")?.string("code") ?: errorData?.string("code") ?: errorData?.string("reason")
            return when (word) {
                null -> null
                "expired" -> MienException.Code.EXPIRED_OTP_PASSCODE
                "invalid_credentials", "wrong_code" -> MienException.Code.INVALID_CREDENTIALS
                "insufficient_user_authentication" -> MienException.Code.REAUTHENTICATION_REQUIRED
                else -> if (journeyStepId == JourneyActionType.Rejection.type || data?.get("error") != null || errorData?.get("code") != null)
                    MienException.Code.CLIENT_RESPONSE_NOT_VALID else null
            }
        }

    override fun toString() = journeyStepId + ": " + clientResponseOptions.keys.sorted().joinToString(", ")
}

/** One way to answer a step. */
class ClientResponseOption internal constructor(val id: String, /** For a button. */ val label: String, /** JSON Schema of the data. */ val schema: JsonObject?) {
    /** `username`, `password` */
    val fieldNames: List<String> get() = schema?.optJSONObject("properties")?.keys?.sorted() ?: emptyList()

    override fun toString() = id
}
