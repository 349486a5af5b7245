package dev.mien

/** `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7). */
internal object HttpDate {
    private val months = listOf("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    private val form = Regex("[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT")

    /** Milliseconds since 1970; `null` for every other form, and for dates that do not exist. */
    fun parse(text: String): Long? {
        val parts = form.matchEntire(text)?.groupValues ?: return null
        val month = months.indexOf(parts[2])
        val (day, year) = Pair(parts[1].toInt(), parts[3].toInt())
        val (hour, minute, second) = Triple(parts[4].toInt(), parts[5].toInt(), parts[6].toInt())
        if (month < 0 || year < 1970 || hour > 23 || minute > 59 || second > 60) return null
        val calendar = java.util.GregorianCalendar(java.util.TimeZone.getTimeZone("UTC"), java.util.Locale.ROOT)
        calendar.isLenient = false
        calendar.clear()
        calendar.set(year, month, day, hour, minute, minOf(second, 59))
        return try { calendar.timeInMillis + (if (second == 60) 1000 else 0) } catch (_: IllegalArgumentException) { null }
    }
}
