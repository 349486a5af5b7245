import Testing

@testable import MienServer

@Suite struct BodyBudgetTests {
    @Test func `small bodies always fit; large ones share the budget and give it back`() throws {
        let budget = BodyBudget(maxBytes: 400)
        func share() -> BodyBudget.Share { budget.share(for: nil, of: "a") }
        var small = (0..<50).map { _ in share() }
        for share in small { try share.take(BodyBudget.free) }
        var large: BodyBudget.Share? = share()
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
        try share().take(BodyBudget.free + 100)
    }

    @Test func `a network gets a quarter of what the others leave, and all of it back`() throws {
        let budget = BodyBudget(maxBytes: 64_000)
        var held: [BodyBudget.Share] = []
        // However many addresses take what they can, the next one gets some.
        for (address, room) in [("a", 16_000), ("b", 12_000), ("c", 9_000), ("d", 6_750)] {
            let share = budget.share(for: nil, of: address)
            try share.take(BodyBudget.free + room)
            held.append(share)
            for address in [address, "a"] {
                #expect(throws: ServerBusy.self) {
                    try budget.share(for: nil, of: address).take(BodyBudget.free + 1)
                }
            }
        }
        held = []
        for address in ["a", "e"] {
            let share = budget.share(for: nil, of: address)
            try share.take(BodyBudget.free + 12_000)
            held.append(share)
        }
    }

    @Test func `a later large body of a token ends the one that is being received`() throws {
        let budget = BodyBudget(maxBytes: 4_000), large = BodyBudget.free + 10
        let first = budget.share(for: "t", of: "a"), other = budget.share(for: "u", of: "a")
        try first.take(large)
        try other.take(large)
        // A small body holds nothing that counts.
        try budget.share(for: "t", of: "b").take(10)
        try first.take(10)
        var second: BodyBudget.Share? = budget.share(for: "t", of: "b")
        try second?.take(large)
        #expect(throws: CancellationError.self) { try first.take(10) }
        try other.take(10)
        try second?.take(10)
        second = nil
        // The first one's end does not end a third one.
        let third = budget.share(for: "t", of: "a")
        try third.take(large)
        first.received()
        try third.take(10)
        // A body that has arrived is worked on to the end.
        third.received()
        let fourth = budget.share(for: "t", of: "a")
        try fourth.take(large)
        try third.take(10)
    }
}
