import MienAPI
import MienCore
import Testing

@Suite struct LockCounterTests {
    static let policy = try! LockPolicy(failedAttempts: 2, lockoutSeconds: 2, disableAfter: 4)
    static let again = try! LockPolicy(
        failedAttempts: 2, lockoutSeconds: 2, disableAfter: 5, afterLock: .again)

    /// Compares every story of up to six steps with ``Oracle``.
    @Test(arguments: [LockCounterTests.policy, LockCounterTests.again])
    func `the counter follows its rules in every short story`(policy: LockPolicy) {
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
        tell(World(policy: policy), [])
        #expect(stories > 30_000)
    }

    @Test func `simultaneous guesses get no further than consecutive ones`() {
        let start = Instant(milliseconds: 1_000_000), face = LockPolicy.face
        var counter = LockCounter()
        #expect(
            (0..<1000).filter { _ in counter.begin(under: face, at: start) }.count
                == face.failedAttempts)
        // One more after each lock, until the counter is disabled.
        var now = start, total = face.failedAttempts
        for _ in 0..<200 {
            now = now + .seconds(face.lockoutSeconds)
            total += (0..<10).filter { _ in counter.begin(under: face, at: now) }.count
        }
        #expect(total == face.disableAfter && counter.status(at: now) == .disabled)
        #expect(
            counter.status(at: Instant(milliseconds: .max)) == .disabled,
            "waiting does not enable it")
    }

    @Test func `after a lock, again allows a fresh set of attempts, all of which count to disable`()
        throws
    {
        let policy = try LockPolicy(
            failedAttempts: 3, lockoutSeconds: 60, disableAfter: 8, afterLock: .again)
        var counter = LockCounter(), now = Instant(milliseconds: 0), sets: [Int] = []
        while counter.status(at: now) != .disabled {
            // Simultaneous guesses get no further than the set.
            sets.append((0..<100).filter { _ in counter.begin(under: policy, at: now) }.count)
            #expect(counter.begin(under: policy, at: now + .milliseconds(59_999)) == false)
            now = now + .seconds(60)
        }
        #expect(sets == [3, 3, 2] && counter.failures == 8)
        // The same settings without `again`: one attempt after each lock.
        let standard = try LockPolicy(failedAttempts: 3, lockoutSeconds: 60, disableAfter: 8)
        (counter, now, sets) = (LockCounter(), Instant(milliseconds: 0), [])
        while counter.status(at: now) != .disabled {
            sets.append((0..<100).filter { _ in counter.begin(under: standard, at: now) }.count)
            now = now + .seconds(60)
        }
        #expect(sets == [3, 1, 1, 1, 1, 1])
    }

    @Test func `a locked counter counts nothing and its lock does not get longer`() {
        var counter = LockCounter()
        let now = Instant(milliseconds: 0)
        for _ in 0..<2 { #expect(counter.begin(under: Self.policy, at: now) == true) }
        let locked = counter
        #expect(
            !counter.begin(under: Self.policy, at: now + .milliseconds(1999)) && counter == locked)
        #expect(
            counter.begin(under: Self.policy, at: now + .milliseconds(2000)) == true,
            "the lock is open at its end")
    }

    @Test func `the end of time does not overflow`() {
        var counter = LockCounter(failures: .max)
        #expect(counter.begin(under: Self.policy, at: Instant(milliseconds: .max)) == true)
        #expect(
            counter.failures == .max && counter.status(at: Instant(milliseconds: .max)) == .disabled
        )
    }

    @Test func `a deliberate lock outlasts guesses in progress`() {
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

    @Test func `a guess that was never judged removes its own lock, but not a later one`() {
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

    /// A known limit: the counter knows how many guesses there are, not which.
    @Test func `a guess abandoned after another was right removes a later guess's count`() {
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

/// The counter and the oracle for the same story.
private struct World {
    let policy: LockPolicy
    var counter = LockCounter(), oracle: Oracle, now = Instant(milliseconds: 0)

    init(policy: LockPolicy) { (self.policy, oracle) = (policy, Oracle(policy: policy)) }

    /// - Returns: whether this step is possible here.
    mutating func take(_ step: Step) -> Bool {
        switch step {
        case .begin:
            let mayGoOn = oracle.status(at: now) == .open
            #expect(counter.begin(under: policy, at: now) == mayGoOn)
            if mayGoOn { oracle.begin(at: now) }
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
            oracle.abandon(index)
        case .wait: now = now + .seconds(policy.lockoutSeconds)
        case .waitHalf: now = now + .seconds(policy.lockoutSeconds / 2)
        case .unlock:
            counter.unlock()
            oracle = Oracle(policy: policy)
        case .lock:
            counter.lock()
            oracle.isLockedByHand = true
        }
        return true
    }
}

/// The rules implemented independently, from the guesses themselves: a guess counts from its
/// beginning until one is right or it is abandoned. If enough guesses count, the last one locks for
/// the lock's duration; with `again`, only each guess that completes a set. Too many disable.
private struct Oracle {
    struct Guess {
        let begun: Instant
        /// The number of guesses that counted when it began, with this one.
        let number: Int
        var counts = true
    }

    let policy: LockPolicy
    var guesses: [Guess] = []
    var isLockedByHand = false

    init(policy: LockPolicy) { self.policy = policy }

    /// Wrong guesses stay, because the counter is not informed of them.
    var underWay: [Int] { guesses.indices.filter { guesses[$0].counts } }

    mutating func begin(at now: Instant) {
        guesses.append(Guess(begun: now, number: underWay.count + 1))
    }

    mutating func abandon(_ index: Int) { guesses[index].counts = false }

    mutating func right(_ index: Int) {
        // A guess from before a deliberate lock forgives nothing.
        guesses =
            isLockedByHand ? guesses.enumerated().filter { $0.offset != index }.map(\.element) : []
    }

    func status(at now: Instant) -> LockCounter.Status {
        let counting = guesses.filter(\.counts)
        if isLockedByHand || counting.count >= policy.disableAfter { return .disabled }
        guard counting.count >= policy.failedAttempts, let last = counting.last else {
            return .open
        }
        let completesSet =
            policy.afterLock == .oneAtATime || last.number % policy.failedAttempts == 0
        let end = last.begun + .seconds(policy.lockoutSeconds)
        return completesSet && now < end ? .locked(until: end) : .open
    }
}
