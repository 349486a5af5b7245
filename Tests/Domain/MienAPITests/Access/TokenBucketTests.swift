import MienAPI
import MienCore
import MienTesting
import Testing

@Suite struct TokenBucketTests {
    static let start = Instant(milliseconds: 1_700_000_000_000)

    @Test func `a burst passes, then one request per interval`() {
        let rate = TokenBucket.Rate(burst: 3, perMinute: 60)
        var bucket = TokenBucket(rate, at: Self.start)
        #expect((0..<3).allSatisfy { _ in bucket.take(rate, at: Self.start) == nil })
        #expect(bucket.take(rate, at: Self.start) == .seconds(1))
        #expect(bucket.take(rate, at: Self.start + .milliseconds(600)) == .milliseconds(400))
        #expect(bucket.take(rate, at: Self.start + .seconds(1)) == nil)
        #expect(bucket.take(rate, at: Self.start + .seconds(1)) == .seconds(1))
    }

    @Test func `a clock that goes back adds no tokens, and its return adds them once`() {
        let rate = TokenBucket.Rate(burst: 1, perMinute: 60)
        var bucket = TokenBucket(rate, at: Self.start)
        #expect(bucket.take(rate, at: Self.start) == nil)
        for _ in 0..<10 {
            #expect(bucket.take(rate, at: Self.start - .seconds(3600)) != nil)
            #expect(bucket.take(rate, at: Self.start) != nil)
        }
        #expect(
            bucket.take(rate, at: Instant(milliseconds: .min)) != nil
                && bucket.take(rate, at: Instant(milliseconds: .max)) == nil)
    }

    @Test func `a bucket never contains more than the burst`() {
        let rate = TokenBucket.Rate(burst: 5, perMinute: 1_000_000)
        var bucket = TokenBucket(rate, at: Self.start)
        let later = Self.start + .seconds(86_400)
        #expect((0..<10).filter { _ in bucket.take(rate, at: later) == nil }.count == 5)
    }

    @Test func `a request passes after the reported wait, and no sooner`() {
        var generator = TestSeed.generator(41)
        for _ in 0..<2000 {
            let rate = TokenBucket.Rate(
                burst: .random(in: 1...20, using: &generator),
                perMinute: .random(in: 1...100_000, using: &generator))
            var bucket = TokenBucket(rate, at: Self.start), now = Self.start
            for _ in 0..<rate.burst + 3 {
                now = now + .milliseconds(.random(in: 0...20, using: &generator))
                guard let wait = bucket.take(rate, at: now) else { continue }
                #expect(wait > .zero)
                var early = bucket
                if wait > .milliseconds(1) {
                    #expect(early.take(rate, at: now + wait - .milliseconds(1)) != nil, "\(rate)")
                }
                #expect(bucket.take(rate, at: now + wait) == nil, "\(rate)")
                now = now + wait
            }
        }
    }

    @Test func `no more requests pass in any period than burst and rate allow`() {
        var generator = TestSeed.generator(42)
        let rate = TokenBucket.Rate(burst: 10, perMinute: 120)
        var bucket = TokenBucket(rate, at: Self.start), now = Self.start, passed = 0
        while now < Self.start + .seconds(600) {
            now = now + .milliseconds(.random(in: 0...100, using: &generator))
            if bucket.take(rate, at: now) == nil { passed += 1 }
        }
        #expect((1200...1210).contains(passed))
    }

    @Test func `a full bucket may be dropped`() {
        let rate = TokenBucket.Rate(burst: 2, perMinute: 60)
        var bucket = TokenBucket(rate, at: Self.start)
        #expect(bucket.isFull(rate, at: Self.start))
        _ = bucket.take(rate, at: Self.start)
        #expect(
            !bucket.isFull(rate, at: Self.start + .milliseconds(999))
                && bucket.isFull(rate, at: Self.start + .seconds(1)))
    }

    @Test(arguments: [(0, 1), (1, 0), (1_000_001, 1), (1, 1_000_001)])
    func `a rate out of range is a bug`(burst: Int, perMinute: Int) async {
        await #expect(processExitsWith: .failure) {
            [burst = burst as Int, perMinute = perMinute as Int] in
            _ = TokenBucket.Rate(burst: burst, perMinute: perMinute)
        }
    }
}
