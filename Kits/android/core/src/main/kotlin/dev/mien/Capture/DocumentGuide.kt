package dev.mien

/**
 * Judges the previews of one side: says one thing at a time, and takes the picture once the document is good and still. The same
 * rules as those of the web page (`Web/Assets/document-guide.js`).
 */
internal class DocumentGuide {
    class Advice(
        /** The fault to mention, or `hold_still`. */
        val word: String, val isGood: Boolean,
        /** Take the picture now. */
        val shoots: Boolean
    )

    private var last: List<List<Double>>? = null
    private var good = 0
    private var since = 0L
    private var shown: String? = null
    private var coming: String? = null

    /** @param now the time of the preview in milliseconds, since any fixed moment. */
    fun take(preview: DocumentPreview, now: Long): Advice {
        val corners = preview.corners
        val isGood = preview.isReady && corners != null
        val isSame = isGood && good > 0 && drift(last, corners) <= STILL
        if (!isSame) since = now
        good = if (isSame) good + 1 else if (isGood) 1 else 0
        last = corners
        val found = if (isGood) "hold_still" else preview.faults.firstOrNull() ?: if (corners == null) "no_document" else "hold_still"
        val shoots = good >= FRAMES && now - since >= MILLISECONDS
        if (shoots) good = 0
        return Advice(steady(found, isGood), isGood, shoots)
    }

    /** A fault of a single preview is not mentioned: words that change all the time cannot be followed. */
    private fun steady(word: String, isCertain: Boolean): String {
        if (shown == null || isCertain || word == coming) shown = word
        coming = word
        return shown ?: word
    }

    companion object {
        /** How many previews in a row must be good, and for how long, so that nobody is surprised. */
        private const val FRAMES = 3
        private const val MILLISECONDS = 700L
        /** The greatest movement between two of them, in parts of the picture. */
        private const val STILL = 0.03

        /** The greatest distance that a corner moved. The server may name the same corners beginning with another one. */
        fun drift(before: List<List<Double>>?, now: List<List<Double>>?): Double {
            if (before == null || now == null || now.isEmpty() || before.size != now.size) return Double.POSITIVE_INFINITY
            return now.indices.map { shift ->
                now.indices.map { k -> distance(now[k], before[(k + shift) % before.size]) }.max()!!
            }.min()!!
        }

        private fun distance(a: List<Double>, b: List<Double>): Double =
            if (a.size != 2 || b.size != 2) Double.POSITIVE_INFINITY else Math.hypot(a[0] - b[0], a[1] - b[1])
    }
}
