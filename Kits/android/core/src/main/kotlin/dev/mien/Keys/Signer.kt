package dev.mien

import java.security.Signature

/** A key that signs with ECDSA on P-256 and SHA-256. */
interface Signer {
    val publicKey: PublicKey

    /** Returns r and s, 32 bytes each. */
    fun sign(message: ByteArray): ByteArray
}

/** A key of Java's: in memory, or in Android's key store. It is never printed. */
class JcaSigner(private val privateKey: java.security.PrivateKey, override val publicKey: PublicKey) : Signer {
    constructor(pair: java.security.KeyPair) : this(pair.private, PublicKey.of(pair.public))

    override fun sign(message: ByteArray): ByteArray {
        val signature = Signature.getInstance("SHA256withECDSA")
        signature.initSign(privateKey)
        signature.update(message)
        return EcdsaSignatures.raw(signature.sign())
    }

    override fun toString() = "‹sensitive›"

    companion object {
        /** A new key that exists only in memory. */
        @JvmStatic
        fun generate(): JcaSigner = JcaSigner(P256.newPair())
    }
}

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
