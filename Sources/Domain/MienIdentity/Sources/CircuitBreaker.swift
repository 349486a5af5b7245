public import MienCore

/// Stops requests to a source that keeps failing. Pure.
///
/// After ``failures`` failures in a row, requests are refused for ``pause``. Then one request tries;
/// its success closes the breaker, its failure starts another pause.
public struct CircuitBreaker: Sendable, Hashable {
    public let failures: Int
    public let pause: Duration
    private var count = 0
    private var openUntil: Instant?
    private var triedAt: Instant?

    /// - Parameter failures: 1 or more.
    public init(failures: Int = 5, pause: Duration = .seconds(30)) {
        (self.failures, self.pause) = (max(1, failures), pause)
    }

    /// Whether a request may be sent. Of several at the end of a pause, one may; another may after
    /// ``pause`` if its result never arrives.
    public mutating func begin(at now: Instant) -> Bool {
        guard let openUntil else { return true }
        guard now >= openUntil else { return false }
        if let triedAt, now < triedAt + pause { return false }
        triedAt = now
        return true
    }

    public mutating func succeed() {
        (count, openUntil, triedAt) = (0, nil, nil)
    }

    public mutating func fail(at now: Instant) {
        count = min(count + 1, failures)
        if count == failures { (openUntil, triedAt) = (now + pause, nil) }
    }
}
