package dev.mien

/** What the screens say about pictures of documents. */
internal class DocumentWords(private val texts: Texts) {
    /** What to do about a fault of a preview. */
    fun guidance(word: String, side: String, type: String): String =
        texts.text(if (word == "no_document") "document_guide_no_document_" + (if (type == "passport") "passport" else side) else "document_guide_$word")

    /** Why another picture is needed: the fault if it is known, otherwise the reasons. */
    fun reasons(reasons: List<String>, hint: String?): String {
        val fault = hint?.let { "document_fault_$it" }?.takeIf { texts.has(it) }
        val said = listOfNotNull("poor_image_quality", "image_missing", "document_not_supported".takeIf { isOfChoice(hint) })
            .takeIf { fault != null }.orEmpty()
        val others = reasons.map { names[it] ?: it }.filter { it !in said }
            .map { if (texts.has("document_reason_$it")) "document_reason_$it" else "document_reason_poor_image_quality" }
        val keys = (listOfNotNull(fault) + others).distinct()
        return (if (keys.isEmpty()) listOf("document_reason_poor_image_quality") else keys).joinToString("\n") { texts.text(it) }
    }

    /** "Step 1 of 3", among the pictures and the face. */
    fun step(part: String, state: DocumentState): String {
        val all = parts(state)
        return texts.text("document_step", mapOf("step" to "${all.indexOf(part) + 1}", "count" to "${all.size}"))
    }

    /** The name of a picture in a list. */
    fun name(part: String, state: DocumentState): String = texts.text(when (part) {
        "document_front" -> if (state.documentType == "passport") "document_side_passport" else "document_side_front"
        "document_back" -> "document_side_back"
        "document_tilt" -> "document_side_tilt"
        else -> "document_face"
    })

    companion object {
        /** The names of texts that explain the reasons of the API. */
        private val names = mapOf(
            "imageMissing" to "image_missing", "poorImageQuality" to "poor_image_quality", "docDamaged" to "document_damaged",
            "docNotSupported" to "document_not_supported", "docExpired" to "document_expired")

        /** Whether the document is another one than the person chose. Another choice helps, not another document. */
        fun isOfChoice(hint: String?) = hint == "other_type" || hint == "other_country"

        /** Whether another picture of the same document does not help. */
        fun areOfDocument(reasons: List<String>) =
            reasons.any { (names[it] ?: it) in setOf("document_expired", "document_not_supported", "document_damaged") }

        /** The pictures of a session, in the order in which they are taken. */
        fun parts(state: DocumentState): List<String> = listOfNotNull(
            "document_front".takeIf { "document" in state.required },
            "document_tilt".takeIf { "document" in state.required && "document_live" in state.required },
            "document_back".takeIf { "document" in state.required && state.documentType != "passport" },
            "selfie".takeIf { "selfie" in state.required })
    }
}
