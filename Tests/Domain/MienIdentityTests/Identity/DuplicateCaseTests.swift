import MienCore
import MienIdentity
import Testing

@Suite("Cases about probable duplicates")
struct DuplicateCaseTests {
    private typealias Move = (decision: DuplicateDecision, reviewer: AdminID)

    @Test(
        "every sequence of three decisions by three people agrees with an oracle",
        arguments: [false, true])
    func smallWorld(_ second: Bool) {
        let moves: [Move] = DuplicateDecision.allCases.flatMap { decision in
            ReviewCaseTests.people.map { (decision, $0) }
        }
        for first in moves {
            for next in moves {
                for last in moves { check([first, next, last], second) }
            }
        }
    }

    private func check(_ moves: [Move], _ second: Bool) {
        var duplicate = DuplicateCase(id: DuplicateCaseID("dup_1")!, needsSecondReviewer: second)
        var taken: [Move] = []
        for (number, move) in moves.enumerated() {
            // Closed once anyone found a duplicate, or enough different people found none.
            let isClosed =
                taken.contains { $0.decision == .duplicate } || taken.count >= (second ? 2 : 1)
            let isSame = taken.contains { $0.reviewer == move.reviewer }
            let now = Instant(milliseconds: Int64(number))
            do throws(ReviewError) {
                let final = try duplicate.decide(move.decision, by: move.reviewer, at: now)
                #expect(!isClosed && !isSame)
                taken.append(move)
                let ends = move.decision == .duplicate || taken.count == (second ? 2 : 1)
                #expect(final == (ends ? move.decision : nil))
            } catch {
                #expect(error == (isClosed ? .closed : .samePerson) && (isClosed || isSame))
            }
        }
        #expect(duplicate.entries.map(\.reviewer) == taken.map(\.reviewer))
        #expect(duplicate.entries.map(\.decision) == taken.map(\.decision))
    }
}
