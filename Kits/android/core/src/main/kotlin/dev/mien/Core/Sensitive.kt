package dev.mien

/** A value that is never printed: a token, a password, a key. */
class Sensitive<out T>(private val value: T) {
    /** Passes the value to [body]. Keep it no longer than that. */
    fun <R> use(body: (T) -> R): R = body(value)

    override fun equals(other: Any?) = other is Sensitive<*> && value == other.value
    override fun hashCode() = value.hashCode()
    override fun toString() = "‹sensitive›"
}
