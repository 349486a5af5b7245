package dev.mien

/**
 * Makes DPoP proofs (RFC 9449) with one key for one server. Remembers the nonce that the server asks for, and by how much this
 * device's clock is off.
 */
internal class DPoPProver(private val signer: Signer, issuer: String, private val now: () -> Long) {
    class Proof(val text: String, val issuedAt: Long, val nonce: String?)

    val thumbprint: String = signer.publicKey.thumbprint
    private val issuer = issuer.removeSuffix("/")
    @Volatile private var clockOffset = 0L
    @Volatile private var nonce: String? = null

    /** A proof for one request to the server. [path] is below its address. */
    fun proofForPath(method: String, path: String, accessToken: Sensitive<String>?): Proof =
        proof(method, issuer + path, accessToken, nonce)

    /** A proof for one request to any URL. */
    fun proof(method: String, address: String, accessToken: Sensitive<String>?, nonce: String?): Proof {
        val issuedAt = now() + clockOffset
        val claims = linkedMapOf<String, Any?>(
            "jti" to Randomness.text(), "htm" to method, "htu" to address, "iat" to issuedAt / 1000)
        if (accessToken != null) claims["ath"] = accessToken.use { Base64.encodeUrl(sha256(utf8(it))) }
        if (nonce != null) claims["nonce"] = nonce
        return Proof(Jws.sign(mapOf("typ" to "dpop+jwt", "jwk" to signer.publicKey.jwk), claims, signer), issuedAt, nonce)
    }

    /** Learns from a response. Returns whether the server may accept a new proof after it refused [proof]. */
    fun learn(response: HttpResponse, error: String?, proof: Proof): Boolean {
        val given = response.headers["dpop-nonce"]?.takeIf { isNonce(it) }
        if (given != null) nonce = given
        if (response.status !in 400..401 || (error != "use_dpop_nonce" && error != "invalid_dpop_proof")) return false
        if (given != null && given != proof.nonce) return true
        if (error != "invalid_dpop_proof") return false
        val time = response.headers["date"]?.let { HttpDate.parse(it) } ?: return false
        if (Math.abs(time - proof.issuedAt) <= MAX_CLOCK_SKEW) return false
        clockOffset = time - now()
        return true
    }

    /** RFC 9449 §8.1. */
    private fun isNonce(text: String) = text.length in 1..512 && text.all { it in '!'..'~' && it != '"' && it != '\\' }

    private companion object {
        /** A smaller offset is not why a server refuses. */
        const val MAX_CLOCK_SKEW = 60_000L
    }
}
