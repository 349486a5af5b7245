package dev.mien.android

import dev.mien.CancelException
import java.util.concurrent.LinkedBlockingQueue

/** The visit in progress: one at a time. */
internal object Visits {
    private var current: LinkedBlockingQueue<Any>? = null

    @Synchronized
    fun begin(visit: LinkedBlockingQueue<Any>) {
        current?.add(CancelException("Another page was opened."))
        current = visit
    }

    @Synchronized
    fun end(result: Any) {
        current?.add(result)
        current = null
    }
}
