package dev.mien

/**
 * How often a request without a response is sent, and the delays between. Only requests that are safe to repeat are: the server
 * gives the same answer to a step's token twice.
 */
class RetryPolicy @JvmOverloads constructor(
    attempts: Int = 4,
    /** The delay before the second attempt. It doubles with each further one. */
    val firstDelayMillis: Long = 250,
    /** If a server asks for a longer delay, there is no further attempt. */
    val longestDelayMillis: Long = 5_000
) {
    /** 1…10, with the first. */
    val attempts: Int = attempts.coerceIn(1, 10)

    /** The delay after an attempt, counted from 1: between half and all of the doubled delay; `null` to stop. */
    internal fun delay(attempt: Int, asked: Long?): Long? {
        if (attempt >= attempts) return null
        if (asked != null) return if (asked <= longestDelayMillis) asked else null
        val full = minOf(firstDelayMillis shl (attempt - 1), longestDelayMillis)
        return (full * (0.5 + Randomness.fraction() / 2)).toLong()
    }
}
