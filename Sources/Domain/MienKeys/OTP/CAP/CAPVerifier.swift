/// The verifier's state for a CAP token. Pure: the caller stores it with compare-and-set, so that
/// two requests cannot use the same code.
///
/// As for ``HOTPVerifier``, the counter never goes back. All modes share it: a code that answers a
/// challenge or signs uses up its counter for the others.
public struct CAPVerifier: Sendable, Hashable {
    private var search: CounterSearch

    /// The first counter whose code is still valid; 65,536 after the last one.
    public var nextCounter: UInt64 { search.nextCounter }
    /// The number of codes ahead that are accepted.
    public var lookAhead: Int { search.lookAhead }
    /// As in ``HOTPVerifier``.
    public var awaitedCounter: UInt64? { search.awaitedCounter }

    /// - Parameters:
    ///   - nextCounter: 0 for a new token.
    ///   - lookAhead: 0…100.
    ///   - reach: As in ``HOTPVerifier``.
    ///   - awaitedCounter: The stored ``awaitedCounter``.
    public init(
        nextCounter: UInt64 = 0, lookAhead: Int = 10, reach: Int = 0, awaitedCounter: UInt64? = nil
    ) throws(OTPError) {
        search = try CounterSearch(
            nextCounter: max(nextCounter, UInt64(CAP.counters.lowerBound)), lookAhead: lookAhead,
            reach: reach, awaitedCounter: awaitedCounter, end: UInt64(CAP.counters.upperBound) + 1)
    }

    /// Searches for `code` at ``nextCounter`` and the ``lookAhead`` counters after it. A match moves
    /// the counter past it. Leading zeros may be missing, as on card readers.
    ///
    /// - Throws: as ``CAP/code(_:at:with:)``.
    public mutating func verify(
        _ code: OneTimeCode, _ mode: CAPMode, _ cap: CAP, with key: OTPSecret
    ) throws(OTPError) -> CodeVerdict {
        let typed = code.padded(to: cap.digits)
        return try search.verify { counter throws(OTPError) in
            typed.matches(try cap.code(mode, at: UInt16(counter), with: key))
        }
    }
}
