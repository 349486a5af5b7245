package dev.mien

/** What an answer says about colors of the screen, which the face reflects. */
class CaptureLight internal constructor(
    /** Whether a capture without colors is refused. */
    val isRequired: Boolean,
    /** Before the start: whether a person who must not see colors may leave them out. */
    val isOmittable: Boolean,
    /** The color that is due, and those that begin soon. */
    val colors: List<CaptureColor>)

/** A color that fills the screen until the next one begins. */
class CaptureColor internal constructor(
    /** `#rrggbb` */
    val hex: String, /** Milliseconds since the session began. */ val begin: Long) {
    /** As Android writes colors: alpha, red, green, and blue in a byte each. */
    val argb: Int get() = (0xFF000000L or (hex.drop(1).toLongOrNull(16) ?: 0xFFFFFF)).toInt()
}

/**
 * Which color the screen shows when. One thread at a time.
 *
 *     show.note(answer)                                   // each answer of the session
 *     val color = show.color(session.elapsedMillis ?: 0)  // 30 times a second
 */
class LightShow {
    private val known = ArrayList<CaptureColor>()
    private var shown: CaptureColor? = null
    private var since = 0L

    /** Takes the colors of an answer. An answer that decides the session ends the show. */
    @Synchronized
    fun note(answer: CaptureAnswer) {
        if (!answer.isOpen) {
            known.clear()
            shown = null
            return
        }
        for (color in answer.light?.colors ?: emptyList()) {
            if (known.isEmpty() || color.begin > known.last().begin) known.add(color)
        }
        while (known.size > 16) known.removeAt(0)
    }

    /** The color to show at a time of the session, in milliseconds; `null` for none. The last known one stays until another is known. */
    @Synchronized
    fun color(time: Long): CaptureColor? {
        val due = known.lastOrNull { it.begin <= time } ?: return null
        val now = shown
        if (now != null && (now.begin == due.begin || time - since < MINIMUM_MILLIS)) return now
        shown = due
        since = time
        return due
    }

    companion object {
        /** No color gives way to the next sooner, even if answers are late: there are never more than three changes in a second. */
        const val MINIMUM_MILLIS = 334L
    }
}
