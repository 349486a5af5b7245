package import MienAccess
package import MienCore
internal import Synchronization

/// The buckets of a limit that several servers share.
package protocol SharedBuckets: Sendable {
    /// Takes as many tokens as there are, at most `wanted`.
    func take(_ wanted: Int, of key: String, at now: Instant) async throws -> TokenLease.Answer
}

/// Token buckets by key, such as an address. Their number is bounded: at the limit, full buckets are
/// dropped, and further keys share one bucket.
///
/// A server that is alone keeps them in memory. Servers that share a database lease tokens from its
/// buckets, several at a time, so that most requests cost no write (``TokenLease``).
package final class RateLimiter: Sendable {
    private static let maxKeys = 100_000

    private let rate: TokenBucket.Rate
    private let shared: (any SharedBuckets)?
    private let buckets = Mutex<[String: TokenBucket]>([:])
    private let leases = Mutex<[String: TokenLease]>([:])

    package init(_ rate: TokenBucket.Rate, shared: (any SharedBuckets)? = nil) {
        (self.rate, self.shared) = (rate, shared)
    }

    /// - Returns: `nil` if the request may proceed; otherwise the time to wait.
    /// - Throws: The error of the shared buckets.
    package func take(_ key: String, at now: Instant) async throws -> Duration? {
        guard let shared else { return own(key, at: now) }
        // An attack from more addresses than this must be handled by the network in front.
        let (key, decision) = leases.withLock { leases in
            var key = key
            if leases.count >= Self.maxKeys, leases[key] == nil {
                leases = leases.filter { $0.value.isUseful(rate, at: now) }
                if leases.count >= Self.maxKeys { key = "" }
            }
            return (key, leases[key, default: TokenLease()].spend(rate, at: now))
        }
        switch decision {
        case .spent: return nil
        case .wait(let wait): return wait
        case .empty: break
        }
        let answer = try await shared.take(TokenLease.share(of: rate), of: key, at: now)
        return leases.withLock { leases in
            leases[key, default: TokenLease()].add(answer, rate, at: now)
        }
    }

    private func own(_ key: String, at now: Instant) -> Duration? {
        buckets.withLock { buckets in
            if buckets.count >= Self.maxKeys, buckets[key] == nil {
                buckets = buckets.filter { !$0.value.isFull(rate, at: now) }
                // New addresses then share one bucket.
                if buckets.count >= Self.maxKeys {
                    return buckets["", default: TokenBucket(rate, at: now)].take(rate, at: now)
                }
            }
            return buckets[key, default: TokenBucket(rate, at: now)].take(rate, at: now)
        }
    }
}
