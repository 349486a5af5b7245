import MienAPI
import MienCore
import MienServer
import MienStore
import MienTesting
import Testing

@Suite("Limits and caches of several servers")
struct SharedLimitTests {
    @Test("a limit on an account counts on all servers, and outlives them")
    func exact() async throws {
        let servers = try await TwoServers(), rate = TokenBucket.Rate(burst: 5, perMinute: 60)
        let limits = [servers.a, servers.b].map {
            RateLimit("guesses", rate, store: $0, clock: servers.clock)
        }
        let passed = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for number in 0..<40 {
                tasks.addTask { try await limits[number % 2].take("ada") == nil }
            }
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 5)
        #expect(try await limits[0].take("eve") == nil, "another account")
        let other = RateLimit("codes", rate, store: servers.a, clock: servers.clock)
        #expect(try await other.take("ada") == nil, "another limit")
        servers.pass(.seconds(1))
        #expect(try await limits[1].take("ada") == nil)
        #expect(try await limits[0].take("ada") == .seconds(1))
    }

    @Test("addresses get as much from several servers as from one")
    func leased() async throws {
        let servers = try await TwoServers(), rate = TokenBucket.Rate(burst: 80, perMinute: 60)
        let limiters = [servers.a, servers.b].map { RateLimiter("requests", rate, store: $0) }
        var passed = 0
        for number in 0..<400 {
            let wait = try await limiters[number % 2].take("192.0.2.1", at: servers.clock.now)
            if wait == nil { passed += 1 }
        }
        #expect(passed == 80)
        #expect(try await limiters[0].take("192.0.2.2", at: servers.clock.now) == nil)
        servers.pass(.seconds(60))
        #expect(try await limiters[1].take("192.0.2.1", at: servers.clock.now) == nil)
    }

    @Test("simultaneous requests of an address lease once, and leave tokens to other servers")
    func simultaneous() async throws {
        let rate = TokenBucket.Rate(burst: 80, perMinute: 60), bucket = SlowBucket()
        let limiter = RateLimiter(rate, shared: bucket)
        let requests = (0..<30).map { _ in
            Task { try await limiter.take("192.0.2.1", at: .start) }
        }
        #expect(try await comesToHold { bucket.asked.withLock { $0.count } == 1 })
        // None of the others asks while the first waits.
        try await Task.sleep(for: .milliseconds(50))
        bucket.answer(.granted(tokens: 10, fullAt: Instant.start.milliseconds * 1000 + 80_000_000))
        #expect(try await comesToHold { bucket.asked.withLock { $0.count } == 2 })
        bucket.answer(.refused(wait: .seconds(2)))
        var passed = 0, refused = 0, failed = 0
        for request in requests {
            switch await request.result {
            case .success(nil): passed += 1
            case .success: refused += 1
            case .failure: failed += 1
            }
        }
        #expect(passed == 10 && failed == 0 && refused == 20)
        #expect(bucket.asked.withLock { $0 } == [10, 10], "an eighth of the bucket each time")
    }

    @Test("all requests that wait for a lease fail with the one that asked")
    func failing() async throws {
        let bucket = SlowBucket()
        let limiter = RateLimiter(.init(burst: 80, perMinute: 60), shared: bucket)
        let requests = (0..<5).map { _ in
            Task { try await limiter.take("192.0.2.1", at: .start) }
        }
        #expect(try await comesToHold { bucket.asked.withLock { $0.count } == 1 })
        try await Task.sleep(for: .milliseconds(50))
        bucket.answer(nil)
        for request in requests {
            await #expect(throws: SlowBucket.Failure.self) { try await request.value }
        }
        let next = Task { try await limiter.take("192.0.2.1", at: .start) }
        #expect(try await comesToHold { bucket.asked.withLock { $0.count } == 2 })
        bucket.answer(.granted(tokens: 1, fullAt: Instant.start.milliseconds * 1000 + 80_000_000))
        #expect(try await next.value == nil)
    }

    /// A bucket whose answers the test gives out.
    private final class SlowBucket: SharedBuckets {
        struct Failure: Error {}

        let asked = Locked<[Int]>([])
        private let waiting = Locked<CheckedContinuation<TokenLease.Answer, any Error>?>(nil)

        func take(_ wanted: Int, of key: String, at now: Instant) async throws -> TokenLease.Answer
        {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                asked.withLock { $0.append(wanted) }
            }
        }

        /// Answers the request that waits; with `nil`, it fails.
        func answer(_ answer: TokenLease.Answer?) {
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            if let answer {
                continuation?.resume(returning: answer)
            } else {
                continuation?.resume(throwing: Failure())
            }
        }
    }

    @Test("an app that one server changes is changed for the other at its next use")
    func apps() async throws {
        let servers = try await TwoServers()
        let (a, b) = (AppCatalog(store: servers.a), AppCatalog(store: servers.b))
        #expect(try await a.find(.shop).name == "app_shop")
        #expect(try await b.find(.shop).name == "app_shop")
        let now = servers.clock.now
        try await servers.a.write { tables in
            var app = try #require(try tables.apps.find(.shop))
            app.name = "Renamed"
            #expect(try tables.apps.update(app, at: now))
        }
        #expect(try await b.find(.shop).name == "Renamed")
        #expect(try await servers.b.write { try $0.apps.delete(.shop) })
        await #expect(throws: (any Error).self) { try await a.find(.shop) }
    }
}
