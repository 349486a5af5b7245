package dev.mien

import java.util.Locale

// The functions of Kotlin's library for these have changed their names since 1.3.

@Suppress("PLATFORM_CLASS_MAPPED_TO_KOTLIN")
internal fun lower(text: String): String = (text as java.lang.String).toLowerCase(Locale.ROOT)

@Suppress("PLATFORM_CLASS_MAPPED_TO_KOTLIN")
internal fun upper(text: String): String = (text as java.lang.String).toUpperCase(Locale.ROOT)

/** The UTF-16 unit. */
internal val Char.number: Int get() = this - '\u0000'

internal fun utf8(text: String): ByteArray = text.toByteArray(Charsets.UTF_8)

internal fun text(bytes: ByteArray): String = String(bytes, Charsets.UTF_8)

private val lineBreaks = setOf('\u2028', '\u2029')
private val turns = setOf('\u061c', '\u200e', '\u200f')

/** A server's words, for an exception. */
internal fun printable(text: String): String = text.take(500).filter { it.toString().isPrintable }

/** Whether a text contains neither controls, nor line breaks, nor characters that turn the direction of others. */
internal val String.isPrintable: Boolean
    get() = none { it < ' ' || it in '\u007f'..'\u009f' || it in lineBreaks || it in turns || it in '\u202a'..'\u202e' || it in '\u2066'..'\u2069' }
