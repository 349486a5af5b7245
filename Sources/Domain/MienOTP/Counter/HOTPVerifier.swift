/// The verifier's state for a counter-based OTP token. Pure: the caller stores it with
/// compare-and-set, so that two requests cannot use the same code.
///
/// The counter never goes back. A code behind it, used or skipped, never becomes valid again, and
/// no function can undo that. An OTP token restored from a backup must be registered again, because
/// a person who could move the counter back could also use codes that somebody else has seen.
public struct HOTPVerifier: Sendable, Hashable {
    /// The number of codes ahead that are accepted, for codes that a person generated without
    /// sending. Each one makes guessing easier.
    public static let lookAheads = 0...100

    /// The first counter whose code is still valid.
    public private(set) var nextCounter: UInt64
    public let lookAhead: Int

    public init(nextCounter: UInt64 = 0, lookAhead: Int = 10) throws(OTPError) {
        guard Self.lookAheads.contains(lookAhead) else {
            throw OTPError(
                .window,
                "the look-ahead must be \(Self.lookAheads.lowerBound) to \(Self.lookAheads.upperBound) codes, not \(lookAhead)"
            )
        }
        (self.nextCounter, self.lookAhead) = (nextCounter, lookAhead)
    }

    /// Searches for `code` at ``nextCounter`` and the ``lookAhead`` counters after it. A match
    /// moves the counter past it.
    public mutating func verify(_ code: OneTimeCode, _ hotp: HOTP, with secret: OTPSecret)
        -> CodeVerdict
    {
        verify(code) { hotp.code(at: $0, with: secret) }
    }

    mutating func verify<E: Error>(_ code: OneTimeCode, expected: (UInt64) throws(E) -> OneTimeCode)
        throws(E) -> CodeVerdict
    {
        var search = CodeSearch()
        for counter in window {
            search.look(at: counter, for: code, expected: try expected(counter))
        }
        guard let counter = search.found else { return .refused }
        nextCounter = counter + 1
        return .accepted(at: counter)
    }

    /// The last counter is never used, so that a next one always exists.
    private var window: Range<UInt64> {
        let (end, overflow) = nextCounter.addingReportingOverflow(UInt64(lookAhead) + 1)
        return nextCounter..<(overflow ? .max : end)
    }
}
