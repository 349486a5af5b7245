package dev.mien.android

import dev.mien.CoreTests
import dev.mien.MienHandler
import dev.mien.MienException
import dev.mien.MienServiceResponse
import dev.mien.Testing
import dev.mien.fake.Phone
import java.io.File
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess

fun main(words: Array<String>) {
    CoreTests.register()
    KeyTests.register()
    StorageTests.register()
    PageTests.register()
    CameraTests.register()
    GuideTests.register()
    FlowTests.register()
    SampleTests.register()
    val (passed, failed, skipped) = Testing.run(words.toList())
    Servers.stop()
    System.getenv("MIEN_SHOWN")?.let { File(it).writeText(Testing.shown.joinToString("\n")) }
    println("$passed passed, $failed failed" + (if (skipped > 0) ", $skipped skipped" else ""))
    exitProcess(if (failed == 0) 0 else 1)
}

/** A phone of its own for each test. */
internal fun test(name: String, vararg shows: String, body: () -> Unit) = Testing.test(name, *shows) {
    val folder = File.createTempFile("mien-phone", "").also {
        it.delete()
        it.mkdirs()
    }
    Phone.reset(folder)
    try { body() } finally { folder.deleteRecursively() }
    Testing.expect(Phone.crashes.isEmpty()) { "the main thread: ${Phone.crashes}" }
}

/** A result that comes on the main thread. */
internal class Awaited<T> {
    private val results = LinkedBlockingQueue<Any>()

    fun succeed(value: T) {
        Testing.expect(android.os.Looper.myLooper() === android.os.Looper.getMainLooper()) { "a callback on another thread" }
        results.add(Holder(value))
    }

    fun fail(error: Throwable) { results.add(error) }

    fun get(seconds: Long = 60): T = poll(seconds * 1000) ?: throw Testing.Failure("no result came")

    /** `null` if none has come in time. */
    fun poll(milliseconds: Long): T? {
        val found = results.poll(milliseconds, TimeUnit.MILLISECONDS) ?: return null
        if (found is Throwable) throw found
        @Suppress("UNCHECKED_CAST")
        return (found as Holder<T>).value
    }

    private class Holder<T>(val value: T)
}

internal class AwaitedStep : MienHandler {
    private val awaited = Awaited<MienServiceResponse>()
    override fun success(response: MienServiceResponse) = awaited.succeed(response)
    override fun error(error: MienException) = awaited.fail(error)
    fun get() = awaited.get()
}

/** Servers that tests share. */
internal object Servers {
    private val running = HashMap<Map<String, String>, Server>()

    fun with(settings: Map<String, String> = emptyMap()): Server = running.getOrPut(settings) { Server(settings) }
    fun stop() = running.values.forEach { it.stop() }
}
