internal import MienAccess
internal import MienCore
internal import Synchronization

/// Token buckets by key: an address, an account. Bounded: full buckets are forgotten, and of too
/// many the oldest.
final class RateLimiter: Sendable {
    private static let maxKeys = 100_000

    private let rate: TokenBucket.Rate
    private let buckets = Mutex<[String: TokenBucket]>([:])

    init(_ rate: TokenBucket.Rate) { self.rate = rate }

    /// - Returns: `nil` when the request may go on, else how long to wait.
    func take(_ key: String, at now: Instant) -> Duration? {
        buckets.withLock { buckets in
            if buckets.count >= Self.maxKeys, buckets[key] == nil {
                buckets = buckets.filter { !$0.value.isFull(rate, at: now) }
                // An attack from more addresses than that is for the network in front; new
                // addresses then share one bucket.
                if buckets.count >= Self.maxKeys {
                    return buckets["", default: TokenBucket(rate, at: now)].take(rate, at: now)
                }
            }
            return buckets[key, default: TokenBucket(rate, at: now)].take(rate, at: now)
        }
    }
}
