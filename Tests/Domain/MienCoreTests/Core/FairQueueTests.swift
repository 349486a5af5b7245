import MienCore
import Testing

@Suite("Fair queue")
struct FairQueueTests {
    private static let start = ContinuousClock.now

    private static func queue(
        total: Int = 1000, perOwner: Int = 1000, perPart: Int = 1000, wait: Duration? = nil
    ) -> FairQueue<String> {
        FairQueue(WorkLimits(total: total, perOwner: perOwner, perPart: perPart, wait: wait))
    }

    /// Adds jobs `a1`, `a2` … for one share.
    private static func add(
        _ name: String, _ count: Int, _ share: WorkShare, to queue: inout FairQueue<String>,
        _ ticket: inout UInt64
    ) {
        for number in 1...count {
            ticket += 1
            if case .waiting = queue.add("\(name)\(number)", ticket, for: share, at: start) {
            } else {
                Issue.record("no room for \(name)\(number)")
            }
        }
    }

    private static func served(_ queue: inout FairQueue<String>, atMost count: Int = .max)
        -> [String]
    {
        var jobs: [String] = []
        while jobs.count < count, let job = queue.next() { jobs.append(job) }
        return jobs
    }

    @Test("one share's jobs run in order of arrival")
    func order() {
        var queue = Self.queue(), ticket: UInt64 = 0
        Self.add("a", 5, .common, to: &queue, &ticket)
        #expect(Self.served(&queue) == ["a1", "a2", "a3", "a4", "a5"])
        #expect(queue.isEmpty && queue.next() == nil)
    }

    @Test("an address with 300 jobs delays another address by one")
    func addresses() {
        var queue = Self.queue(), ticket: UInt64 = 0
        for number in 1...300 {
            Self.add(
                "flood\(number)-", 1, .address("127.0.0.2", naming: "user\(number)"), to: &queue,
                &ticket)
        }
        Self.add("user", 1, .address("127.0.0.3", naming: "ada"), to: &queue, &ticket)
        #expect(Self.served(&queue, atMost: 2).contains("user1"))
    }

    @Test("naming a victim's account from another address takes no turn from the victim")
    func victim() {
        var queue = Self.queue(), ticket: UInt64 = 0
        for attacker in 1...10 {
            Self.add(
                "a\(attacker)-", 20, .address("10.0.0.\(attacker)", naming: "ada"), to: &queue,
                &ticket)
        }
        for attacker in 1...10 {
            Self.add(
                "b\(attacker)-", 20, .address("10.0.1.\(attacker)", naming: "bob"), to: &queue,
                &ticket)
        }
        Self.add("ada", 1, .address("192.0.2.1", naming: "ada"), to: &queue, &ticket)
        // At most one turn for each of the 20 addresses, as for a user whom nobody names.
        #expect(Self.served(&queue, atMost: 21).contains("ada1"))
    }

    @Test("behind one address, the accounts it names take turns")
    func parts() {
        var queue = Self.queue(), ticket: UInt64 = 0
        Self.add("flood", 50, .address("10.0.0.1", naming: "ada"), to: &queue, &ticket)
        Self.add("colleague", 1, .address("10.0.0.1", naming: "bob"), to: &queue, &ticket)
        #expect(Self.served(&queue, atMost: 2).contains("colleague1"))
    }

    @Test("a known device is next, whatever strangers and accounts have waiting")
    func knownDevice() {
        for before in 0..<40 {
            var queue = Self.queue(), ticket: UInt64 = 0
            for address in 1...30 {
                Self.add("s\(address)-", 5, .address("10.0.0.\(address)"), to: &queue, &ticket)
            }
            for account in 1...5 {
                Self.add(
                    "u\(account)-", 5, .account("u\(account)", from: "10.0.1.1"), to: &queue,
                    &ticket)
            }
            _ = Self.served(&queue, atMost: before)
            Self.add("own", 1, .knownDevice("phone", of: "ada"), to: &queue, &ticket)
            #expect(queue.next() == "own1", "after \(before) others")
        }
    }

    @Test(
        "no rank starves: of seven turns, known devices get four, accounts two, and addresses one"
    )
    func ranks() {
        var queue = Self.queue(), ticket: UInt64 = 0
        Self.add("s", 100, .address("10.0.0.1"), to: &queue, &ticket)
        Self.add("u", 200, .account("ada", from: "10.0.0.2"), to: &queue, &ticket)
        Self.add("d", 400, .knownDevice("phone", of: "bob"), to: &queue, &ticket)
        let jobs = Self.served(&queue, atMost: 350)
        #expect(jobs.count { $0.hasPrefix("d") } == 200)
        #expect(jobs.count { $0.hasPrefix("u") } == 100)
        #expect(jobs.count { $0.hasPrefix("s") } == 50)
    }

    @Test("a rank with nothing waiting does not save up turns")
    func noSavings() {
        var queue = Self.queue(), ticket: UInt64 = 0
        Self.add("d", 200, .knownDevice("phone", of: "bob"), to: &queue, &ticket)
        _ = Self.served(&queue, atMost: 100)
        Self.add("s", 100, .address("10.0.0.1"), to: &queue, &ticket)
        #expect(Self.served(&queue, atMost: 50).count { $0.hasPrefix("s") } == 10)
    }

    @Test("a part, an owner, and the queue accept jobs up to their limits")
    func limits() {
        var queue = Self.queue(total: 8, perOwner: 4, perPart: 2), ticket: UInt64 = 0
        func outcome(_ share: WorkShare) -> String {
            ticket += 1
            switch queue.add("\(share.owner)\(share.part)", ticket, for: share, at: Self.start) {
            case .waiting: return "waits"
            case .displaced(let job): return "for \(job)"
            case .refused: return "refused"
            }
        }
        #expect(
            (0..<3).map { _ in outcome(.address("A", naming: "x")) } == [
                "waits", "waits", "refused",
            ])
        #expect(
            (0..<3).map { _ in outcome(.address("A", naming: "y")) } == [
                "waits", "waits", "refused",
            ])
        // The address is full. A new name displaces a job of the longest part; after that, all
        // parts are too short to give one up.
        #expect((0..<2).map { _ in outcome(.address("A", naming: "z")) } == ["for Ay", "refused"])
        #expect(
            (0..<4).map { _ in outcome(.address("B", naming: "\(ticket)")) } == [
                "waits", "waits", "waits", "waits",
            ])
        // The queue is full. A newcomer displaces a job of the largest address until the shares are
        // even.
        #expect(
            (0..<4).map { _ in outcome(.address("C", naming: "\(ticket)")) }.map { $0.prefix(3) }
                == ["for", "for", "ref", "ref"])
        #expect(queue.count == 8)
        // A known device displaces jobs of an address, but not the last ones.
        let devices = (0..<8).map { outcome(.knownDevice("phone", of: "owner\($0)")) }
        #expect(
            devices.map { $0.prefix(3) } == [
                "for", "for", "for", "for", "for", "for", "for", "ref",
            ])
        #expect(queue.count == 8)
    }

    @Test("a job that has waited too long never runs, and others do")
    func deadline() {
        var queue = Self.queue(wait: .seconds(5))
        let start = Self.start
        for number in 0..<10 {
            _ = queue.add("j\(number)", UInt64(number), for: .common, at: start + .seconds(number))
        }
        #expect(queue.expire(at: start + .milliseconds(4999)).isEmpty)
        #expect(queue.expire(at: start + .seconds(5)) == ["j0"])
        #expect(queue.expire(at: start + .seconds(9)) == ["j1", "j2", "j3", "j4"])
        #expect(Self.served(&queue) == ["j5", "j6", "j7", "j8", "j9"])
        #expect(queue.expire(at: start + .seconds(100)).isEmpty)
    }

    @Test("a removed job is gone, and its share takes no turn for it")
    func removal() {
        var queue = Self.queue(), ticket: UInt64 = 0
        Self.add("a", 2, .address("A"), to: &queue, &ticket)
        Self.add("b", 2, .address("B"), to: &queue, &ticket)
        #expect(queue.remove(1) == "a1")
        #expect(queue.remove(1) == nil)
        #expect(queue.remove(2) == "a2")
        #expect(Self.served(&queue) == ["b1", "b2"])
        Self.add("c", 3, .address("C"), to: &queue, &ticket)
        #expect(queue.removeAll() == ["c1", "c2", "c3"])
        #expect(queue.isEmpty)
    }

    /// A closed loop of random events, compared with a count of the turns of every share.
    @Test(
        "in a random simulation, every job ends exactly once, in time, and no backlogged address falls behind another by more than a turn"
    )
    func simulation() {
        for world in 0..<60 {
            var generator = SplitMix(seed: UInt64(world))
            let limits = WorkLimits(total: 40, perOwner: 16, perPart: 6, wait: .seconds(4))
            var queue = FairQueue<UInt64>(limits), ticket: UInt64 = 0, now = Self.start
            var open: [UInt64: (share: WorkShare, at: ContinuousClock.Instant)] = [:],
                ended: Set<UInt64> = []
            func end(_ job: UInt64) {
                #expect(
                    ended.insert(job).inserted && open[job] != nil,
                    "world \(world): \(job) ended twice")
                open[job] = nil
            }
            for _ in 0..<2000 {
                now += .milliseconds(Int.random(in: 0...40, using: &generator))
                switch Int.random(in: 0..<10, using: &generator) {
                case 0...5:
                    ticket += 1
                    let name = "\(Int.random(in: 0..<3, using: &generator))"
                    // Address 0 floods.
                    let owner =
                        Bool.random(using: &generator)
                        ? 0 : Int.random(in: 0..<6, using: &generator)
                    let share: WorkShare =
                        switch Int.random(in: 0..<6, using: &generator) {
                        case 0: .knownDevice(name, of: "\(owner)")
                        case 1: .account("\(owner)", from: name)
                        default: .address("\(owner)", naming: name)
                        }
                    open[ticket] = (share, now)
                    let hasRoom = queue.hasRoom(for: share)
                    switch queue.add(ticket, ticket, for: share, at: now) {
                    case .waiting: #expect(hasRoom)
                    case .displaced(let other):
                        #expect(hasRoom)
                        let (lost, own) = (open[other]!.share, share)
                        #expect(lost.rank >= own.rank && lost != own, "world \(world)")
                        end(other)
                    case .refused:
                        #expect(!hasRoom)
                        end(ticket)
                    }
                case 6:
                    if let some = open.keys.randomElement(using: &generator),
                        let job = queue.remove(some)
                    {
                        end(job)
                    }
                default:
                    for job in queue.expire(at: now) {
                        #expect(now - open[job]!.at >= .seconds(4))
                        end(job)
                    }
                    if let job = queue.next() {
                        #expect(
                            now - open[job]!.at < .seconds(4), "world \(world): \(job) ran too late"
                        )
                        end(job)
                    }
                }
                #expect(queue.count == open.count && queue.count <= limits.total)
                let byOwner = Dictionary(grouping: open.values) {
                    "\($0.share.rank) \($0.share.owner)"
                }
                #expect(byOwner.values.allSatisfy { $0.count <= limits.perOwner })
            }
            for job in queue.removeAll() { end(job) }
            #expect(open.isEmpty && ended.count == Int(ticket))
        }
    }

    @Test(
        "among addresses that always have jobs waiting, turns differ by at most one, however many jobs each adds",
        arguments: [2, 5, 17])
    func evenTurns(addresses: Int) {
        var queue = Self.queue(), ticket: UInt64 = 0, turns: [String: Int] = [:]
        var generator = SplitMix(seed: UInt64(addresses))
        for address in 0..<addresses {
            Self.add("\(address)-", 2, .address("\(address)"), to: &queue, &ticket)
        }
        for _ in 0..<1000 {
            let job = queue.next()!, address = String(job.prefix { $0 != "-" })
            turns[address, default: 0] += 1
            // The first address adds many jobs, the others replace those they lost.
            Self.add(
                "\(address)-",
                address == "0" && ticket < 700 ? Int.random(in: 1...9, using: &generator) : 1,
                .address(address), to: &queue, &ticket)
            #expect(turns.count < addresses || turns.values.max()! - turns.values.min()! <= 1)
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
