import MienCore
import Testing

@Suite struct IsolatedTextTests {
    @Test(arguments: ["שלום!", "ياهو 2", "Shop (متجر)", "ߞߏ", "\u{1E900}"])
    func `a name with letters of the other direction is kept in one piece`(name: String) {
        #expect(name.isolated == "\u{2068}\(name)\u{2069}")
    }

    @Test(arguments: ["", "Yahoo!", "日本", "Ørsted 2", "Ἀθῆναι", "हिन्दी"])
    func `other names stay as they are`(name: String) { #expect(name.isolated == name) }
}
