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
    private struct Lease {
        var tokens = TokenLease()
        /// Whether a request asks the shared bucket for more.
        var isAsking = false
        /// The requests that wait for its answer.
        var waiting: [CheckedContinuation<Bool, any Error>] = []
    }

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
        var decision = leases.withLock { $0[key, default: Lease()].tokens.spend(rate, at: now) }
        while true {
            switch decision {
            case .spent: return nil
            case .wait(let wait): return wait
            case .empty: break
            }
            guard let next = try await turn(to: key, at: now) else {
                return try await lease(key, from: shared, at: now)
            }
            decision = next
        }
    }

    /// Waits while another request asks for tokens. If each asked, one server would take the whole
    /// bucket and leave nothing to the others.
    ///
    /// - Returns: what to do after another request has asked; `nil` if this one has to.
    /// - Throws: the error of that request.
    private func turn(to key: String, at now: Instant) async throws -> TokenLease.Decision? {
        let isFirst = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Bool, any Error>) in
            let isFirst = leases.withLock { leases in
                if leases[key, default: Lease()].isAsking {
                    leases[key, default: Lease()].waiting.append(continuation)
                    return false
                }
                leases[key, default: Lease()].isAsking = true
                return true
            }
            if isFirst { continuation.resume(returning: true) }
        }
        let decision = leases.withLock { $0[key, default: Lease()].tokens.spend(rate, at: now) }
        guard isFirst else { return decision }
        // Another request may have leased tokens in the meantime.
        if decision == .empty { return nil }
        finish(key, with: .success(false))
        return decision
    }

    private func lease(_ key: String, from shared: any SharedBuckets, at now: Instant)
        async throws -> Duration?
    {
        do {
            let answer = try await shared.take(TokenLease.share(of: rate), of: key, at: now)
            let wait = leases.withLock {
                $0[key, default: Lease()].tokens.add(answer, rate, at: now)
            }
            finish(key, with: .success(false))
            return wait
        } catch {
            // Each of the others would wait as long for the same.
            finish(key, with: .failure(error))
            throw error
        }
    }

    /// Resumes the requests that wait for the answer.
    private func finish(_ key: String, with result: Result<Bool, any Error>) {
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
