package dev.mien

/** How a capture ended. */
class CaptureOutcome private constructor(val kind: Kind, /** With [Kind.FAILED]. */ val error: MienException?) {
    enum class Kind {
        /** Answer the step with `client_input`. */
        COMPLETED,
        /** Answer with `cancel`. */
        CANCELED,
        /** Answer with `fail`. */
        FAILED
    }

    override fun toString() = lower(kind.name)

    companion object {
        /** The app was interrupted: answer with `fail`. */
        @JvmStatic
        fun interrupted() = failed(listOf("interrupted"))

        internal val completed = CaptureOutcome(Kind.COMPLETED, null)
        internal val canceled = CaptureOutcome(Kind.CANCELED, null)
        internal fun failed(error: MienException) = CaptureOutcome(Kind.FAILED, error)
        internal fun failed(reasons: List<String>) = failed(MienException(
            MienException.Code.CLIENT_RESPONSE_NOT_VALID, "The capture did not pass: ${reasons.joinToString(", ")}"))
    }
}
