import MienTools
import Testing

@Suite struct TerminalTableTests {
    @Test func `columns stay in order and aligned beside a name of the other direction`() {
        let table = Terminal.table(
            [["1", "שלום!", "active"], ["2", "Yahoo!", "closed"]], heading: ["id", "name", "state"])
        #expect(
            table.split(separator: "\n") == [
                "id  name    state", "──  ──────  ──────",
                "1   \u{2068}שלום!\u{2069}   active", "2   Yahoo!  closed",
            ])
    }

    @Test func `a name cannot end its isolation`() {
        #expect(Terminal.table([["א\u{2069}b"]]) == "\u{2068}א\u{FFFD}b\u{2069}")
    }

    @Test
    func `a name in a sentence stays in one piece, also in an error, and plain names as they are`()
    {
        let sentence = "“\("שלום!".inSentence)” is now owner, Ada is not."
        #expect(sentence == "“\u{2068}שלום!\u{2069}” is now owner, Ada is not.")
        #expect("Ada".inSentence == "Ada")
        #expect(Failure(.badInput, "name.unknown", sentence).message == sentence)
        let two = "\("א".inSentence)\t\("ב".inSentence)\n\("ג".inSentence)"
        #expect(Terminal.safe(two) == two.replacing("\t", with: "\u{FFFD}"))
    }

    @Test func `isolation that does not end in its line, and what it contains, is made visible`() {
        let (start, end, shown) = ("\u{2068}", "\u{2069}", "\u{FFFD}")
        for (text, expected) in [
            ("a\(start)b", "a\(shown)b"), ("a\(end)b\(start)c", "a\(shown)b\(shown)c"),
            ("\(start)a\nb\(end)", "\(shown)a\nb\(shown)"),
            ("\(start)a\(end)b\(end)", "\(start)a\(end)b\(shown)"),
            ("\(start)a\(start)b\(end)", "\(start)a\(shown)b\(end)"),
            ("\(start)\u{1B}[2J\u{202E}\(end)", "\(start)\(shown)[2J\(shown)\(end)"),
        ] { #expect(Terminal.safe(text) == expected) }
    }
}
