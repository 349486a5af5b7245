package import MienAPI
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

    private struct Lease {
        var tokens = TokenLease()
        /// Whether a request asks the shared bucket for more.
        var isAsking = false
        /// The requests that wait for its answer.
        var waiting: [CheckedContinuation<Void, any Error>] = []
    }

    private let rate: TokenBucket.Rate
    private let shared: (any SharedBuckets)?
    private let buckets = Mutex<[String: TokenBucket]>([:])
    private let leases = Mutex<[String: Lease]>([:])

    package init(_ rate: TokenBucket.Rate, shared: (any SharedBuckets)? = nil) {
        (self.rate, self.shared) = (rate, shared)
    }

    /// - Returns: `nil` if the request may proceed; otherwise the time to wait.
    /// - Throws: The error of the shared buckets.
    package func take(_ key: String, at now: Instant) async throws -> Duration? {
        guard let shared else { return own(key, at: now) }
        // An attack from more addresses than this must be handled by the network in front.
        let key = leases.withLock { leases in
            guard leases.count >= Self.maxKeys, leases[key] == nil else { return key }
            leases = leases.filter { $0.value.isAsking || $0.value.tokens.isUseful(rate, at: now) }
            return leases.count >= Self.maxKeys ? "" : key
        }
        while true {
            switch spend(key, at: now) {
            case .spent: return nil
            case .wait(let wait): return wait
            case .ask: return try await lease(key, from: shared, at: now)
            case .join: try await join(key)
            }
        }
    }

    private enum Step {
        case spent
        case wait(Duration)
        /// To lease tokens.
        case ask
        /// To wait for the request that leases them. If each did, one server would take the whole
        /// bucket and leave nothing to the others.
        case join
    }

    private func spend(_ key: String, at now: Instant) -> Step {
        leases.withLock { leases in
            switch leases[key, default: Lease()].tokens.spend(rate, at: now) {
            case .spent: return .spent
            case .wait(let wait): return .wait(wait)
            case .empty:
                if leases[key]?.isAsking == true { return .join }
                leases[key]?.isAsking = true
                return .ask
            }
        }
    }

    /// Waits until no request asks.
    ///
    /// - Throws: the error of the one that asked.
    private func join(_ key: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isAsking = leases.withLock { leases in
                guard leases[key]?.isAsking == true else { return false }
                leases[key]?.waiting.append(continuation)
                return true
            }
            if !isAsking { continuation.resume() }
        }
    }

    private func lease(_ key: String, from shared: any SharedBuckets, at now: Instant)
        async throws -> Duration?
    {
        do {
            let answer = try await shared.take(TokenLease.share(of: rate), of: key, at: now)
            let wait = leases.withLock {
                $0[key, default: Lease()].tokens.add(answer, rate, at: now)
            }
            finish(key, with: .success(()))
            return wait
        } catch {
            // Give this error to all that wait: each would fail in the same way after the same
            // wait.
            finish(key, with: .failure(error))
            throw error
        }
    }

    /// Resumes the requests that wait for the answer.
    private func finish(_ key: String, with result: Result<Void, any Error>) {
        let waiting = leases.withLock { leases in
            leases[key]?.isAsking = false
            defer { leases[key]?.waiting = [] }
            return leases[key]?.waiting ?? []
        }
        for continuation in waiting { continuation.resume(with: result) }
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
