import MienFace
import Testing

@Suite struct PairListTests {
    static let good = "2\t1\nAda\t1\t4\nAda\t1\tBo\t2\n\nBo 3 2\nBo  1  Cy  1\n"

    @Test("folds of mated and impostor pairs are read with tabs or spaces")
    func parses() throws {
        let list = try PairList(Self.good)
        #expect(list.folds.count == 2 && list.pairs.count == 4)
        #expect(
            list.folds[0][0].first == .init(person: "Ada", number: 1)
                && list.folds[0][0].second == .init(person: "Ada", number: 4))
        #expect(list.pairs.map(\.isMated) == [true, false, true, false])
        #expect(list.folds[1][1].second == .init(person: "Cy", number: 1))
    }

    @Test("one number in the header means one fold")
    func oneFold() throws {
        #expect(try PairList("1\r\nAda\t1\t4\r\nAda\t1\tBo\t2\r\n").folds.count == 1)
    }

    @Test(
        "an error names the line",
        arguments: [
            ("", PairListError.header(line: 1)),
            ("\n\n", .header(line: 1)),
            ("two 1\n", .header(line: 1)),
            ("1 2 3\n", .header(line: 1)),
            ("0 300\n", .header(line: 1)),
            ("1 -1\n", .header(line: 1)),
            ("1 1\nAda 1\nAda 1 Bo 2", .columns(line: 2, count: 2)),
            ("1 1\nAda 1 2\n\nAda 1 Bo 2 3", .columns(line: 4, count: 5)),
            ("1 1\nAda 1 x\nAda 1 Bo 2", .number(line: 2)),
            ("1 1\nAda 1 2\nAda 0 Bo 2", .number(line: 3)),
            ("1 1\nAda 1 2\nAda 1 Ada 2", .samePerson(line: 3)),
            ("1 1\nAda 1 Bo 2\nAda 1 2", .kind(line: 2, expectedMated: true)),
            ("1 1\nAda 1 2\nAda 1 3", .kind(line: 3, expectedMated: false)),
            ("1 2\nAda 1 2\nAda 1 Bo 2", .count(expected: 4, got: 2)),
        ])
    func errors(text: String, expected: PairListError) {
        #expect(throws: expected) { try PairList(text) }
        // Descriptions are for people, so they contain no case names or associated values.
        let words = "\(expected)"
        #expect(
            !words.contains("(") && !words.contains("expected:") || words.contains("1,000"),
            "\(words)")
        #expect(words.contains("line") && words.contains(" "))
    }
}
