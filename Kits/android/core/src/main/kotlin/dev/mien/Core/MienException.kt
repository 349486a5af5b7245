package dev.mien

/**
 * An error of the session or the server. Branch on [code]. [reason] is for developers and contains no secrets.
 *
 * A journey that rejects a person is not an error but a response, `rejection`.
 */
class MienException internal constructor(
    val code: Code,
    val reason: String,
    /** The server's problem document, whose code is more specific. */
    val problem: Problem? = null,
    /** How long the server asks to wait. */
    val retryAfterMillis: Long? = null,
    mayHaveArrived: Boolean? = null,
    /** The OAuth error of the token endpoint: `invalid_grant`, `invalid_scope` … */
    val oauthError: String? = null,
    /** The sign-in that a change needs. */
    val reauthentication: ReauthenticationRequest? = null,
    /** Whether the user has signed in again already, so that another sign-in would change nothing. */
    internal val isAfterReauthentication: Boolean = false
) : Exception(code.word + ": " + reason + (problem?.errors ?: emptyList()).joinToString("") { " · ${it.field}: ${it.message}" }) {

    /** Stable codes, as in the SDKs that apps migrate from. */
    enum class Code(val word: String) {
        /** The server's address or an option is invalid. */
        INVALID_INITIALIZATION_OPTIONS("invalid_initialization_options"),
        /** `initialize` or `configure` has not been called. */
        NOT_INITIALIZED("not_initialized"),
        /** No journey was started, or it has ended or expired. Start one. */
        NO_ACTIVE_JOURNEY("no_active_journey"),
        /** No response arrived. The same answer may be sent again. */
        NETWORK_ERROR("network_error"),
        /** The step does not accept this answer; [fields] has the reasons. */
        CLIENT_RESPONSE_NOT_VALID("client_response_not_valid"),
        /** The server failed, refused, is busy, or returned something unexpected. */
        SERVER_ERROR("server_error"),
        /** The step was already answered, an answer is being sent, or a saved state belongs to another app. */
        INVALID_STATE("invalid_state"),
        /** The credentials of the app or of a capture are invalid. */
        INVALID_CREDENTIALS("invalid_credentials"),
        /** A one-time code has expired. */
        EXPIRED_OTP_PASSCODE("expired_otp_passcode"),
        /** Nobody is signed in, or the sign-in has ended. */
        UNAUTHENTICATED_USER("unauthenticated_user"),
        /** The token endpoint refused; [oauthError] says why. */
        OAUTH_ERROR("oauth_error"),
        /** The change needs a more recent or stronger sign-in, which [reauthentication] describes. */
        REAUTHENTICATION_REQUIRED("reauthentication_required");
    }

    /** Whether the server may have acted on the request despite the error. */
    val mayHaveArrived: Boolean = mayHaveArrived ?: (code == Code.NETWORK_ERROR)

    /** The errors in the data that was sent, by field. */
    val fields: List<Problem.FieldError> get() = problem?.errors ?: emptyList()

    internal fun naming(user: String?, isAfterReauthentication: Boolean = false) = MienException(
        code, reason, problem, retryAfterMillis, mayHaveArrived, oauthError, reauthentication?.copy(loginHint = user),
        isAfterReauthentication)

    companion object {
        /** For a call that came before `initialize`. */
        @JvmStatic
        fun notInitialized(reason: String) = MienException(Code.NOT_INITIALIZED, reason)

        /** Of a request that the app sent with an HTTP client of its own; `null` for status 2xx. [MienSession.performing] reads it. */
        @JvmStatic
        fun of(response: HttpResponse): MienException? = if (response.status in 200..299) null else Refusal(response).error

        /** Converts the server's problem. */
        internal fun of(problem: Problem, retryAfterMillis: Long?): MienException {
            val code = when (problem.code) {
                "invalid_credentials" -> Code.INVALID_CREDENTIALS
                "no_active_journey" -> Code.NO_ACTIVE_JOURNEY
                "invalid_state", "capture_closed", "capture_replaced", "live_capture_required", "frame_out_of_order",
                "consent_required", "verification_refused" -> Code.INVALID_STATE
                "client_response_not_valid", "payload_too_large", "unsupported_media_type", "image_not_accepted" ->
                    Code.CLIENT_RESPONSE_NOT_VALID
                "insufficient_user_authentication" -> Code.REAUTHENTICATION_REQUIRED
                else -> Code.SERVER_ERROR
            }
            // A server that failed may have failed after it had written everything. A busy one has done nothing.
            return MienException(
                code, problem.detail, problem, retryAfterMillis,
                mayHaveArrived = problem.status >= 500 && problem.code != "unavailable")
        }
    }
}

/** A problem document (RFC 9457). */
class Problem internal constructor(val code: String, val status: Int, val detail: String, val errors: List<FieldError>) {
    class FieldError internal constructor(val field: String, val message: String)

    override fun toString() = "$status $code: $detail"

    internal companion object {
        private const val MAX_ERRORS = 100

        fun of(document: JsonObject?): Problem? {
            val code = document?.string("code") ?: return null
            val status = document.integer("status") ?: return null
            val errors = document.list("errors")?.mapNotNull { it as? JsonObject } ?: emptyList()
            return Problem(
                code, status.toInt(), printable(document.string("detail") ?: document.optString("title")),
                errors.take(MAX_ERRORS).map { FieldError(printable(it.optString("field")), printable(it.optString("message"))) })
        }
    }
}
