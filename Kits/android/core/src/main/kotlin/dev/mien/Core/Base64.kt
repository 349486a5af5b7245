package dev.mien

/** Base64 (RFC 4648). `java.util.Base64` came to Android with version 8 only. */
internal object Base64 {
    private const val STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    private const val FOR_URLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /** With padding. */
    fun encode(bytes: ByteArray): String = encode(bytes, STANDARD).let { it + "=".repeat((4 - it.length % 4) % 4) }

    /** For URLs and JSON, without padding. */
    fun encodeUrl(bytes: ByteArray): String = encode(bytes, FOR_URLS)

    /** Decodes what [encodeUrl] returns; `null` for every other text. */
    fun decodeUrl(text: String): ByteArray? = decode(text, FOR_URLS)

    /** Decodes what [encode] returns; `null` for every other text. */
    fun decode(text: String): ByteArray? =
        if (text.length % 4 == 0) decode(text.removeSuffix("=").removeSuffix("="), STANDARD) else null

    private fun encode(bytes: ByteArray, alphabet: String): String {
        val text = StringBuilder((bytes.size + 2) / 3 * 4)
        for (start in bytes.indices step 3) {
            val count = minOf(3, bytes.size - start)
            var bits = 0
            for (i in 0 until 3) bits = bits shl 8 or (if (i < count) bytes[start + i].toInt() and 255 else 0)
            for (i in 0..count) text.append(alphabet[bits shr (18 - 6 * i) and 63])
        }
        return text.toString()
    }

    private fun decode(text: String, alphabet: String): ByteArray? {
        if (text.length % 4 == 1) return null
        val bytes = ByteArray(text.length * 3 / 4)
        var bits = 0
        var held = 0
        var next = 0
        for (letter in text) {
            val value = alphabet.indexOf(letter)
            if (value < 0) return null
            bits = bits shl 6 or value
            held += 6
            if (held >= 8) {
                held -= 8
                bytes[next++] = (bits shr held).toByte()
                bits = bits and ((1 shl held) - 1)
            }
        }
        // Bits that encode nothing are zero, so that a value has one text.
        return if (bits == 0) bytes else null
    }
}
