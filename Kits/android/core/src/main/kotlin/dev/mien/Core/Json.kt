package dev.mien

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/**
 * An object of JSON. Its values are `null`, [Boolean], [Long], [Double], [String], [List], and [JsonObject].
 *
 * [optString] and [optJSONObject] are named as in `org.json`, which only Android has. It may contain tokens, so only the names
 * of its members are printed.
 */
class JsonObject(private val members: Map<String, Any?>) : Map<String, Any?> by members {
    /** A text; `null` if there is none. */
    fun string(name: String): String? = members[name] as? String

    /** A text; empty if there is none. */
    fun optString(name: String): String = string(name) ?: ""

    fun optJSONObject(name: String): JsonObject? = members[name] as? JsonObject

    fun number(name: String): Double? = (members[name] as? Number)?.toDouble()

    fun integer(name: String): Long? = members[name] as? Long

    fun boolean(name: String): Boolean? = members[name] as? Boolean

    /** An array; `null` if there is none. */
    fun list(name: String): List<Any?>? = members[name] as? List<*>

    /** The texts of an array; empty if there is none. */
    fun strings(name: String): List<String> = list(name)?.mapNotNull { it as? String } ?: emptyList()

    override fun equals(other: Any?) = members == other
    override fun hashCode() = members.hashCode()
    override fun toString() = members.keys.sorted().joinToString(", ", "{", "}")
}

/**
 * Data of an answer that has a class of its own: its members are sent, without reflection.
 *
 *     class IDVResult(val session: String, val state: String) : MienData {
 *         override fun members() = mapOf("payload" to mapOf("sessionId" to session, "state" to state))
 *     }
 */
interface MienData {
    /** Values as of a [JsonObject], and maps, numbers, [Sensitive], and other [MienData]. */
    fun members(): Map<String, Any?>
}

/** Reads and writes JSON. */
internal object Json {
    private const val MAX_DEPTH = 32

    class Malformed : Exception("malformed JSON")

    fun parse(text: String): Any? = Reader(text).document()

    /** An object; `null` for everything else. */
    fun objectOf(bytes: ByteArray): JsonObject? =
        try { parse(decoded(bytes)) as? JsonObject } catch (_: Malformed) { null }

    /** Refuses bytes that are not UTF-8, which [text] replaces. */
    private fun decoded(bytes: ByteArray): String =
        try { Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString() } catch (_: CharacterCodingException) { throw Malformed() }

    /** Writes members in the order of their names, without spaces: signatures cover this form. */
    fun write(value: Any?): String = StringBuilder().also { write(value, it) }.toString()

    fun bytes(value: Any?): ByteArray = utf8(write(value))

    private fun write(value: Any?, out: StringBuilder) {
        when (value) {
            null -> out.append("null")
            is Boolean -> out.append(value)
            is String -> quote(value, out)
            is Sensitive<*> -> value.use { write(it, out) }
            is MienData -> write(value.members(), out)
            is Double, is Float -> number((value as Number).toDouble(), out)
            is Number -> out.append(value.toLong())
            is Map<*, *> -> {
                var separator = '{'
                if (value.isEmpty()) out.append(separator)
                for ((name, member) in value.entries.sortedWith(Comparator { a, b -> compare(a.key as String, b.key as String) })) {
                    out.append(separator)
                    separator = ','
                    quote(name as String, out)
                    out.append(':')
                    write(member, out)
                }
                out.append('}')
            }
            is Iterable<*> -> {
                out.append('[')
                value.forEachIndexed { i, element ->
                    if (i > 0) out.append(',')
                    write(element, out)
                }
                out.append(']')
            }
            else -> throw MienException(
                MienException.Code.CLIENT_RESPONSE_NOT_VALID,
                "The data contains a ${value.javaClass.simpleName}. Use texts, numbers, booleans, lists, maps, or MienData.")
        }
    }

    /** As Unicode orders texts, which UTF-16 does not. */
    private fun compare(a: String, b: String): Int {
        var i = 0
        while (i < a.length && i < b.length) {
            val x = a.codePointAt(i)
            val y = b.codePointAt(i)
            if (x != y) return x.compareTo(y)
            i += Character.charCount(x)
        }
        return a.length.compareTo(b.length)
    }

    private fun number(value: Double, out: StringBuilder) {
        if (value == Math.rint(value) && Math.abs(value) < 9e15) out.append(value.toLong())
        else if (value.isNaN() || value.isInfinite()) out.append("null")
        else out.append(value)
    }

    private fun quote(value: String, out: StringBuilder) {
        out.append('"')
        for (unit in value) {
            when {
                unit == '"' -> out.append("\\\"")
                unit == '\\' -> out.append("\\\\")
                unit == '\n' -> out.append("\\n")
                unit == '\r' -> out.append("\\r")
                unit == '\t' -> out.append("\\t")
                unit < ' ' -> out.append("\\u").append(unit.number.toString(16).padStart(4, '0'))
                else -> out.append(unit)
            }
        }
        out.append('"')
    }

    private class Reader(private val text: String) {
        private var at = 0

        fun document(): Any? {
            val value = value(0)
            space()
            if (at != text.length) throw Malformed()
            return value
        }

        private fun value(depth: Int): Any? {
            if (depth > MAX_DEPTH) throw Malformed()
            space()
            return when (peek()) {
                '{' -> members(depth)
                '[' -> elements(depth)
                '"' -> string()
                't' -> word("true", true)
                'f' -> word("false", false)
                'n' -> word("null", null)
                else -> number()
            }
        }

        private fun members(depth: Int): JsonObject {
            val members = LinkedHashMap<String, Any?>()
            at++
            space()
            if (take('}')) return JsonObject(members)
            do {
                space()
                if (peek() != '"') throw Malformed()
                val name = string()
                space()
                if (!take(':') || name in members) throw Malformed()
                members[name] = value(depth + 1)
                space()
            } while (take(','))
            if (!take('}')) throw Malformed()
            return JsonObject(members)
        }

        private fun elements(depth: Int): List<Any?> {
            val elements = ArrayList<Any?>()
            at++
            space()
            if (take(']')) return elements
            do {
                elements.add(value(depth + 1))
                space()
            } while (take(','))
            if (!take(']')) throw Malformed()
            return elements
        }

        private fun string(): String {
            val out = StringBuilder()
            at++
            while (true) {
                val unit = next()
                when {
                    unit == '"' -> return whole(out)
                    unit == '\\' -> out.append(escaped())
                    unit < ' ' -> throw Malformed()
                    else -> out.append(unit)
                }
            }
        }

        /** Half of a character has no form in UTF-8, so that what is shown and what is signed would differ. */
        private fun whole(text: StringBuilder): String {
            var i = 0
            while (i < text.length) {
                val character = text.codePointAt(i)
                if (character in 0xD800..0xDFFF) throw Malformed()
                i += Character.charCount(character)
            }
            return text.toString()
        }

        private fun escaped(): Char = when (val unit = next()) {
            '"', '\\', '/' -> unit
            'b' -> '\b'
            'f' -> '\u000c'
            'n' -> '\n'
            'r' -> '\r'
            't' -> '\t'
            'u' -> {
                if (at + 4 > text.length) throw Malformed()
                val digits = text.substring(at, at + 4)
                at += 4
                if (!digits.all { it in '0'..'9' || it in 'a'..'f' || it in 'A'..'F' }) throw Malformed()
                digits.toInt(16).toChar()
            }
            else -> throw Malformed()
        }

        private fun number(): Any {
            val found = pattern.find(text, at)
            if (found == null || found.range.first != at || found.value == "") throw Malformed()
            at = found.range.last + 1
            val isWhole = found.value.none { it == '.' || it == 'e' || it == 'E' }
            return (if (isWhole) found.value.toLongOrNull() else null) ?: found.value.toDouble()
        }

        private fun word(word: String, value: Any?): Any? {
            if (!text.startsWith(word, at)) throw Malformed()
            at += word.length
            return value
        }

        private fun space() { while (at < text.length && text[at] in " \t\r\n") at++ }
        private fun peek(): Char = if (at < text.length) text[at] else throw Malformed()
        private fun next(): Char = peek().also { at++ }
        private fun take(unit: Char): Boolean = (at < text.length && text[at] == unit).also { if (it) at++ }
    }

    private val pattern = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
}
