package dev.mien

/** JSON for an app's own requests: [MienSession.send] and [MienSession.authorization]. */
object JsonText {
    /** Maps, lists, texts, numbers, booleans, [Sensitive], and [MienData], in UTF-8. */
    @JvmStatic
    fun write(members: Map<String, Any?>): ByteArray = Json.bytes(members)

    /** An object; `null` for everything else. */
    @JvmStatic
    fun read(bytes: ByteArray): JsonObject? = Json.objectOf(bytes)
}
