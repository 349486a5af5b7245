package dev.mien

import java.util.Locale

/** The words of the capture screens: those of the server's pages, in the person's language. */
class Texts private constructor(val language: String, private val texts: Map<String, Any?>) {
    /** A text with `{placeholders}` replaced. A missing one shows its key. */
    @JvmOverloads
    fun text(key: String, values: Map<String, String> = emptyMap()): String {
        var text = texts[key] as? String ?: return key
        for ((name, value) in values) text = text.replace("{$name}", value)
        return text
    }

    fun has(key: String) = key in texts

    /** The first of these texts that there is. */
    internal fun firstOf(vararg keys: String): String = text(keys.firstOrNull { has(it) } ?: keys.last())

    val isRightToLeft: Boolean get() = language == "ar"

    companion object {
        private val languages = listOf("en", "es", "ar")

        /** English where there is no translation. */
        @JvmStatic
        fun of(locale: Locale): Texts {
            val language = locale.language.takeIf { it in languages } ?: "en"
            return read(language) ?: Texts("en", emptyMap())
        }

        private fun read(language: String): Texts? {
            val bytes = Texts::class.java.getResourceAsStream("/dev/mien/languages/$language.json")?.use { it.readBytes() } ?: return null
            return Json.objectOf(bytes)?.optJSONObject("texts")?.let { Texts(language, it) }
        }
    }
}
