/// A verifier's memory of a counting token. Pure: whoever stores it compares and sets, so that two
/// requests cannot spend one code.
///
/// The counter never goes back. A code behind it, used or skipped, is never right again, and there
/// is no call to make it so: a token restored from a backup has to be registered anew, because
/// whoever could bring the counter back could also use codes that somebody else has seen.
public struct HOTPVerifier: Sendable, Hashable {
    /// How many codes ahead may be taken, when a person has made codes without sending them. Each
    /// makes a guess that much easier.
    public static let lookAheads = 0...100

    /// The first counter whose code is still good.
    public private(set) var nextCounter: UInt64
    public let lookAhead: Int

    public init(nextCounter: UInt64 = 0, lookAhead: Int = 10) throws(OTPError) {
        guard Self.lookAheads.contains(lookAhead) else {
            throw OTPError(
                .window,
                "a verifier looks \(Self.lookAheads.lowerBound) to \(Self.lookAheads.upperBound) codes ahead, not \(lookAhead)"
            )
        }
        (self.nextCounter, self.lookAhead) = (nextCounter, lookAhead)
    }

    /// Looks for `code` at ``nextCounter`` and ``lookAhead`` places behind it; a right one moves
    /// the counter past itself.
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

    /// The very last counter is never used, so that there is always a next one.
    private var window: Range<UInt64> {
        let (end, overflow) = nextCounter.addingReportingOverflow(UInt64(lookAhead) + 1)
        return nextCounter..<(overflow ? .max : end)
    }
}
