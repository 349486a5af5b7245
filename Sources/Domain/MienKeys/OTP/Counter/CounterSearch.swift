/// A verifier's search for a code at the counters that may be next, and what it remembers of codes
/// from further ahead.
///
/// Resynchronization (RFC 4226 §7.4): a code from beyond the look-ahead is refused, but the code
/// after it is accepted. A guess would have to be right twice in a row.
struct CounterSearch: Sendable, Hashable {
    /// The first counter whose code is still valid.
    private(set) var nextCounter: UInt64
    let lookAhead: Int
    /// The number of counters beyond the look-ahead that resynchronize; 0 for none.
    let reach: Int
    /// The counter after that of the last code from beyond the look-ahead.
    private(set) var awaitedCounter: UInt64?
    /// The counter after the last one that may be used.
    private let end: UInt64

    init(nextCounter: UInt64, lookAhead: Int, reach: Int, awaitedCounter: UInt64?, end: UInt64)
        throws(OTPError)
    {
        let allowed = HOTPVerifier.lookAheads, reaches = HOTPVerifier.reaches
        guard allowed.contains(lookAhead) else {
            throw OTPError(
                .window,
                "the look-ahead must be \(allowed.lowerBound) to \(allowed.upperBound) codes, not \(lookAhead)"
            )
        }
        guard reaches.contains(reach) else {
            throw OTPError(
                .window,
                "the reach must be \(reaches.lowerBound) to \(reaches.upperBound) codes, not \(reach)"
            )
        }
        (self.nextCounter, self.lookAhead, self.reach) = (nextCounter, lookAhead, reach)
        (self.awaitedCounter, self.end) = (awaitedCounter, end)
    }

    /// Checks every counter even after a match, so that the duration does not reveal where, or
    /// whether, the code was found.
    ///
    /// - Parameter isRight: Whether the code is that of a counter.
    mutating func verify<E: Error>(_ isRight: (UInt64) throws(E) -> Bool) throws(E) -> CodeVerdict {
        let far = counter(after: nextCounter, by: lookAhead + 1)
        var found: UInt64?, ahead: UInt64?
        for counter in nextCounter..<far {
            if try isRight(counter), found == nil { found = counter }
        }
        for counter in far..<counter(after: far, by: reach) {
            guard try isRight(counter) else { continue }
            if counter == awaitedCounter, found == nil { found = counter }
            if ahead == nil { ahead = counter }
        }
        guard let found else {
            if let ahead { awaitedCounter = ahead + 1 }
            return .refused
        }
        (nextCounter, awaitedCounter) = (found + 1, nil)
        return .accepted(at: found)
    }

    private func counter(after counter: UInt64, by count: Int) -> UInt64 {
        counter >= end || end - counter <= UInt64(count)
            ? max(end, counter) : counter + UInt64(count)
    }
}
