import MienCore
import Testing

@Suite("Suggestions for misspelled words")
struct SuggestionTests {
    @Test(
        "an insertion, a deletion, a substitution, a swap, and another case lead to the word",
        arguments: [
            ("prot", "port"), ("pot", "port"), ("poort", "port"), ("pork", "port"),
            ("PORT", "port"),
            ("enrol", "enroll"), ("verfiy", "verify"), ("tls.kye", "tls.key"),
        ])
    func near(word: String, meant: String) {
        let words = ["port", "host", "tls.key", "enroll", "verify"]
        #expect(Suggestion.nearest(to: word, among: words) == meant)
        #expect(Suggestion.text(for: word, among: words) == "; did you mean “\(meant)”?")
    }

    @Test("an unrelated or empty word leads to none", arguments: ["webhook", "x", "", "zzzz"])
    func far(word: String) {
        #expect(Suggestion.nearest(to: word, among: ["port", "host"]) == nil)
        #expect(Suggestion.text(for: word, among: ["port", "host"]) == "")
    }

    @Test("a long word is compared only as far as its first 64 characters")
    func long() {
        let long = String(repeating: "p", count: 100_000)
        #expect(Suggestion.nearest(to: long, among: ["port"]) == nil)
        #expect(Suggestion.nearest(to: "port", among: [long, "prot"]) == "prot")
    }
}
