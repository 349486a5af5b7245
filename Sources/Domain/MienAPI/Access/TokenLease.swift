public import MienCore

/// Tokens that one server holds of a bucket that several servers share. Pure.
///
/// A bucket refills with time, so unused tokens need not be given back: they come back in the bucket
/// by themselves. To keep the sum of both below the bucket's size, a lease never holds more tokens
/// than the bucket lacks. So a server that dies loses at most what it held, and for no longer than
/// the bucket takes to refill it; and all servers together never allow more than one bucket would.
public struct TokenLease: Sendable, Hashable {
    /// The answer of a shared bucket.
    public enum Answer: Sendable, Hashable {
        /// - Parameter fullAt: The time at which the bucket is full again, in microseconds since
        ///   1970.
        case granted(tokens: Int, fullAt: Int64)
        /// - Parameter wait: The time until the next token.
        case refused(wait: Duration)
    }

    public enum Decision: Sendable, Hashable {
        case spent
        case wait(Duration)
        /// Tokens have to be leased.
        case empty
    }

    private var tokens = 0
    private var fullAt: Int64 = 0
    /// Nothing is asked of the bucket before this time, because it has no token until then.
    private var refusedUntil: Instant?

    public init() {}

    /// The number of tokens to lease at once: an eighth of the bucket.
    public static func share(of rate: TokenBucket.Rate) -> Int { max(1, rate.burst / 8) }

    public mutating func spend(_ rate: TokenBucket.Rate, at now: Instant) -> Decision {
        tokens = usable(rate, at: now)
        if tokens > 0 {
            tokens -= 1
            return .spent
        }
        guard let refusedUntil, now < refusedUntil else { return .empty }
        return .wait(refusedUntil - now)
    }

    /// Adds the tokens of an answer and spends one of them.
    ///
    /// - Returns: `nil` if there was one; otherwise the time to wait.
    public mutating func add(_ answer: Answer, _ rate: TokenBucket.Rate, at now: Instant)
        -> Duration?
    {
        switch answer {
        case .granted(let count, let fullAt):
            tokens = usable(rate, at: now) + count - 1
            self.fullAt = max(self.fullAt, fullAt)
            refusedUntil = nil
            return nil
        case .refused(let wait):
            refusedUntil = now + wait
            return wait
        }
    }

    /// Whether dropping the lease would lose something.
    public func isUseful(_ rate: TokenBucket.Rate, at now: Instant) -> Bool {
        usable(rate, at: now) > 0 || refusedUntil.map { now < $0 } ?? false
    }

    /// The tokens that are left, at most as many as the bucket lacks.
    private func usable(_ rate: TokenBucket.Rate, at now: Instant) -> Int {
        let missing = max(0, fullAt - now.milliseconds * 1000) / rate.intervalMicroseconds
        return min(tokens, Int(missing))
    }
}
