import MienAPI
import MienCore
import Testing

@Suite struct AuthenticatorLockTests {
    static let policy = try! LockPolicy(failedAttempts: 2, lockoutSeconds: 2, disableAfter: 3)

    /// Compares every story of up to five steps, with a stranger and two devices of the owner, with
    /// ``Oracle``.
    @Test func `every short story follows the rules on each device`() {
        var stories = 0
        func tell(_ world: World, _ story: [Step]) {
            stories += 1
            for caller in Caller.allCases {
                let (said, expected) = (
                    world.lock(for: caller).status(under: Self.policy, at: world.now),
                    world.oracle.status(of: caller, at: world.now)
                )
                if said != expected {
                    Issue.record("\(story): \(caller) is \(said), not \(expected)")
                }
            }
            if world.total != world.oracle.total {
                Issue.record("\(story): \(world.total) failures, not \(world.oracle.total)")
            }
            if story.count == 5 { return }
            for step in Step.allCases {
                var next = world
                if next.take(step, story) { tell(next, story + [step]) }
            }
        }
        tell(World(), [])
        #expect(stories > 10_000, "\(stories)")
    }

    @Test func `120 guesses from 120 new devices get no further than those from one`() {
        var now = Instant(milliseconds: 0), total = 0, unknown = LockCounter(), judged = 0
        for _ in 0..<120 {
            // Each device is new: it has a token but no counter.
            var lock = AuthenticatorLock(total: total, unknownDevices: unknown)
            if lock.begin(under: .secret, at: now) != nil { judged += 1 }
            (total, unknown) = (lock.total, lock.unknownDevices)
            now = now + .milliseconds(475)
        }
        #expect(judged == LockPolicy.secret.failedAttempts)
    }

    @Test
    func
        `strangers disable unknown devices but never the owner's, and the owner's next sign-in does not enable unknown devices`()
    {
        let now = Instant(milliseconds: 0), full = Self.policy.disableAfter
        var lock = AuthenticatorLock(
            total: full, unknownDevices: LockCounter(failures: full), device: LockCounter())
        #expect(
            lock.statusOfUnknownDevices(under: Self.policy, at: now) == .disabled
                && lock.status(under: Self.policy, at: now) == .open)
        let line = lock.begin(under: Self.policy, at: now)
        #expect(line == .ownCounter)
        lock.succeed(through: .ownCounter, under: Self.policy, isKnownDevice: true)
        #expect(
            lock.total == full
                && lock.statusOfUnknownDevices(under: Self.policy, at: now) == .disabled)
        #expect(lock.device == LockCounter())
    }

    @Test
    func
        `the owner's sign-in on a device with its own counter resets the total without shortening a stranger's lock`()
    {
        let now = Instant(milliseconds: 0),
            locked = LockCounter(failures: 2, lockedUntil: now + .seconds(2))
        var lock = AuthenticatorLock(
            total: 3, unknownDevices: locked, device: LockCounter(failures: 1))
        lock.succeed(through: .ownCounter, under: Self.policy, isKnownDevice: true)
        #expect(lock == AuthenticatorLock(total: 0, unknownDevices: locked, device: LockCounter()))
    }

    @Test func `a policy applies at once to failures counted under another one`() throws {
        let stricter = try LockPolicy(failedAttempts: 1, lockoutSeconds: 1, disableAfter: 2),
            now = Instant(milliseconds: 0)
        var lock = AuthenticatorLock()
        for _ in 0..<2 { _ = lock.begin(under: .secret, at: now) }
        #expect(
            lock.status(under: .secret, at: now) == .open
                && lock.status(under: stricter, at: now) == .disabled)
    }

    /// At the limit: the guess that reaches it counts as a failure only until it turns out right.
    @Test(arguments: AuthenticatorLock.Line.allCases) func `a right guess at the limit unlocks`(
        line: AuthenticatorLock.Line
    ) {
        let almost = Self.policy.disableAfter - 1, now = Instant(milliseconds: 0)
        var lock = AuthenticatorLock(
            total: almost, device: line == .ownCounter ? LockCounter() : nil)
        #expect(lock.begin(under: Self.policy, at: now) == line)
        #expect(lock.statusOfUnknownDevices(under: Self.policy, at: now) == .disabled)
        lock.succeed(through: line, under: Self.policy, isKnownDevice: false)
        #expect(
            lock.total == 0 && lock.statusOfUnknownDevices(under: Self.policy, at: now) == .open)
    }

    @Test
    func
        `a deliberate lock is lifted by its holder or an administrator, and a journey never lifts an administrator's`()
    {
        // Every order of four changes.
        enum Change: CaseIterable {
            case lockAdministrator, lockJourney, unlockAdministrator, unlockJourney
        }
        func tell(_ lock: AuthenticatorLock, _ expected: Set<LockHolder>, _ depth: Int) {
            let now = Instant(milliseconds: 0)
            #expect(
                lock.holders == expected
                    && (lock.status(under: Self.policy, at: now) == .disabled) == !expected.isEmpty)
            var guess = lock
            #expect((guess.begin(under: Self.policy, at: now) == nil) == !expected.isEmpty)
            if depth == 0 { return }
            for change in Change.allCases {
                var next = lock, holders = expected
                switch change {
                case .lockAdministrator:
                    next.hold(by: .administrator)
                    holders.insert(.administrator)
                case .lockJourney:
                    next.hold(by: .journey)
                    holders.insert(.journey)
                case .unlockAdministrator:
                    #expect(next.release(by: .administrator) == true)
                    holders = []
                case .unlockJourney:
                    let mayUnlock = !expected.contains(.administrator)
                    #expect(next.release(by: .journey) == mayUnlock)
                    if mayUnlock { holders = [] } else { #expect(next == lock) }
                }
                tell(next, holders, depth - 1)
            }
        }
        tell(AuthenticatorLock(), [], 4)
    }

    @Test func `a deliberate lock outlasts a right guess in progress`() {
        let now = Instant(milliseconds: 0)
        var lock = AuthenticatorLock(device: LockCounter())
        #expect(lock.begin(under: Self.policy, at: now) == .ownCounter)
        lock.hold(by: .journey)
        lock.succeed(through: .ownCounter, under: Self.policy, isKnownDevice: true)
        #expect(lock.status(under: Self.policy, at: now) == .disabled)
    }

    @Test func `unlocking resets failures and keeps a device's counter`() {
        let now = Instant(milliseconds: 0)
        var lock = AuthenticatorLock(
            total: 9, unknownDevices: LockCounter(failures: 5),
            device: LockCounter(failures: 4, lockedUntil: now))
        #expect(lock.release(by: .journey) && lock == AuthenticatorLock(device: LockCounter()))
    }

    @Test func `a device that lost its counter during a guess does not get it back`() {
        var lock = AuthenticatorLock(total: 1)
        lock.succeed(through: .ownCounter, under: Self.policy, isKnownDevice: false)
        #expect(lock.device == nil && lock.total == 0)
    }

    @Test func `counts saturate`() {
        var lock = AuthenticatorLock(total: .max, device: LockCounter())
        #expect(
            lock.begin(under: Self.policy, at: Instant(milliseconds: .max)) == .ownCounter
                && lock.total == .max)
    }

    @Test func `a negative total is a bug`() async {
        await #expect(processExitsWith: .failure) { _ = AuthenticatorLock(total: -1) }
    }
}

private enum Caller: Int, CaseIterable { case stranger, phone, laptop }

private enum Step: CaseIterable {
    case strangerGuesses, phoneGuesses, laptopGuesses, oldestIsRight, newestIsRight,
        oldestIsAbandoned, newestIsAbandoned, wait, unlock
}

/// The value as the store keeps it (two shared counts, and one for each device that earned it), and
/// the oracle for the same story.
private struct World {
    var total = 0, unknown = LockCounter(), own: [Caller: LockCounter] = [:]
    var oracle = Oracle(), now = Instant(milliseconds: 0)

    func lock(for caller: Caller) -> AuthenticatorLock {
        AuthenticatorLock(total: total, unknownDevices: unknown, device: own[caller])
    }

    private mutating func change(_ caller: Caller, _ body: (inout AuthenticatorLock) -> Void) {
        var lock = lock(for: caller)
        body(&lock)
        (total, unknown, own[caller]) = (lock.total, lock.unknownDevices, lock.device)
    }

    /// - Returns: whether this step is possible here.
    mutating func take(_ step: Step, _ story: [Step]) -> Bool {
        let policy = AuthenticatorLockTests.policy, now = now
        switch step {
        case .strangerGuesses: guess(.stranger, story)
        case .phoneGuesses: guess(.phone, story)
        case .laptopGuesses: guess(.laptop, story)
        case .oldestIsRight, .newestIsRight:
            guard let index = step == .oldestIsRight ? oracle.underWay.first : oracle.underWay.last
            else { return false }
            let guess = oracle.guesses[index]
            change(guess.caller) {
                $0.succeed(
                    through: guess.line, under: policy, isKnownDevice: guess.caller != .stranger)
            }
            oracle.right(index)
        case .oldestIsAbandoned, .newestIsAbandoned:
            guard
                let index = step == .oldestIsAbandoned
                    ? oracle.underWay.first : oracle.underWay.last
            else { return false }
            let guess = oracle.guesses[index]
            change(guess.caller) {
                $0.abandon(through: guess.line, under: policy, begun: guess.begun)
            }
            oracle.guesses.remove(at: index)
        case .wait: self.now = now + .seconds(policy.lockoutSeconds)
        case .unlock:
            (total, unknown) = (0, LockCounter())
            own = own.mapValues { _ in LockCounter() }
            oracle.guesses = []
        }
        return true
    }

    private mutating func guess(_ caller: Caller, _ story: [Step]) {
        let isOpen = oracle.status(of: caller, at: now) == .open, now = now
        var line: AuthenticatorLock.Line?
        change(caller) { line = $0.begin(under: AuthenticatorLockTests.policy, at: now) }
        if (line != nil) != isOpen {
            Issue.record(
                "\(story): a guess of \(caller) is judged while locked, or refused while open"
            )
        }
        if let line { oracle.guesses.append(.init(caller: caller, line: line, begun: now)) }
    }
}

/// The rules implemented independently, from the guesses themselves.
private struct Oracle {
    struct Guess {
        let caller: Caller
        let line: AuthenticatorLock.Line
        let begun: Instant
        /// Whether it is part of the failures since the owner's last success.
        var isInTotal = true
        /// Whether it counts for the devices it shares a counter with.
        var isInLine = true
    }

    var guesses: [Guess] = []
    var earned: Set<Caller> = []

    /// Forgiven guesses are over: the counters know how many there are, not which.
    var underWay: [Int] { guesses.indices.filter { guesses[$0].isInTotal && guesses[$0].isInLine } }
    var total: Int { guesses.count(where: \.isInTotal) }

    mutating func right(_ index: Int) {
        let policy = AuthenticatorLockTests.policy, guess = guesses[index]
        let others = total - 1
        if others < policy.disableAfter {
            for index in guesses.indices {
                guesses[index].isInTotal = false
                if guess.line == .unknownDevices, guesses[index].line == .unknownDevices {
                    guesses[index].isInLine = false
                }
            }
        } else {
            guesses[index].isInTotal = false
        }
        // The device belongs to the account, or now becomes one with a counter of its own, starting
        // at zero.
        if guess.caller != .stranger {
            earned.insert(guess.caller)
            for index in guesses.indices
            where guesses[index].caller == guess.caller && guesses[index].line == .ownCounter {
                guesses[index].isInLine = false
            }
        }
        guesses.removeAll { !$0.isInTotal && !$0.isInLine }
    }

    func status(of caller: Caller, at now: Instant) -> LockCounter.Status {
        let policy = AuthenticatorLockTests.policy, isOwn = earned.contains(caller)
        let counting = guesses.filter {
            $0.isInLine
                && (isOwn
                    ? $0.line == .ownCounter && $0.caller == caller : $0.line == .unknownDevices)
        }
        if (isOwn ? counting.count : total) >= policy.disableAfter { return .disabled }
        if counting.count >= policy.failedAttempts, let last = counting.last,
            now < last.begun + .seconds(policy.lockoutSeconds)
        {
            return .locked(until: last.begun + .seconds(policy.lockoutSeconds))
        }
        return .open
    }
}
