package dev.mien

/**
 * The clock for lifetimes: milliseconds since any fixed moment. Nobody sets it. Java's stops while an Android device sleeps, so
 * `AndroidDevice` puts `SystemClock.elapsedRealtime` in its place.
 */
object DeviceClock {
    @JvmStatic
    @Volatile
    var elapsed: () -> Long = { System.nanoTime() / 1_000_000 }
}
