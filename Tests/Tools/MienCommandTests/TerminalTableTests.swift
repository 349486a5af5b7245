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
}
