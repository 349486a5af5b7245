/// The verifier's state for a CAP token. Pure: the caller stores it with compare-and-set, so that
/// two requests cannot use the same code.
///
/// As for ``HOTPVerifier``, the counter never goes back. All modes share it: a code that answers a
/// challenge or signs uses up its counter for the others.
public struct CAPVerifier: Sendable, Hashable {
    /// The first counter whose code is still valid; 65,536 after the last one.
    public private(set) var nextCounter: UInt64
    /// The number of codes ahead that are accepted.
    public let lookAhead: Int

    /// - Parameters:
    ///   - nextCounter: 0 for a new token.
    ///   - lookAhead: 0…100.
    public init(nextCounter: UInt64 = 0, lookAhead: Int = 10) throws(OTPError) {
        guard HOTPVerifier.lookAheads.contains(lookAhead) else {
            throw OTPError(
                .window,
                "the look-ahead must be \(HOTPVerifier.lookAheads.lowerBound) to \(HOTPVerifier.lookAheads.upperBound) codes, not \(lookAhead)"
            )
        }
        self.nextCounter = max(nextCounter, UInt64(CAP.counters.lowerBound))
        self.lookAhead = lookAhead
    }

    /// Searches for `code` at ``nextCounter`` and the ``lookAhead`` counters after it. A match moves
    /// the counter past it. Leading zeros may be missing, as on card readers.
    ///
    /// - Throws: as ``CAP/code(_:at:with:)``.
    public mutating func verify(
        _ code: OneTimeCode, _ mode: CAPMode, _ cap: CAP, with key: OTPSecret
    ) throws(OTPError) -> CodeVerdict {
        let typed = code.padded(to: cap.digits), last = UInt64(CAP.counters.upperBound)
        var search = CodeSearch()
        let end = min(nextCounter + UInt64(lookAhead), last)
        for counter in nextCounter..<max(end + 1, nextCounter) {
            search.look(
                at: counter, for: typed,
                expected: try cap.code(mode, at: UInt16(counter), with: key))
        }
        guard let counter = search.found else { return .refused }
        nextCounter = counter + 1
        return .accepted(at: counter)
    }
}
