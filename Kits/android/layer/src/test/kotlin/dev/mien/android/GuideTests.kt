package dev.mien.android

import dev.mien.Testing
import dev.mien.Testing.expect
import java.io.File

/** The Kotlin and Java of the documentation is code that the tests compile. */
internal object GuideTests {
    private fun words(text: String) = text.filter { !it.isWhitespace() }

    fun register() {
        Testing.test("guides: every block of Kotlin and Java in the documentation is compiled") {
            val root = File(System.getenv("MIEN_REPOSITORY"))
            val sources = listOf("Kits/android/layer/src/test", "Examples/Android").flatMap { File(root, it).walk().toList() }.filter { it.extension == "kt" || it.extension == "java" }
                .map { words(it.readText()) }
            val block = Regex("```(kotlin|java)\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            var count = 0
            for (page in File(root, "docs").walk().filter { it.extension == "md" }) {
                for (found in block.findAll(page.readText())) {
                    count++
                    val code = words(found.groupValues[2])
                    expect(sources.any { code in it }) { "${page.name}: ${found.groupValues[2].lines()[0]}" }
                }
            }
            expect(count >= 8) { "$count blocks" }
        }
    }
}
