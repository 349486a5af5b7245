package dev.mien

/** The person pressed “Cancel”, or left the screens. */
internal class Left : RuntimeException()
