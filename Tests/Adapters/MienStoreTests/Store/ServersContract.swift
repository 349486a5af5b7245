import MienAPI
import MienCore
import MienTesting
import Testing

@testable import MienStore

/// Leases, rate limits, and failures, which several servers share.
@Suite struct ServersContract {
    // MARK: Leases

    @Test(arguments: StoreKind.allCases)
    func `a lease passes on when it ends, and refuses the writes of its earlier holder`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), store = test.store, hour = Duration.seconds(3600)
        func take(_ holder: String, at time: Instant) async throws -> Lease? {
            try await store.takeLease("sweep", for: holder, at: time, lasting: .seconds(60))
        }
        let a = try #require(try await take("a", at: .start))
        #expect(try await take("b", at: .start + .seconds(59)) == nil)
        #expect(try await take("a", at: .start + .seconds(59)) == a, "extended")
        #expect(try await take("b", at: .start + .seconds(118)) == nil)
        try await HeldLease.$current.withValue(a) {
            try await store.write { try $0.spent.spendFresh("1") }
        }
        // It is paused until another one takes over.
        let b = try #require(try await take("b", at: .start + hour))
        #expect(b.fence > a.fence)
        let refused = await refusal {
            try await HeldLease.$current.withValue(a) {
                try await store.write { try $0.spent.spendFresh("2") }
            }
        }
        #expect(refused == .stale)
        #expect(try await test.count("spent") == 1)
        try await HeldLease.$current.withValue(b) {
            try await store.write { try $0.spent.spendFresh("3") }
        }
        // One that its holder lets expire is a new one.
        let again = try #require(try await take("b", at: .start + hour + hour))
        #expect(again.fence > b.fence)
        try await store.write { try $0.leases.release(again) }
        let c = try #require(try await take("c", at: .start + hour + hour))
        #expect(c.fence > again.fence)
        // A server that ends gives back only its own.
        try await store.write { try $0.leases.release("sweep", of: "b") }
        #expect(try await take("d", at: .start + hour + hour) == nil)
        try await store.write { try $0.leases.release("sweep", of: "c") }
        let d = try #require(try await take("d", at: .start + hour + hour))
        #expect(d.fence > c.fence)
    }

    @Test(arguments: StoreKind.allCases)
    func `of servers that take a lease at once, one gets it`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), store = test.store
        let leases = try await withThrowingTaskGroup(of: Lease?.self) { tasks in
            for number in 0..<64 {
                tasks.addTask {
                    try await store.takeLease(
                        "sweep", for: "srv_\(number)", at: .start, lasting: .seconds(60))
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }.compactMap { $0 }
        }
        #expect(leases.count == 1)
    }

    /// As after a power loss that undid the taking of a lease, which is not made durable at once.
    @Test(arguments: StoreKind.allCases)
    func `of two holders with the same fencing number, the one in the database may write`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), store = test.store
        let lease = try #require(
            try await store.takeLease("sweep", for: "b", at: .start, lasting: .seconds(60)))
        let lost = Lease(name: "sweep", holder: "a", fence: lease.fence)
        let refused = await refusal {
            try await HeldLease.$current.withValue(lost) {
                try await store.write { try $0.spent.spendFresh("1") }
            }
        }
        #expect(refused == .stale)
        try await store.write { try $0.leases.release(lost) }
        try await HeldLease.$current.withValue(lease) {
            try await store.write { try $0.spent.spendFresh("2") }
        }
        #expect(try await test.count("spent") == 1)
    }

    // MARK: Rate limits

    /// Compares with the bucket in memory on random requests. The interval is a whole number of
    /// milliseconds, so the stored bucket is exact. The one in memory counts in floating point and
    /// rounds up, so that it may wait a millisecond longer.
    @Test(arguments: StoreKind.allCases)
    func `a stored bucket decides as one in memory`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), rate = TokenBucket.Rate(burst: 5, perMinute: 60)
        var random = SeededGenerator(seed: 11), now = Instant.start
        var bucket = TokenBucket(rate, at: now), refusals = 0
        for _ in 0..<400 {
            now = now + .milliseconds(Int64.random(in: 0...1200, using: &random))
            let time = now, expected = bucket.take(rate, at: now)
            let answer = try await test.store.write {
                try $0.rates.take(of: "r", [1], rate, at: time)
            }
            switch answer {
            case .granted(let tokens, _): #expect(expected == nil && tokens == 1)
            case .refused(let wait):
                refusals += 1
                #expect(expected == wait || expected == wait + .milliseconds(1))
            }
        }
        #expect(refusals > 20)
    }

    @Test(arguments: StoreKind.allCases)
    func `parallel requests take no more than the bucket has, and full buckets are swept`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), rate = TokenBucket.Rate(burst: 10, perMinute: 10),
            store = test.store
        let granted = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for number in 0..<100 {
                tasks.addTask {
                    let answer = try await store.write {
                        try $0.rates.take(number % 2 + 1, of: "r", [1], rate, at: .start)
                    }
                    if case .granted(let tokens, _) = answer { return tokens }
                    return 0
                }
            }
            return try await tasks.reduce(0, +)
        }
        #expect(granted == 10)
        _ = try await store.write { try $0.rates.take(of: "other", [1], rate, at: .start) }
        #expect(try await test.count("rate") == 2)
        #expect(
            try await store.write { try $0.rates.sweep(at: .start + .seconds(65), atMost: 9) } == 0)
        #expect(
            try await store.write { try $0.rates.sweep(at: .start + .seconds(90), atMost: 9) } == 1)
        #expect(
            try await store.write { try $0.rates.sweep(at: .start + .seconds(120), atMost: 9) } == 1
        )
        #expect(try await test.count("rate") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a server whose clock was ahead keeps a bucket empty and a lease for a limited time`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), rate = TokenBucket.Rate(burst: 5, perMinute: 60)
        let ahead = Instant.start + .seconds(86_400)
        _ = try await test.store.write { try $0.rates.take(of: "r", [1], rate, at: ahead) }
        func take(after time: Duration) async throws -> TokenLease.Answer {
            try await test.store.write {
                try $0.rates.take(of: "r", [1], rate, at: .start + time)
            }
        }
        #expect(try await take(after: .zero) == .refused(wait: .seconds(1)))
        guard case .granted = try await take(after: .seconds(1)) else {
            Issue.record("the bucket does not fill")
            return
        }
        #expect(try await take(after: .seconds(1)) == .refused(wait: .seconds(1)))

        func lease(_ holder: String, at now: Instant) async throws -> Lease? {
            try await test.store.write {
                try $0.leases.take("sweep", for: holder, at: now, until: now + .seconds(60))
            }
        }
        let first = try #require(try await lease("a", at: ahead))
        let second = try #require(try await lease("b", at: .start))
        #expect(second.fence > first.fence)
        // A few seconds are no reason.
        #expect(try await lease("a", at: .start - .seconds(5)) == nil)
    }

    /// Without this, each refusal by the one behind would refill the bucket for the one ahead.
    @Test(arguments: StoreKind.allCases)
    func `servers whose clocks differ by seconds do not refill a bucket for each other`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), rate = TokenBucket.Rate(burst: 5, perMinute: 60)
        var granted = 0
        for number in 0..<100 {
            let time = Instant.start + .seconds(number % 2 == 0 ? 10 : 0)
            let answer = try await test.store.write {
                try $0.rates.take(of: "r", [1], rate, at: time)
            }
            if case .granted = answer { granted += 1 }
        }
        #expect(granted == 5)
    }

    // MARK: Failures

    /// A connection on which another server writes between the read and the write of a change, as
    /// it can where transactions see each other's commits.
    private struct Interrupted: SQLConnection {
        final class Interruption { var body: (() throws -> Void)? }
        let connection: any SQLConnection
        let table: String
        let interruption: Interruption

        func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
            if sql.contains("UPDATE \(table)"), let body = interruption.body {
                interruption.body = nil
                do { try body() } catch { throw StoreError(.unreachable, "\(error)") }
            }
            return try connection.execute(sql, values)
        }
        func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
            try connection.rows(sql, values)
        }
        func leaveNoTrace() {}
        func notify(_ channel: StoreChannel, _ payload: String) throws(StoreError) {
            try connection.notify(channel, payload)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a failure that another server counts in between is not lost`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        let ana = try await test.account("ana"), face = try await test.authenticator("1", of: ana)
        let phone = try await test.device("phone", of: ana.id, earned: [face.lockSubject])
        let policy = LockPolicy.face
        try await test.driver.write(.always) { connection in
            let other = LockTable(connection: connection)
            @discardableResult
            func guess(_ locks: LockTable) throws -> Bool {
                try locks.change(face, device: phone) { $0.begin(under: policy, at: .start) } != nil
            }
            func guess(interruptedBy body: @escaping () throws -> Void, at table: String) throws
                -> Bool
            {
                let interruption = Interrupted.Interruption()
                interruption.body = body
                let passed = try guess(
                    LockTable(
                        connection: Interrupted(
                            connection: connection, table: table, interruption: interruption)))
                #expect(interruption.body == nil)
                return passed
            }
            #expect(try guess(interruptedBy: { try guess(other) }, at: "lock_count"))
            var lock = try other.lock(of: face, device: phone)
            #expect(lock.total == 2 && lock.device?.failures == 2)
            // A success elsewhere gives the device a fresh counter.
            #expect(
                try guess(
                    interruptedBy: { try other.earn(phone, face.lockSubject) }, at: "lock_device"))
            lock = try other.lock(of: face, device: phone)
            #expect(lock.total == 3 && lock.device?.failures == 1)
            // The other server takes the last guess.
            while try other.lock(of: face, device: phone).device?.failures
                != policy.failedAttempts - 1
            { try guess(other) }
            #expect(try !guess(interruptedBy: { try guess(other) }, at: "lock_count"))
            lock = try other.lock(of: face, device: phone)
            #expect(lock.device?.failures == policy.failedAttempts)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a failure of an administrator that another server counts in between is not lost`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), ada = AdminID("adm_ada")!
        try await test.store.write {
            try $0.admins.insert(
                AdminRecord(id: ada, name: "Ada", role: .owner, createdAt: .start), tokenHash: [1])
        }
        try await test.driver.write(.always) { connection in
            let other = AdminLockTable(connection: connection)
            func guess(_ locks: AdminLockTable) throws {
                let line = try locks.change(of: ada, .password, browser: nil, at: .start) {
                    $0.begin(under: .secret, at: .start)
                }
                #expect(line == .unknownDevices)
            }
            let interruption = Interrupted.Interruption()
            interruption.body = { try guess(other) }
            try guess(
                AdminLockTable(
                    connection: Interrupted(
                        connection: connection, table: "admin_lock", interruption: interruption)))
            #expect(interruption.body == nil)
            #expect(try other.lock(of: ada, .password, browser: nil).total == 2)
        }
    }
}

extension SpentTable {
    /// Writes a row of its own.
    fileprivate func spendFresh(_ text: String) throws {
        #expect(try spend(.step, Array(text.utf8), until: .start + .seconds(86_400 * 365)))
    }
}
