/// Waiting in tests for something that comes by itself.
public enum Patience {
    /// More than a machine needs that also builds: only a fault takes this long. Less than the minute
    /// after which `scripts/test` takes tests for stalled and ends them, so that a test can say what it
    /// saw.
    public static let limit = Duration.seconds(50)

    /// Looks again and again until what it sees is as wanted, or the time is up.
    ///
    /// - Returns: What it saw last, which a test judges and shows.
    public static func see<Value>(
        within limit: Duration = Patience.limit, _ look: () async throws -> Value,
        until isWanted: (Value) throws -> Bool
    ) async throws -> Value {
        let end = ContinuousClock.now + limit
        while true {
            let value = try await look()
            if try isWanted(value) || ContinuousClock.now > end { return value }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Asks again and again until the answer is yes, or the time is up.
    ///
    /// - Returns: The last answer.
    public static func holds(
        within limit: Duration = Patience.limit, _ condition: () async throws -> Bool
    ) async throws -> Bool {
        try await see(within: limit, condition) { $0 }
    }
}
