/// The number of attempts of a request without a response, and the delays between them.
///
/// Only requests that are safe to repeat are sent again: the server returns the same response to a
/// step's token twice.
public struct RetryPolicy: Sendable, Hashable {
    /// The number of attempts, including the first: 1…10.
    public var attempts: Int
    /// The delay before the second attempt. It doubles with each further attempt.
    public var firstDelay: Duration
    /// The longest delay. If a server requests a longer one, no further attempt is made.
    public var longestDelay: Duration

    public init(
        attempts: Int = 4, firstDelay: Duration = .milliseconds(250),
        longestDelay: Duration = .seconds(5)
    ) {
        self.attempts = min(max(attempts, 1), 10)
        (self.firstDelay, self.longestDelay) = (firstDelay, longestDelay)
    }

    public static let none = Self(attempts: 1)

    /// Returns the delay after attempt number `attempt` (from 1): a random time between half and
    /// all of the doubled delay, so that clients that failed together do not return together.
    /// - Returns: `nil` to stop.
    func delay(
        after attempt: Int, asked: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard attempt < attempts else { return nil }
        if let asked { return asked <= longestDelay ? asked : nil }
        let full = min(firstDelay * (1 << (attempt - 1)), longestDelay)
        return full * Double.random(in: 0.5...1, using: &generator)
    }
}
