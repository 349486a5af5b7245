package dev.mien

/**
 * A journey's progress as the client knows it. It sends nothing and waits for nothing.
 *
 * One answer at a time. An answer that may have arrived is kept, and no other is sent until the server has told its result:
 * otherwise a person could cancel something that they had confirmed without knowing it.
 */
internal class JourneyProgress(answer: JsonObject) {
    class Request(val state: String, val option: String, val data: Any?) {
        val body: ByteArray = Json.bytes(
            linkedMapOf<String, Any?>("state" to state, "option" to option).also { if (data != null) it["data"] = data })
    }

    private enum class Phase { WAITING, SENDING, UNCERTAIN, ENDED, LOST }

    var response = MienServiceResponse(answer)
        private set
    private var phase = if (response.hasEnded) Phase.ENDED else Phase.WAITING
    private var request: Request? = null
    private var loss: MienException? = null

    @Synchronized
    fun submit(option: String, data: Any?): Request {
        val new = Request(response.state ?: "", ClientResponseOptionType.canonical(option), data)
        when (phase) {
            Phase.WAITING -> Unit
            Phase.UNCERTAIN -> if (!new.body.contentEquals(request!!.body)) {
                throw invalid("An answer to this step may have arrived. Send the same answer again or call retry().")
            }
            Phase.SENDING -> throw invalid("An answer to this step is being sent.")
            Phase.ENDED -> throw MienException(MienException.Code.NO_ACTIVE_JOURNEY, "The journey has ended.")
            Phase.LOST -> throw loss!!
        }
        request = new
        phase = Phase.SENDING
        return new
    }

    @Synchronized
    fun resubmit(): Request {
        if (phase != Phase.UNCERTAIN) throw invalid("There is no answer to send again.")
        phase = Phase.SENDING
        return request!!
    }

    @Synchronized
    fun received(answer: JsonObject): MienServiceResponse {
        val isUpdate = JourneyActionType.canonical(answer.optString("journey_step_id")) == response.journeyStepId &&
            answer.optJSONObject("data")?.get("error") != null
        response = MienServiceResponse(answer, isUpdate)
        phase = if (response.hasEnded) Phase.ENDED else Phase.WAITING
        return response
    }

    @Synchronized
    fun failed(error: MienException) {
        if (phase != Phase.SENDING) return
        when (error.code) {
            // The server has another answer, or no longer knows the journey.
            MienException.Code.NO_ACTIVE_JOURNEY, MienException.Code.INVALID_STATE -> {
                phase = Phase.LOST
                loss = error
            }
            else -> phase = if (error.mayHaveArrived) Phase.UNCERTAIN else Phase.WAITING
        }
    }

    private fun invalid(reason: String) = MienException(MienException.Code.INVALID_STATE, reason)
}
