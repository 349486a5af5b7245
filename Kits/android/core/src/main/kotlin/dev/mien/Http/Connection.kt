package dev.mien

/** Sends requests: JSON and forms, proofs, retries; problems become [MienException]. */
internal class Connection(
    val address: ServerAddress,
    private val transport: HttpTransport,
    val retry: RetryPolicy,
    private val timeout: Long,
    val now: () -> Long,
    val sleep: (Long) -> Unit
) {
    class Call(
        val method: String,
        val path: List<String>,
        val bearer: Sensitive<String>? = null,
        /** Sends a proof with each attempt; with [bearer], the token is bound to its key. */
        val prover: DPoPProver? = null,
        val body: ByteArray = ByteArray(0),
        val contentType: String = "application/json",
        /** Whether it may be sent again when it is unknown whether it arrived. */
        val isRepeatable: Boolean = true,
        /** What replaces a token that the server refuses. It is asked once. */
        val renewed: (() -> Access?)? = null
    ) {
        /** A request of a signed-in user, or of nobody. */
        constructor(
            method: String, path: List<String>, access: Access?, body: ByteArray = ByteArray(0), contentType: String = "application/json",
            isRepeatable: Boolean = true
        ) : this(method, path, access?.token, access?.prover, body, contentType, isRepeatable, access?.renewed)

        fun with(access: Access) = Call(method, path, access.token, access.prover, body, contentType, isRepeatable)
    }

    fun json(call: Call): JsonObject {
        val response = send(call)
        return Json.objectOf(response.body) ?: throw MienException(
            MienException.Code.SERVER_ERROR, "The response to ${call.method} /${call.path.joinToString("/")} is malformed.",
            mayHaveArrived = true)
    }

    fun form(
        path: List<String>, fields: List<Pair<String, String>>, access: Access? = null, prover: DPoPProver? = null,
        isRepeatable: Boolean = false
    ): HttpResponse = send(Call(
        "POST", path, access?.token, access?.prover ?: prover, utf8(Percent.form(fields)), "application/x-www-form-urlencoded", isRepeatable,
        access?.renewed))

    /** Sends a request, again where that is safe, and returns a response with status 2xx. A proof is valid once, so each attempt has its own. */
    fun send(first: Call): HttpResponse {
        var call = first
        var mayRenew = true
        var attempt = 1
        var mayHaveArrived = false
        var mayCorrectProof = true
        while (true) {
            val (response, failure) = once(call)
            if (failure == null) return response!!
            // Servers check the proof first, so nothing has happened yet.
            if (failure.hasCorrectableProof && mayCorrectProof) {
                mayCorrectProof = false
                continue
            }
            // The token expired earlier than this device thinks. Servers check it before they act.
            if (failure.refusesToken && mayRenew) {
                mayRenew = false
                val access = call.renewed?.invoke()
                if (access != null) {
                    call = call.with(access)
                    mayCorrectProof = true
                    continue
                }
            }
            var error = failure.error
            // An earlier attempt, whose response was lost, deleted it.
            if (mayHaveArrived && call.method == "DELETE" && error.problem?.code == "not_found") {
                return HttpResponse(204, emptyMap(), ByteArray(0))
            }
            // This attempt was turned away, but an earlier one may have been processed.
            if (mayHaveArrived && failure.isAtDoor) {
                error = MienException(MienException.Code.NETWORK_ERROR, error.reason, error.problem, error.retryAfterMillis)
            }
            mayHaveArrived = mayHaveArrived || error.mayHaveArrived
            if (!failure.mayRepeat) throw error
            sleep(retry.delay(attempt, error.retryAfterMillis) ?: throw error)
            attempt++
        }
    }

    private class Failure(
        val error: MienException, val mayRepeat: Boolean,
        /** The server refused before it processed the request. */
        val isAtDoor: Boolean = false,
        /** The server refused the proof and said what a new one needs. */
        val hasCorrectableProof: Boolean = false,
        /** The server refused the access token (RFC 6750 §3.1). */
        val refusesToken: Boolean = false
    )

    private fun once(call: Call): Pair<HttpResponse?, Failure?> {
        val url = address.url(call.path)
        val headers = LinkedHashMap<String, String>()
        headers["accept"] = "application/json"
        if (call.body.isNotEmpty()) headers["content-type"] = call.contentType
        if (call.bearer != null) {
            // HTTP clients quote a header that they refuse in their exception.
            if (!call.bearer.use { token -> token != "" && token.all { it in '!'..'~' } }) {
                throw MienException(
                    MienException.Code.INVALID_CREDENTIALS, "The token is empty, or contains a space, a line break, or another character that no token has.")
            }
            headers["authorization"] = (if (call.prover == null) "Bearer " else "DPoP ") + call.bearer.use { it }
        }
        val proof = call.prover?.proofForPath(call.method, url.substring(address.text.length), call.bearer)
        if (proof != null) headers["dpop"] = proof.text
        val request = HttpRequest(call.method, url, headers, call.body, timeout, MAX_RESPONSE_BYTES)
        val response = try { transport.send(request) } catch (error: HttpTransportException) {
            val isTooLarge = error.code == HttpTransportException.Code.ANSWER_TOO_LARGE
            val code = if (isTooLarge) MienException.Code.SERVER_ERROR else MienException.Code.NETWORK_ERROR
            return Pair(null, Failure(MienException(code, error.reason, mayHaveArrived = true), !isTooLarge && call.isRepeatable))
        }
        val refusal = if (response.status in 200..299) null else Refusal(response)
        val hasCorrectableProof = proof != null && call.prover.learn(response, refusal?.word, proof)
        if (refusal == null) return Pair(response, null)
        val error = refusal.error
        return Pair(null, when (response.status) {
            429, 503 -> Failure(error, call.isRepeatable || !error.mayHaveArrived, isAtDoor = true)
            // A proxy, which does not know what became of the request.
            502, 504 -> Failure(error, call.isRepeatable)
            else -> Failure(
                error, false, hasCorrectableProof = hasCorrectableProof,
                refusesToken = response.status == 401 && refusal.word == "invalid_token")
        })
    }

    companion object { const val MAX_RESPONSE_BYTES = 1 shl 20 }
}
