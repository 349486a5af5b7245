import MienAPI
import MienCore
import MienSimulation
import MienTesting
import Testing

/// Histories of limits, leases, messages, and captures that must be refused, each beside one that is
/// right.
@Suite struct WrongSharedHistoryTests {
    // MARK: Limits

    private let limits = LinearizabilityChecker(
        TokenBucketModel(burst: 2, intervalMicroseconds: 100_000))

    private func take(at time: Int64) -> TokenBucketModel.Call {
        TokenBucketModel.Call("a", .take(at: time))
    }

    @Test func `a token that two clients took`() {
        let right: History<TokenBucketModel.Call, TokenBucketModel.Reply> = history(
            (1, 0, 9, take(at: 1000), .granted), (2, 0, 9, take(at: 1000), .granted),
            (3, 0, 9, take(at: 1000), .refused), (4, 10, 11, take(at: 1100), .granted))
        #expect(limits.check(right).isLinearizable)
        #expect(limits.check(right.answering(2, .granted)).isViolation, "a third token")
        #expect(limits.check(right.answering(3, .refused)).isViolation, "the bucket fills")
        #expect(limits.check(right.answering(0, .refused)).isViolation, "a token for nobody")
    }

    @Test func `a token that a power loss gave back is granted again, and others are not`() {
        let restore = TokenBucketModel.Call("a", .restore(fullAt: 1_100_000))
        let right: History<TokenBucketModel.Call, TokenBucketModel.Reply> = history(
            (1, 0, 1, take(at: 1000), .granted), (2, 2, 3, take(at: 1000), .granted),
            (0, 4, 5, restore, .restored), (3, 6, 7, take(at: 1000), .granted),
            (3, 8, 9, take(at: 1000), .refused))
        #expect(limits.check(right).isLinearizable)
        #expect(limits.check(right.answering(4, .granted)).isViolation)
        #expect(limits.check(right.without(2)).isViolation)
    }

    @Test func `servers that admit more than one bucket together`() {
        let bound = RateBound(burst: 2, interval: 100, clockDifference: 0)
        #expect(bound.violation(of: [0, 0, 100, 200]) == nil)
        #expect(bound.violation(of: [0, 0, 99]) != nil)
        #expect(bound.violation(of: [0, 0, 100, 199]) != nil)
        #expect(bound.violation(of: [199, 0, 100, 0]) != nil, "in any order")
        #expect(
            bound.violation(of: [0, 1000, 1000, 1050]) != nil,
            "what flowed in before does not pile up")
        let apart = RateBound(burst: 2, interval: 100, clockDifference: 100)
        #expect(apart.violation(of: [0, 0, 0]) == nil, "once, what flows in during the difference")
        #expect(apart.violation(of: [0, 0, 0, 0]) != nil)
        #expect(apart.violation(of: [0, 0, 0, 50, 99]) != nil, "not again and again")
        #expect(bound.violation(of: [0, 0, 20], returned: [(at: 10, tokens: 1)]) == nil)
        #expect(bound.violation(of: [0, 0, 20, 20], returned: [(at: 10, tokens: 1)]) != nil)
        #expect(bound.violation(of: [50, 50, 60], returned: [(at: 10, tokens: 1)]) != nil)
        let held = RateBound(burst: 2, interval: 100, clockDifference: 0, holdTime: 40)
        #expect(held.violation(of: [50, 50, 60], returned: [(at: 10, tokens: 1)]) == nil)
        #expect(held.violation(of: [50, 50, 60], returned: [(at: 9, tokens: 1)]) != nil)
    }

    // MARK: Leases

    @Test func `a holder that commits after its lease has passed on`() {
        func log(_ commits: (String, Int64)...) -> FencedLog {
            FencedLog(commits.map { FencedLog.Commit(holder: $0, fence: $1) })
        }
        #expect(log().violation == nil)
        #expect(log(("a", 1), ("a", 1), ("b", 2), ("a", 4)).violation == nil)
        #expect(log(("a", 1), ("b", 2), ("a", 1)).violation != nil, "after another one")
        #expect(log(("a", 1), ("b", 1)).violation != nil, "under one number")
        #expect(log(("a", 3), ("a", 2)).violation != nil, "under an earlier lease of its own")
    }

    // MARK: Messages

    private typealias Send = DeliveryHistory.Send

    /// A message that a server died with, and another one delivered.
    private func delivered() -> DeliveryHistory {
        var history = DeliveryHistory(claimTime: 1000)
        (history.causes, history.acknowledged, history.ended) = ([7, 8], [7], [7])
        history.sends = [
            Send(cause: 7, id: "a", claim: 1, began: 0),
            Send(cause: 7, id: "a", claim: 2, began: 1000, result: .delivered),
        ]
        history.waiting = [8]
        return history
    }

    @Test func `a message that is lost`() {
        #expect(delivered().violation == nil)
        var history = delivered()
        history.waiting = []
        #expect(history.violation != nil, "gone, and never sent")
        history = delivered()
        history.sends[1].result = nil
        #expect(history.violation != nil, "gone, and not delivered")
        history = delivered()
        history.acknowledged = [7, 9]
        #expect(history.violation != nil, "a cause that was acknowledged")
    }

    @Test func `a message that should not be there`() {
        var history = delivered()
        history.causes = [8]
        history.acknowledged = []
        #expect(history.violation != nil, "its cause was undone")
        history = delivered()
        history.waiting = [7, 8]
        #expect(history.violation != nil, "it has ended")
        history = delivered()
        history.ended = [7, 7]
        #expect(history.violation != nil, "it ended twice")
    }

    @Test func `a message that two servers send at once, or under two names`() {
        var history = delivered()
        history.sends[1] = Send(cause: 7, id: "a", claim: 2, began: 999, result: .delivered)
        #expect(history.violation != nil, "the claim of the first one holds")
        history.sends[0].result = .postponed
        #expect(history.violation == nil, "unless it was given back")
        history = delivered()
        history.sends[1] = Send(cause: 7, id: "a", claim: 1, began: 5000, result: .delivered)
        #expect(history.violation != nil, "two under one claim")
        history = delivered()
        history.sends[1] = Send(cause: 7, id: "b", claim: 2, began: 1000, result: .delivered)
        #expect(history.violation != nil, "another ID")
    }

    // MARK: Captures

    private let captures = LinearizabilityChecker(LiveCaptureModel())

    private func call(_ action: LiveCaptureModel.Action) -> LiveCaptureModel.Call {
        LiveCaptureModel.Call("c", action)
    }

    @Test func `a capture that two servers have`() {
        let right: History<LiveCaptureModel.Call, LiveCaptureModel.Reply> = history(
            (1, 0, 9, call(.begin(1)), .done), (2, 10, 11, call(.interrupt), .done),
            (2, 12, 13, call(.reopen), .done), (2, 14, 15, call(.begin(2)), .done),
            (2, 16, 17, call(.end(2)), .done), (0, 18, 19, call(.isOpen), .isOpen(false)))
        #expect(captures.check(right).isLinearizable)
        #expect(captures.check(right.without(1)).isViolation, "begun while another one has it")
        #expect(captures.check(right.without(2)).isViolation, "begun without being opened again")
        #expect(captures.check(right.answering(5, .isOpen(true))).isViolation, "its end is lost")
        #expect(captures.check(right.without(0)).isViolation, "interrupted before it began")
        #expect(
            captures.check(
                history((1, 0, 9, call(.begin(1)), .done), (2, 0, 9, call(.begin(2)), .done))
            ).isViolation, "two at once")
    }

    @Test func `a capture that a server ends after it has lost it`() {
        for late in [LiveCaptureModel.Action.end(1), .expire, .interrupt] {
            let last = late == .end(1) ? LiveCaptureModel.Action.end(2) : late
            #expect(
                captures.check(
                    history(
                        (1, 0, 1, call(.begin(1)), .done), (2, 2, 3, call(.interrupt), .done),
                        (2, 4, 5, call(.reopen), .done), (2, 6, 7, call(.begin(2)), .done),
                        (1, 8, 9, call(last), .done), (1, 10, 11, call(late), .done))
                ).isViolation)
        }
        #expect(
            captures.check(
                history(
                    (1, 0, 1, call(.begin(1)), .done), (2, 2, nil, call(.interrupt), .done),
                    (1, 4, 5, call(.end(1)), .done))
            ).isLinearizable, "the interruption of unknown outcome had no effect")
    }
}
