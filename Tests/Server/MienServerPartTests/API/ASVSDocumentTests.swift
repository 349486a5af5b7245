import Foundation
import Testing

/// Checks that docs/asvs.md has a row for every requirement, and that its evidence exists.
@Suite struct ASVSDocumentTests {
    /// The requirements of levels 1 and 2 in OWASP ASVS 5.0.0, by section. A number with `*` is
    /// level 1. Missing numbers are level 3.
    private static let requirements = """
        1.1 1 2
        1.2 1* 2* 3* 4* 5* 6 7 8 9
        1.3 1* 2* 3 4 5 6 7 8 9 10 11
        1.4 1 2 3
        1.5 1* 2
        2.1 1* 2 3
        2.2 1* 2* 3
        2.3 1* 2 3 4
        2.4 1
        3.2 1* 2*
        3.3 1* 2 3 4
        3.4 1* 2* 3 4 5 6
        3.5 1* 2* 3* 4 5
        3.7 1 2
        4.1 1* 2 3
        4.2 1
        4.3 1 2
        4.4 1* 2 3 4
        5.1 1
        5.2 1* 2* 3
        5.3 1* 2*
        5.4 1 2 3
        6.1 1* 2 3
        6.2 1* 2* 3* 4* 5* 6* 7* 8* 9 10 11 12
        6.3 1* 2* 3 4
        6.4 1* 2* 3 4
        6.5 1 2 3 4 5
        6.6 1 2 3
        6.8 1 2 3 4
        7.1 1 2 3
        7.2 1* 2* 3* 4*
        7.3 1 2
        7.4 1* 2* 3 4 5
        7.5 1 2
        7.6 1 2
        8.1 1* 2
        8.2 1* 2* 3
        8.3 1*
        8.4 1
        9.1 1* 2* 3*
        9.2 1* 2 3 4
        10.1 1 2
        10.2 1 2
        10.3 1 2 3 4
        10.4 1* 2* 3* 4* 5* 6 7 8 9 10 11
        10.5 1 2 3 4 5
        10.6 1 2
        10.7 1 2 3
        11.1 1 2
        11.2 1 2 3
        11.3 1* 2* 3
        11.4 1* 2 3 4
        11.5 1
        11.6 1
        12.1 1* 2 3
        12.2 1* 2*
        12.3 1 2 3 4
        13.1 1
        13.2 1 2 3 4 5
        13.3 1 2
        13.4 1* 2 3 4 5
        14.1 1 2
        14.2 1* 2 3 4
        14.3 1* 2 3
        15.1 1* 2 3
        15.2 1* 2 3
        15.3 1* 2 3 4 5 6 7
        16.1 1
        16.2 1 2 3 4 5
        16.3 1 2 3 4
        16.4 1 2 3
        16.5 1 2 3
        17.1 1
        17.2 1 2 3 4
        17.3 1 2
        """

    private struct Row {
        let number, level, requirement, status, evidence: String
    }

    private static func rows() throws -> [Row] {
        try TestReferences.page("asvs.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count > 1, cells[1].wholeMatch(of: /\d+\.\d+\.\d+/) != nil else {
                return nil
            }
            try #require(cells.count == 7, "\(line)")
            return Row(
                number: cells[1], level: cells[2], requirement: cells[3], status: cells[4],
                evidence: cells[5])
        }
    }

    @Test func `every requirement of levels 1 and 2 has one row, in the standard's order`() throws {
        let expected = Self.requirements.split(separator: "\n").flatMap { line -> [String] in
            let words = line.split(separator: " ")
            return words.dropFirst().map {
                $0.hasSuffix("*")
                    ? "\(words[0]).\($0.dropLast()) level 1" : "\(words[0]).\($0) level 2"
            }
        }
        #expect(
            expected.count == 253 && expected.count { $0.hasSuffix("1") } == 70,
            "the number of requirements in the standard")
        #expect(try Self.rows().map { "\($0.number) level \($0.level)" } == expected)
    }

    @Test func `each row has a status and a reason, and the totals match the rows`() throws {
        let rows = try Self.rows(),
            counts = Dictionary(rows.map { ($0.status, 1) }, uniquingKeysWith: +)
        #expect(Set(counts.keys).isSubset(of: ["met", "part", "gap", "n/a"]))
        for row in rows {
            #expect(!row.requirement.isEmpty && row.evidence.count > 5, "\(row.number)")
        }
        func count(_ status: String) -> Int { counts[status] ?? 0 }
        let totals =
            "**Totals: \(count("met")) met, \(count("part")) partly met, \(count("gap")) not met, \(count("n/a")) not applicable.**"
        #expect(
            try TestReferences.page("asvs.md").contains(totals),
            "docs/asvs.md should say: \(totals)")
    }

    @Test func `every test and file named as evidence exists, and nothing is met without evidence`()
        throws
    {
        let references = try TestReferences()
        for row in try Self.rows() {
            let (named, missing) = references.check(row.evidence)
            #expect(missing.isEmpty, "\(row.number)")
            #expect(
                row.status != "met" || named > 0 || row.evidence.contains("]("),
                "\(row.number) is met without evidence")
        }
        #expect(TestReferences.brokenLinks(in: try TestReferences.page("asvs.md")) == [])
    }

    @Test
    func
        `the page of other products' vulnerabilities names tests that exist, and a source for each row`()
        throws
    {
        let page = try TestReferences.page("vulnerabilities-elsewhere.md"),
            rows = page.split(separator: "\n").filter { $0.hasPrefix("| [") }
        let (named, missing) = try TestReferences().check(page)
        #expect(rows.count >= 50 && named >= 30 && missing.isEmpty)
        #expect(rows.allSatisfy { $0.contains("](https://") }, "each has a source")
        #expect(TestReferences.brokenLinks(in: page) == [])
    }
}
