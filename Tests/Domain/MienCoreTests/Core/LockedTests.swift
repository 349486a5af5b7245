import Dispatch
import MienCore
import Testing

@Suite struct LockedTests {
    private struct Failure: Error {}

    @Test func `concurrent increments lose nothing`() {
        let count = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test func `readers never see half of a change`() {
        let pair = Locked((0, 0)), torn = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<5_000 {
                if thread % 2 == 0 {
                    pair.withLock { $0 = ($0.0 + 1, $0.1 + 1) }
                } else if pair.withLock({ $0.0 != $0.1 }) {
                    torn.withLock { $0 += 1 }
                }
            }
        }
        #expect(torn.withLock { $0 } == 0)
        #expect(pair.withLock { $0 } == (20_000, 20_000))
    }

    @Test func `a body that throws releases the lock and keeps its change`() {
        let value = Locked(1)
        #expect(throws: Failure.self) {
            try value.withLock { value throws(Failure) in
                value = 2
                throw Failure()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }

    @Test func `the value is released with its lock`() {
        final class Token: Sendable {}
        weak var seen: Token?
        do {
            let token = Token(), locked = Locked<Token?>(token)
            seen = token
            #expect(locked.withLock { $0 != nil })
        }
        #expect(seen == nil)
    }
}
