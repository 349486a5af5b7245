package dev.mien

/** A few lines in place of a test library, which Debian has none of for this Kotlin. */
object Testing {
    class Failure(message: String) : Exception(message)
    class Skip(reason: String) : Exception(reason)

    private class Test(val name: String, val shows: List<String>, val body: () -> Unit)

    private val tests = ArrayList<Test>()

    /** The capabilities of docs/kits.md that passed tests have shown. */
    val shown = java.util.TreeSet<String>()

    fun test(name: String, vararg shows: String, body: () -> Unit) { tests.add(Test(name, shows.toList(), body)) }

    fun expect(condition: Boolean, what: () -> String = { "" }) {
        if (!condition) throw Failure("not as expected: ${what()}")
    }

    fun <T> expectEqual(found: T, expected: T) { if (found != expected) throw Failure("found $found, expected $expected") }

    inline fun <reified E : Throwable> expectThrows(body: () -> Unit): E {
        try { body() } catch (error: Throwable) {
            return error as? E ?: throw error
        }
        throw Failure("nothing was thrown")
    }

    fun expectError(code: MienException.Code, body: () -> Unit): MienException =
        expectThrows<MienException>(body).also { expectEqual(it.code, code) }

    fun skip(reason: String): Nothing = throw Skip(reason)

    /** Runs the tests whose names contain one of the words, or all. Returns whether none failed. */
    fun run(words: List<String>): Triple<Int, Int, Int> {
        var (passed, failed, skipped) = Triple(0, 0, 0)
        for (test in tests) {
            if (words.isNotEmpty() && words.none { test.name.contains(it, ignoreCase = true) }) continue
            val began = System.nanoTime()
            try {
                test.body()
                passed++
                shown += test.shows
                println("✔ ${test.name} (${(System.nanoTime() - began) / 1_000_000} ms)")
            } catch (reason: Skip) {
                skipped++
                println("– ${test.name}: ${reason.message}")
            } catch (error: Throwable) {
                failed++
                println("✘ ${test.name}")
                val frames = error.stackTrace.filter { it.className.startsWith("dev.mien") }.take(8)
                println("    $error" + frames.joinToString("") { "\n      at $it" })
            }
        }
        return Triple(passed, failed, skipped)
    }
}
