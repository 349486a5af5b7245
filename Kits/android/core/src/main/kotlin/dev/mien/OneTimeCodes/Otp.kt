package dev.mien

import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

internal fun hmac(algorithm: String, key: ByteArray, vararg parts: ByteArray): ByteArray {
    val mac = Mac.getInstance(algorithm)
    mac.init(SecretKeySpec(key, algorithm))
    parts.forEach { mac.update(it) }
    return mac.doFinal()
}

/** HOTP (RFC 4226), TOTP (RFC 6238), and the suite of OCRA (RFC 6287) with which Mien's tokens sign. */
internal object Otp {
    const val SUITE = "OCRA-1:HOTP-SHA256-8:QH64"

    /** `SHA1`, `SHA256`, `SHA512` */
    fun code(hash: String, secret: ByteArray, counter: Long, digits: Int): String = truncated(hmac("Hmac$hash", secret, bytes(counter)), digits)

    fun step(milliseconds: Long, seconds: Int): Long = milliseconds / 1000 / seconds

    /** @param question 64 hexadecimal digits. */
    fun response(secret: ByteArray, question: String): String {
        val value = ByteArray(128)
        for (i in 0 until question.length / 2) value[i] = question.substring(2 * i, 2 * i + 2).toInt(16).toByte()
        return truncated(hmac("HmacSHA256", secret, utf8(SUITE), byteArrayOf(0), value), 8)
    }

    private fun truncated(hmac: ByteArray, digits: Int): String {
        val offset = hmac.last().toInt() and 15
        var number = 0L
        for (i in 0 until 4) number = number shl 8 or (hmac[offset + i].toLong() and 255)
        var power = 1L
        repeat(digits) { power *= 10 }
        return ((number and 0x7fffffff) % power).toString().padStart(digits, '0')
    }

    private fun bytes(value: Long) = ByteArray(8) { (value shr (56 - 8 * it)).toByte() }
}

/** A one-time code. Show or send its [text]; it is not printed. */
class OneTimeCode internal constructor(val text: String) {
    override fun toString() = "‹sensitive›"
}
