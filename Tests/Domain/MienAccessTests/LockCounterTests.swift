import MienAccess
import MienCore
import Testing

@Suite struct LockCounterTests {
    static let policy = try! LockPolicy(failedAttempts: 2, lockoutSeconds: 2, disableAfter: 4)

    /// Every story of up to six steps, against ``Oracle``.
    @Test func `in every short story the counter says what its rules say`() {
        var stories = 0
        func tell(_ world: World, _ story: [Step]) {
            stories += 1
            #expect(
                world.counter.status(at: world.now) == world.oracle.status(at: world.now),
                "\(story)")
            if story.count == 6 { return }
            for step in Step.allCases {
                var next = world
                if next.take(step) { tell(next, story + [step]) }
            }
        }
        tell(World(), [])
        #expect(stories > 30_000)
    }

    @Test func `many guesses at once get no further than as many in a row`() {
        let start = Instant(milliseconds: 1_000_000), face = LockPolicy.face
        var counter = LockCounter()
        #expect(
            (0..<1000).filter { _ in counter.begin(under: face, at: start) }.count
                == face.failedAttempts)
        // One more after each lock, until none ever is.
        var now = start, total = face.failedAttempts
        for _ in 0..<200 {
            now = now + .seconds(face.lockoutSeconds)
            total += (0..<10).filter { _ in counter.begin(under: face, at: now) }.count
        }
        #expect(total == face.disableAfter && counter.status(at: now) == .disabled)
        #expect(
            counter.status(at: Instant(milliseconds: .max)) == .disabled, "time does not mend it")
    }

    @Test func `while it is locked nothing is counted and the lock gets no longer`() {
        var counter = LockCounter()
        let now = Instant(milliseconds: 0)
        for _ in 0..<2 { #expect(counter.begin(under: Self.policy, at: now) == true) }
        let locked = counter
        #expect(
            !counter.begin(under: Self.policy, at: now + .milliseconds(1999)) && counter == locked)
        #expect(
            counter.begin(under: Self.policy, at: now + .milliseconds(2000)) == true,
            "the end of the lock is open")
    }

    @Test func `the end of time does not overflow`() {
        var counter = LockCounter(failures: .max)
        #expect(counter.begin(under: Self.policy, at: Instant(milliseconds: .max)) == true)
        #expect(
            counter.failures == .max && counter.status(at: Instant(milliseconds: .max)) == .disabled
        )
    }

    @Test func `a lock by hand outlasts guesses that were under way`() {
        let now = Instant(milliseconds: 0)
        for end in [
            { $0.succeed(under: Self.policy) }, { $0.abandon(under: Self.policy, begun: now) },
        ] as [(inout LockCounter) -> Void] {
            var counter = LockCounter()
            #expect(counter.begin(under: Self.policy, at: now) == true)
            counter.lock()
            end(&counter)
            #expect(counter.status(at: now) == .disabled)
            counter.unlock()
            #expect(counter == LockCounter())
        }
    }

    @Test func `a guess that was never judged takes its own lock along, not a later one's`() {
        let start = Instant(milliseconds: 0), later = start + .seconds(2)
        var counter = LockCounter()
        for _ in 0..<2 { _ = counter.begin(under: Self.policy, at: start) }
        #expect(counter.begin(under: Self.policy, at: later) == true)
        var own = counter, other = counter
        own.abandon(under: Self.policy, begun: later)
        #expect(own.status(at: later) == .open && own.failures == 2)
        other.abandon(under: Self.policy, begun: start)
        #expect(other.status(at: later) == .locked(until: later + .seconds(2)))
    }

    /// What it cannot see: it knows how many, not which.
    @Test func `a guess abandoned after another was right takes back a later one's count`() {
        var counter = LockCounter()
        let now = Instant(milliseconds: 0)
        #expect(counter.begin(under: Self.policy, at: now) == true)
        counter.succeed(under: Self.policy)
        #expect(counter.begin(under: Self.policy, at: now) == true)
        counter.abandon(under: Self.policy, begun: now)
        #expect(counter.failures == 0)
    }

    @Test func `a negative count is a bug`() async {
        await #expect(processExitsWith: .failure) { _ = LockCounter(failures: -1) }
    }
}

private enum Step: CaseIterable {
    case begin, oldestIsRight, oldestIsAbandoned, newestIsAbandoned, wait, waitHalf, unlock, lock
}

/// The counter and the oracle in the same story.
private struct World {
    var counter = LockCounter(), oracle = Oracle(), now = Instant(milliseconds: 0)

    /// - Returns: whether this step makes sense here.
    mutating func take(_ step: Step) -> Bool {
        let policy = LockCounterTests.policy
        switch step {
        case .begin:
            let mayGoOn = oracle.status(at: now) == .open
            #expect(counter.begin(under: policy, at: now) == mayGoOn)
            if mayGoOn { oracle.guesses.append(Oracle.Guess(begun: now)) }
        case .oldestIsRight:
            guard let index = oracle.underWay.first else { return false }
            counter.succeed(under: policy)
            oracle.right(index)
        case .oldestIsAbandoned, .newestIsAbandoned:
            guard
                let index = step == .oldestIsAbandoned
                    ? oracle.underWay.first : oracle.underWay.last
            else { return false }
            counter.abandon(under: policy, begun: oracle.guesses[index].begun)
            oracle.guesses[index].counts = false
        case .wait: now = now + .seconds(policy.lockoutSeconds)
        case .waitHalf: now = now + .seconds(policy.lockoutSeconds / 2)
        case .unlock:
            counter.unlock()
            oracle = Oracle()
        case .lock:
            counter.lock()
            oracle.isLockedByHand = true
        }
        return true
    }
}

/// The rules again, from the guesses themselves: a guess counts from its beginning until one is
/// right or it is abandoned; the last that counts, if enough do, locks for its time; too many that
/// count disable.
private struct Oracle {
    struct Guess {
        let begun: Instant
        var counts = true
    }

    var guesses: [Guess] = []
    var isLockedByHand = false

    /// Wrong guesses stay: nobody tells the counter.
    var underWay: [Int] { guesses.indices.filter { guesses[$0].counts } }

    mutating func right(_ index: Int) {
        // Of a guess from before a lock by hand nothing is forgiven.
        guesses =
            isLockedByHand ? guesses.enumerated().filter { $0.offset != index }.map(\.element) : []
    }

    func status(at now: Instant) -> LockCounter.Status {
        let policy = LockCounterTests.policy, counting = guesses.filter(\.counts)
        if isLockedByHand || counting.count >= policy.disableAfter { return .disabled }
        if counting.count >= policy.failedAttempts, let last = counting.last,
            now < last.begun + .seconds(policy.lockoutSeconds)
        {
            return .locked(until: last.begun + .seconds(policy.lockoutSeconds))
        }
        return .open
    }
}
