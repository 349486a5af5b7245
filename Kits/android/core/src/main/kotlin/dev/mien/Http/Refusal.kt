package dev.mien

/** What a response with an error says: a problem document (RFC 9457), an OAuth error (RFC 6749 §5.2), or neither. */
internal class Refusal(private val response: HttpResponse) {
    private val members = Json.objectOf(response.body)
    private val problem = Problem.of(members)
    private val challenges = response.headers["www-authenticate"]?.let { AuthenticationChallenge.parse(it) } ?: emptyList()
    private val retryAfter = response.headers["retry-after"]?.toIntOrNull()?.takeIf { it in 0..65_535 }?.let { it * 1000L }

    /** The OAuth error, of the body, or else of the `WWW-Authenticate` field. */
    val word: String? =
        (if (problem == null) members?.string("error") else null) ?: challenges.mapNotNull { it.parameters["error"] }.firstOrNull()

    val error: MienException
        get() {
            val needed = reauthentication
            if (needed != null) {
                val reason = problem?.detail ?: description ?: "The change needs another sign-in."
                return MienException(
                    MienException.Code.REAUTHENTICATION_REQUIRED, reason, problem, retryAfter, false, word, needed)
            }
            if (problem != null) return MienException.of(problem, retryAfter)
            val status = response.status
            val word = members?.string("error")
                ?: return MienException(
                    MienException.Code.SERVER_ERROR, "The server responded with status $status and no problem document.",
                    retryAfterMillis = retryAfter, mayHaveArrived = status !in 400..499 || status == 408)
            val code = when {
                word == "invalid_client" -> MienException.Code.INVALID_CREDENTIALS
                status >= 500 -> MienException.Code.SERVER_ERROR
                else -> MienException.Code.OAUTH_ERROR
            }
            return MienException(
                code, printable("$word: ${members.optString("error_description")}"), retryAfterMillis = retryAfter,
                mayHaveArrived = status >= 500 && status != 503, oauthError = word)
        }

    private val description: String? get() = members?.string("error_description")?.let(::printable)

    /** The sign-in that the server requires (RFC 9470 §3). */
    private val reauthentication: ReauthenticationRequest?
        get() {
            val wanted = "insufficient_user_authentication"
            if (response.status != 401 || (word != wanted && members?.string("code") != wanted)) return null
            val parameters = challenges.firstOrNull { it.parameters["error"] == wanted }?.parameters ?: emptyMap<String, String>()
            val age = parameters["max_age"]?.toLongOrNull() ?: members?.integer("max_age")
            val classes = parameters["acr_values"] ?: members?.string("acr_values")
            return ReauthenticationRequest(
                age?.takeIf { it in 0..1_000_000_000 }, classes?.split(' ')?.filter { it.isNotEmpty() } ?: emptyList())
        }
}
