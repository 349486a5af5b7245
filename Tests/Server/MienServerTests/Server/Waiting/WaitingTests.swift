import Foundation
import MienTesting
import Testing

/// Everything that waits belongs to an account, an app, and an organization by IDs that are never
/// used again, and ends with any change that would have prevented it.
@Suite("What waits", .enabled(if: Installed.isThere, Installed.reason))
struct WaitingTests {
    @Test(
        "what waits ends with its account, app, or organization, and never acts for another one",
        arguments: WaitingCell.all)
    func cell(_ cell: WaitingCell) async throws {
        let answers = try await WaitingAnswers.shared.after(cell.change)
        let answer = try #require(answers.byThing[cell.waiting])
        #expect(answer == (cell.waiting.ends.contains(cell.change) ? nil : answers.user))
    }

    @Test("the threat model has the table that these tests check")
    func table() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/threat-model.md"), encoding: .utf8)
        let table =
            ([
                AccountChange.heading,
                "|---|" + AccountChange.allCases.map { _ in "---|" }.joined(),
            ] + Waiting.allCases.map(\.row)).joined(separator: "\n")
        #expect(page.contains(table), "docs/threat-model.md needs this table:\n\(table)")
    }
}
