package dev.mien

/** Percent-encoding, and forms (RFC 3986, HTML). */
internal object Percent {
    private const val HEX = "0123456789ABCDEF"

    fun encode(text: String): String {
        val out = StringBuilder()
        for (byte in utf8(text)) {
            val value = byte.toInt() and 255
            val letter = value.toChar()
            if (letter in 'a'..'z' || letter in 'A'..'Z' || letter in '0'..'9' || letter in "-._~") out.append(letter)
            else out.append('%').append(HEX[value shr 4]).append(HEX[value and 15])
        }
        return out.toString()
    }

    /** `null` for a malformed escape, and for bytes that are not UTF-8. */
    fun decode(text: String): String? {
        val out = java.io.ByteArrayOutputStream()
        var i = 0
        while (i < text.length) {
            val letter = text[i]
            if (letter == '%') {
                if (i + 2 >= text.length) return null
                val high = HEX.indexOf(text[i + 1], ignoreCase = true)
                val low = HEX.indexOf(text[i + 2], ignoreCase = true)
                if (high < 0 || low < 0) return null
                out.write(high * 16 + low)
                i += 3
            } else {
                out.write(if (letter == '+') 32 else if (letter.number < 128) letter.number else return null)
                i++
            }
        }
        val decoded = text(out.toByteArray())
        return if ('\ufffd' in decoded) null else decoded
    }

    /** A form (`application/x-www-form-urlencoded`). */
    fun form(fields: List<Pair<String, String>>): String = fields.joinToString("&") { encode(it.first) + "=" + encode(it.second) }
}
