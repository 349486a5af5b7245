package dev.mien

/** One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1): `DPoP error="use_dpop_nonce", algs="ES256"`. */
internal class AuthenticationChallenge(val scheme: String) {
    /** With names in lower case. The first value of a name counts. */
    val parameters = LinkedHashMap<String, String>()

    companion object {
        private const val MAX_LENGTH = 8192
        private const val MARKS = "!#$%&'*+-.^_`|~"

        /** Reads a field with any number of challenges, up to the first unexpected character. */
        fun parse(field: String): List<AuthenticationChallenge> {
            val challenges = ArrayList<AuthenticationChallenge>()
            if (field.length > MAX_LENGTH) return challenges
            val reader = Reader(field)
            while (true) {
                reader.skip { it == ',' || it == ' ' || it == '\t' }
                val name = reader.token() ?: return challenges
                reader.skip { it == ' ' || it == '\t' }
                if (reader.take('=')) {
                    reader.skip { it == ' ' || it == '\t' }
                    val value = if (challenges.isEmpty()) null else reader.value()
                    if (value == null) return challenges
                    val parameters = challenges.last().parameters
                    if (lower(name) !in parameters) parameters[lower(name)] = value
                } else challenges.add(AuthenticationChallenge(lower(name)))
            }
        }
    }

    private class Reader(private val text: String) {
        private var at = 0

        fun skip(isSkipped: (Char) -> Boolean) { while (at < text.length && isSkipped(text[at])) at++ }
        fun take(letter: Char): Boolean = (at < text.length && text[at] == letter).also { if (it) at++ }

        fun token(): String? {
            val start = at
            skip { it in 'a'..'z' || it in 'A'..'Z' || it in '0'..'9' || it in MARKS }
            return if (at == start) null else text.substring(start, at)
        }

        /** A token, or a quoted text. */
        fun value(): String? {
            if (!take('"')) return token()
            val out = StringBuilder()
            while (at < text.length) {
                val letter = text[at++]
                if (letter == '"') return out.toString()
                out.append(if (letter == '\\' && at < text.length) text[at++] else letter)
            }
            return null
        }
    }
}
