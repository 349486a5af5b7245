public import MienCore

/// Stops requests to a source that keeps failing. Pure.
///
/// After ``failures`` failures in a row, requests are refused for ``pause``. Then one request tries;
/// its success closes the breaker, its failure starts another pause.
public struct CircuitBreaker: Sendable, Hashable {
    public let failures: Int
    public let pause: Duration
    private var state = State.closed(failures: 0)

    private enum State: Sendable, Hashable {
        /// So many failures in a row.
        case closed(failures: Int)
        /// One request may try after `until`.
        case open(until: Instant, triedAt: Instant?)
    }

    /// - Parameter failures: 1 or more.
    public init(failures: Int = 5, pause: Duration = .seconds(30)) {
        (self.failures, self.pause) = (max(1, failures), pause)
    }

    /// Whether a request may be sent. Of several at the end of a pause, one may; another may after
    /// ``pause`` if its result never arrives.
    public mutating func begin(at now: Instant) -> Bool {
        guard case .open(let until, let triedAt) = state else { return true }
        guard now >= until else { return false }
        if let triedAt, now < triedAt + pause { return false }
        state = .open(until: until, triedAt: now)
        return true
    }

    public mutating func succeed() { state = .closed(failures: 0) }

    public mutating func fail(at now: Instant) {
        if case .closed(let count) = state, count + 1 < failures {
            state = .closed(failures: count + 1)
        } else {
            state = .open(until: now + pause, triedAt: nil)
        }
    }
}
