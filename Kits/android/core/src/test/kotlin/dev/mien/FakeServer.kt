package dev.mien

/** A server of a test: answers requests in order, and keeps them. */
internal class FakeServer(private val answer: (HttpRequest, Int) -> HttpResponse?) : HttpTransport {
    val requests = java.util.Collections.synchronizedList(ArrayList<HttpRequest>())

    /** `null` stands for a lost response. */
    override fun send(request: HttpRequest): HttpResponse {
        val number = synchronized(requests) { requests.add(request).let { requests.size } }
        return answer(request, number) ?: throw HttpTransportException(HttpTransportException.Code.INTERRUPTED, "lost")
    }

    fun count(path: String) = synchronized(requests) { requests.count { it.url.endsWith(path) } }

    companion object {
        fun json(status: Int, body: Map<String, Any?>, headers: Map<String, String> = emptyMap()) = HttpResponse(status, headers, Json.bytes(body))
        fun problem(status: Int, code: String) = json(status, mapOf("code" to code, "status" to status, "detail" to "refused"))

        val discovery = json(200, mapOf(
            "issuer" to "https://login.example.org", "dpop_signing_alg_values_supported" to listOf("ES256"),
            "authorization_response_iss_parameter_supported" to true))

        fun token(subject: String) = "e30." + Base64.encodeUrl(Json.bytes(mapOf("sub" to subject, "amr" to listOf("pwd")))) + ".sig"

        fun tokens(access: String, refresh: String, seconds: Int = 300, subject: String = "usr_1") = json(200, mapOf(
            "access_token" to access, "token_type" to "DPoP", "expires_in" to seconds, "refresh_token" to refresh,
            "id_token" to token(subject), "scope" to "openid"))
    }

    fun options(deviceTokens: DeviceTokenStorage = MemoryDeviceTokens()) = MienOptions(
        "https://login.example.org", "shop", retry = RetryPolicy(4, 1, 5), deviceTokens = deviceTokens, transport = this)
}

internal fun form(request: HttpRequest): Map<String, String> =
    text(request.body).split('&').associate { Percent.decode(it.substringBefore('='))!! to Percent.decode(it.substringAfter('='))!! }
