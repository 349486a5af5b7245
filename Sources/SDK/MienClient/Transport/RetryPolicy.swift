/// How often a request that brought no answer is sent again, and after how long.
///
/// Only what may be sent again safely is: the server gives the same answer to a step's token twice.
public struct RetryPolicy: Sendable, Hashable {
    /// 1…10, the first one included.
    public var attempts: Int
    /// Before the second attempt; then twice as long each time.
    public var firstDelay: Duration
    /// No wait is longer; a server that asks for a longer one is not asked again.
    public var longestDelay: Duration

    public init(
        attempts: Int = 4, firstDelay: Duration = .milliseconds(250),
        longestDelay: Duration = .seconds(5)
    ) {
        self.attempts = min(max(attempts, 1), 10)
        (self.firstDelay, self.longestDelay) = (firstDelay, longestDelay)
    }

    public static let none = Self(attempts: 1)

    /// The wait after attempt number `attempt` (from 1), between half and all of what the doubling
    /// says: clients that failed together do not come back together.
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
