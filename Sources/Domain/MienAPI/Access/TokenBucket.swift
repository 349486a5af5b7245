public import MienCore

/// A rate limit: a bucket that fills with tokens at a steady rate. Each request takes one token.
/// Pure.
public struct TokenBucket: Sendable, Hashable {
    public struct Rate: Sendable, Hashable {
        /// The maximum number of requests at once, 1...1,000,000.
        public let burst: Int
        /// Requests per minute after the burst, 1...1,000,000.
        public let perMinute: Int

        /// - Precondition: both values are in range.
        public init(burst: Int, perMinute: Int) {
            precondition(
                (1...1_000_000).contains(burst) && (1...1_000_000).contains(perMinute),
                "a rate must be 1...1,000,000")
            (self.burst, self.perMinute) = (burst, perMinute)
        }

        /// The time between two tokens, rounded down.
        public var intervalMicroseconds: Int64 { 60_000_000 / Int64(perMinute) }
    }

    private var tokens: Double
    private var filledAt: Instant

    public init(_ rate: Rate, at now: Instant) { (tokens, filledAt) = (Double(rate.burst), now) }

    /// Takes a token if one is available. A clock that goes back adds no tokens.
    /// - Returns: `nil` if the request may proceed, otherwise the time until the next token.
    public mutating func take(_ rate: Rate, at now: Instant) -> Duration? {
        let minutes = Double(max(0, (now - filledAt).milliseconds)) / 60_000
        tokens = min(Double(rate.burst), tokens + minutes * Double(rate.perMinute))
        filledAt = max(filledAt, now)
        guard tokens < 1 else {
            tokens -= 1
            return nil
        }
        return .milliseconds(Int64(((1 - tokens) / Double(rate.perMinute) * 60_000).rounded(.up)))
    }

    /// Whether the bucket is full again, so that it can be dropped without effect.
    public func isFull(_ rate: Rate, at now: Instant) -> Bool {
        tokens + Double(max(0, (now - filledAt).milliseconds)) / 60_000 * Double(rate.perMinute)
            >= Double(rate.burst)
    }
}
