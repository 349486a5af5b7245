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

    /// The number of codes beyond the look-ahead with which a token can be resynchronized.
    public static let reaches = 0...1000

    private var search: CounterSearch

    /// The first counter whose code is still valid.
    public var nextCounter: UInt64 { search.nextCounter }
    public var lookAhead: Int { search.lookAhead }
    /// The counter whose code resynchronizes the token, after a right code from beyond the
    /// look-ahead. Store it with ``nextCounter``.
    public var awaitedCounter: UInt64? { search.awaitedCounter }

    /// - Parameters:
    ///   - reach: How many codes beyond the look-ahead resynchronize: two consecutive right codes
    ///     are accepted as one (RFC 4226 §7.4). 0 for no resynchronization.
    ///   - awaitedCounter: The stored ``awaitedCounter``.
    public init(
        nextCounter: UInt64 = 0, lookAhead: Int = 10, reach: Int = 0, awaitedCounter: UInt64? = nil
    ) throws(OTPError) {
        // The last counter is never used, so that a next one always exists.
        search = try CounterSearch(
            nextCounter: nextCounter, lookAhead: lookAhead, reach: reach,
            awaitedCounter: awaitedCounter, end: .max)
    }

    /// Searches for `code` at ``nextCounter`` and the ``lookAhead`` counters after it. A match
    /// moves the counter past it. A match further ahead, within the reach, is refused and sets
    /// ``awaitedCounter``.
    public mutating func verify(_ code: OneTimeCode, _ hotp: HOTP, with secret: OTPSecret)
        -> CodeVerdict
    {
        verify(code) { hotp.code(at: $0, with: secret) }
    }

    mutating func verify<E: Error>(_ code: OneTimeCode, expected: (UInt64) throws(E) -> OneTimeCode)
        throws(E) -> CodeVerdict
    {
        try search.verify { counter throws(E) in code.matches(try expected(counter)) }
    }
}
