package import MienAPI
package import MienCore
package import MienStore

/// A limit on what may be done to or with one account, name, or credential.
///
/// It is kept in the store and taken from in one statement, so that it holds however many servers
/// there are, and outlives them. ``RateLimiter`` limits addresses, of which there are too many for
/// that.
package struct RateLimit: Sendable {
    private let name: String
    private let rate: TokenBucket.Rate
    private let store: Store
    private let clock: ServerClock

    /// - Parameter name: Tells the limits apart. Two with the same name share their counts.
    package init(_ name: String, _ rate: TokenBucket.Rate, store: Store, clock: ServerClock) {
        (self.name, self.rate, self.store, self.clock) = (name, rate, store, clock)
    }

    /// - Parameter subject: The name or address to limit. Stored as a keyed hash.
    /// - Returns: `nil` if the request may proceed; otherwise the time to wait.
    package func take(_ subject: String) async throws -> Duration? {
        let now = clock.now
        return try await store.write(.process) { try take(subject, in: $0, at: now) }
    }

    /// Takes part in a transaction.
    package func take(_ subject: String, in tables: Tables, at now: Instant) throws -> Duration? {
        let hash = store.keys.hash(ofSecret: Array("rate \(name) \(subject)".utf8))
        switch try tables.rates.take(of: name, hash, rate, at: now) {
        case .granted: return nil
        case .refused(let wait): return wait
        }
    }
}

/// The buckets of a limit on addresses, in a store that several servers share.
package struct StoredBuckets: SharedBuckets {
    private let name: String
    private let rate: TokenBucket.Rate
    private let store: Store

    fileprivate init(name: String, rate: TokenBucket.Rate, store: Store) {
        (self.name, self.rate, self.store) = (name, rate, store)
    }

    package func take(_ wanted: Int, of key: String, at now: Instant) async throws
        -> TokenLease.Answer
    {
        let hash = store.keys.hash(ofSecret: Array("rate \(name) \(key)".utf8))
        return try await store.write(.process) {
            try $0.rates.take(wanted, of: name, hash, rate, at: now)
        }
    }
}

extension RateLimiter {
    /// Limits addresses. Servers that share the store's database also share the limit.
    ///
    /// - Parameter name: Tells the limits apart.
    package convenience init(_ name: String, _ rate: TokenBucket.Rate, store: Store) {
        self.init(
            rate,
            shared: store.isShared ? StoredBuckets(name: name, rate: rate, store: store) : nil)
    }
}
