package dev.mien

/** Signed messages in compact form (RFC 7515). */
internal object Jws {
    fun sign(header: Map<String, Any?>, payload: Map<String, Any?>, key: Signer): String {
        val head = Base64.encodeUrl(Json.bytes(header + ("alg" to "ES256")))
        val signed = head + "." + Base64.encodeUrl(Json.bytes(payload))
        return signed + "." + Base64.encodeUrl(key.sign(utf8(signed)))
    }

    /** The claims of a token, which are not verified. Only for one that came from the server itself, or is about to be used. */
    fun claims(token: Sensitive<String>): JsonObject = token.use { text ->
        val parts = text.split('.')
        val payload = if (parts.size == 3) Base64.decodeUrl(parts[1]) else null
        payload?.let { Json.objectOf(it) } ?: JsonObject(emptyMap())
    }
}
