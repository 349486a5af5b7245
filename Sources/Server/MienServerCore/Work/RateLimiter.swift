package import MienAccess
package import MienCore
internal import Synchronization

/// Token buckets by key, such as an address or account. Their number is bounded: at the limit, full
/// buckets are dropped, and further keys share one bucket.
package final class RateLimiter: Sendable {
    private static let maxKeys = 100_000

    private let rate: TokenBucket.Rate
    private let buckets = Mutex<[String: TokenBucket]>([:])

    package init(_ rate: TokenBucket.Rate) { self.rate = rate }

    /// - Returns: `nil` if the request may proceed; otherwise the time to wait.
    package func take(_ key: String, at now: Instant) -> Duration? {
        buckets.withLock { buckets in
            if buckets.count >= Self.maxKeys, buckets[key] == nil {
                buckets = buckets.filter { !$0.value.isFull(rate, at: now) }
                // An attack from more addresses than this must be handled by the network in front.
                // New addresses then share one bucket.
                if buckets.count >= Self.maxKeys {
                    return buckets["", default: TokenBucket(rate, at: now)].take(rate, at: now)
                }
            }
            return buckets[key, default: TokenBucket(rate, at: now)].take(rate, at: now)
        }
    }
}
