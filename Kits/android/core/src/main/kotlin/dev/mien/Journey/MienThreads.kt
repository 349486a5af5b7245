package dev.mien

import java.util.concurrent.Executor
import java.util.concurrent.Executors
import java.util.concurrent.ThreadFactory

/** Where the calls with handlers run, and where handlers are called. */
object MienThreads {
    /** Threads that may wait for a server or a person. */
    @JvmStatic
    @Volatile
    var work: Executor = Executors.newCachedThreadPool(ThreadFactory { Thread(it, "mien").apply { isDaemon = true } })

    /** By default, the thread of the call. On Android, `AndroidDevice.useMainThread()` makes it the main thread. */
    @JvmStatic
    @Volatile
    var results: Executor = Executor { it.run() }

    /** Runs [call] on a thread of its own, and hands over its result or error. */
    @JvmStatic
    fun <T> run(call: () -> T, success: (T) -> Unit, failure: (Exception) -> Unit) = work.execute {
        val tell: () -> Unit = try { call().let { value -> { success(value) } } } catch (error: Exception) { { failure(error) } }
        results.execute { tell() }
    }
}
