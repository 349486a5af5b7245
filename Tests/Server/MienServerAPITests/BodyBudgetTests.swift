import Testing

@testable import MienServer
@testable import MienServerCore

@Suite struct BodyBudgetTests {
    @Test func `small bodies always fit; large ones share the budget and give it back`() throws {
        let budget = BodyBudget(maxBytes: 100)
        var small = (0..<50).map { _ in budget.share() }
        for share in small { try share.take(BodyBudget.free) }
        var large: BodyBudget.Share? = budget.share()
        // In parts, across the limit of the free budget.
        try large?.take(BodyBudget.free - 10)
        try large?.take(60)
        try large?.take(30)
        #expect(throws: ServerBusy.self) { try small[0].take(21) }
        try small[1].take(20)
        #expect(throws: ServerBusy.self) { try large?.take(1) }
        large = nil
        try small[0].take(80)
        #expect(throws: ServerBusy.self) { try small[2].take(1) }
        small = []
        try budget.share().take(BodyBudget.free + 100)
    }
}
