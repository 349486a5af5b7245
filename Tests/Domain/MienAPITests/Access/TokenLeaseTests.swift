import MienCore
import MienTesting
import Testing

@testable import MienAPI

@Suite("Leased tokens")
struct TokenLeaseTests {
    /// A shared bucket, as the store keeps it.
    private struct Bucket {
        var fullAt: Int64 = 0

        mutating func take(_ wanted: Int, _ rate: TokenBucket.Rate, at now: Instant)
            -> TokenLease.Answer
        {
            let now = now.milliseconds * 1000, interval = rate.intervalMicroseconds
            let latest = now + Int64(rate.burst) * interval
            for tokens in [wanted, 1] where max(fullAt, now) + Int64(tokens) * interval <= latest {
                fullAt = max(fullAt, now) + Int64(tokens) * interval
                return .granted(tokens: tokens, fullAt: fullAt)
            }
            return .refused(
                wait: .milliseconds((max(fullAt, now) + interval - latest + 999) / 1000))
        }
    }

    private static let start = Instant(milliseconds: 1_700_000_000_000)

    /// One request: whether it passes, and whether it asked the bucket.
    private static func request(
        _ lease: inout TokenLease, _ bucket: inout Bucket, _ rate: TokenBucket.Rate,
        at now: Instant
    ) -> (passes: Bool, asks: Bool) {
        switch lease.spend(rate, at: now) {
        case .spent: return (true, false)
        case .wait: return (false, false)
        case .empty:
            let answer = bucket.take(TokenLease.share(of: rate), rate, at: now)
            return (lease.add(answer, rate, at: now) == nil, true)
        }
    }

    @Test("servers together never allow more than one bucket does", arguments: [1, 2, 3, 8])
    func strict(servers: Int) {
        let rate = TokenBucket.Rate(burst: 80, perMinute: 60)
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed), bucket = Bucket(), now = Self.start
            var leases = Array(repeating: TokenLease(), count: servers), passed: [Instant] = []
            // Bursts and pauses, and servers that die and start again.
            for _ in 0..<1500 {
                let pause = Int.random(in: 0..<40, using: &random) == 0 ? 60_000 : 1500
                now = now + .milliseconds(Int64.random(in: 0...Int64(pause), using: &random))
                let server = Int.random(in: 0..<servers, using: &random)
                if Int.random(in: 0..<200, using: &random) == 0 { leases[server] = TokenLease() }
                if Self.request(&leases[server], &bucket, rate, at: now).passes {
                    passed.append(now)
                }
            }
            // In every span of time: the burst, and what the time refills.
            for first in passed.indices {
                for last in first..<passed.count {
                    let minutes = Double((passed[last] - passed[first]).milliseconds) / 60_000
                    let allowed = Double(rate.burst) + minutes * Double(rate.perMinute)
                    guard Double(last - first + 1) > allowed + 1e-6 else { continue }
                    Issue.record(
                        "seed \(seed): \(last - first + 1) requests where \(allowed) may pass")
                    return
                }
            }
        }
    }

    @Test("a server that is alone allows what a bucket in memory does, with few questions")
    func alone() {
        let rate = TokenBucket.Rate(burst: 80, perMinute: 60)
        var random = SeededGenerator(seed: 3), now = Self.start
        var lease = TokenLease(), shared = Bucket(), own = TokenBucket(rate, at: now)
        var passed = 0, expected = 0, asked = 0, requests = 0
        for _ in 0..<5000 {
            now = now + .milliseconds(Int64.random(in: 0...1500, using: &random))
            let result = Self.request(&lease, &shared, rate, at: now)
            requests += 1
            passed += result.passes ? 1 : 0
            asked += result.asks ? 1 : 0
            expected += own.take(rate, at: now) == nil ? 1 : 0
        }
        #expect(expected < requests, "the limit was reached")
        #expect(passed <= expected && passed > expected - rate.burst, "\(passed) of \(expected)")
        #expect(asked < requests)
    }

    @Test("a burst is allowed in full, with one question for an eighth of it")
    func burst() {
        let rate = TokenBucket.Rate(burst: 80, perMinute: 60)
        var lease = TokenLease(), bucket = Bucket(), asked = 0, passed = 0
        for _ in 0..<200 {
            let result = Self.request(&lease, &bucket, rate, at: Self.start)
            passed += result.passes ? 1 : 0
            asked += result.asks ? 1 : 0
        }
        #expect(passed == 80)
        // Eight leases, and one refusal, after which nothing is asked.
        #expect(asked == 9)
    }
}
