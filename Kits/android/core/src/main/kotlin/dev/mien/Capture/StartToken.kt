package dev.mien

/** A step's start token, and what it opens. */
class StartToken(token: Sensitive<String>) {
    enum class Kind {
        /** A capture of a face: [CaptureSession]. */
        CAPTURE,
        /** A session with a document, and mostly a face: [DocumentSession]. */
        DOCUMENTS
    }

    val kind: Kind = if (token.use { it.startsWith("idv_") }) Kind.DOCUMENTS else Kind.CAPTURE

    override fun toString() = "start token of ${lower(kind.name)}"
}
