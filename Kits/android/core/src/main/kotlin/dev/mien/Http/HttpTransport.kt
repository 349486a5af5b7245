package dev.mien

/** Carries requests to a server. The default is [UrlConnectionTransport]; apps and tests may have their own. */
interface HttpTransport {
    /**
     * Sends a request once and returns the whole response, whatever its status. Follows no redirects.
     *
     * @throws HttpTransportException if there is no response.
     */
    @Throws(HttpTransportException::class)
    fun send(request: HttpRequest): HttpResponse
}

/** Headers contain credentials and the body may contain a password, so neither is printed. */
class HttpRequest(
    val method: String,
    val url: String,
    /** With names in lower case. */
    val headers: Map<String, String>,
    val body: ByteArray,
    val timeoutMillis: Long,
    /** A transport stops reading a response here. */
    val maxResponseBytes: Int
) {
    override fun toString() = "$method $url, ${body.size} bytes"
}

/** The body may contain tokens, so it is not printed. */
class HttpResponse(
    val status: Int,
    /** With names in lower case. */
    val headers: Map<String, String>,
    val body: ByteArray
) {
    override fun toString() = "status $status, ${body.size} bytes"
}

/** Why there is no response. */
class HttpTransportException(val code: Code, val reason: String) : Exception("${code.word}: $reason") {
    enum class Code(val word: String) {
        UNREACHABLE("unreachable"), TIMED_OUT("timed_out"),
        /** The connection ended before the response did. The request may have arrived. */
        INTERRUPTED("interrupted"), ANSWER_TOO_LARGE("answer_too_large")
    }
}
