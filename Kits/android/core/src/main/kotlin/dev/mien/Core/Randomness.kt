package dev.mien

import java.security.MessageDigest
import java.security.SecureRandom

internal object Randomness {
    private val source = SecureRandom()

    fun bytes(count: Int): ByteArray = ByteArray(count).also { source.nextBytes(it) }

    /** 22 letters and digits for 16 bytes. */
    fun text(count: Int = 16): String = Base64.encodeUrl(bytes(count))

    fun fraction(): Double = source.nextDouble()
}

internal fun sha256(vararg parts: ByteArray): ByteArray {
    val digest = MessageDigest.getInstance("SHA-256")
    parts.forEach { digest.update(it) }
    return digest.digest()
}
