package dev.mien

/** A server's address without a slash at its end: `https://login.example.org`, `https://example.org/mien`. */
internal data class ServerAddress(val text: String) {
    /** The URL of a path below the address. Segments are escaped, so that none can become two or point upward. */
    fun url(segments: List<String>): String {
        val url = StringBuilder(text)
        for (segment in segments) {
            if (segment == "" || segment == "." || segment == "..") {
                throw MienException(MienException.Code.SERVER_ERROR, "“$segment” does not name anything.", Problem("not_found", 404, "“$segment” does not name anything.", emptyList()))
            }
            url.append('/').append(Percent.encode(segment))
        }
        return url.toString()
    }

    companion object {
        private val local = setOf("localhost", "127.0.0.1", "[::1]")
        private val form = Regex("([A-Za-z]+)://((?:\\[[0-9A-Fa-f:.]+]|[^/:\\[\\]]+))(?::([0-9]{1,5}))?(/.*)?")

        fun of(path: String, allowsPlainHttp: Boolean): ServerAddress {
            val text = path.removeSuffix("/")
            fun wrong(reason: String) = MienException(MienException.Code.INVALID_INITIALIZATION_OPTIONS, "serverPath: $reason")
            if (!text.contains("://")) throw wrong("Set an address such as https://login.example.org.")
            val rest = text.substringAfter("://")
            if (rest.any { it <= ' ' || it >= '\u007f' || it in "@?#\\\"<>" }) {
                throw wrong("Remove the user, query, fragment, or invalid character from the address.")
            }
            val parts = form.matchEntire(text)?.groupValues
                ?: throw wrong("The address needs a host, and optionally a port, after its scheme.")
            if (parts[3].isNotEmpty() && parts[3].toInt() > 65_535) throw wrong("The port is at most 65535.")
            val scheme = lower(parts[1])
            when (scheme) {
                "https" -> Unit
                "http" -> if (!allowsPlainHttp && lower(parts[2]) !in local) {
                    throw wrong("http is allowed only for this machine. Use https, or allow plain HTTP explicitly.")
                }
                else -> throw wrong("Use https instead of $scheme.")
            }
            return ServerAddress("$scheme://$rest")
        }
    }
}
