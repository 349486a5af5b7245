/// The result of verifying a typed code. A value, not an error, because wrong codes are common.
public enum CodeVerdict: Sendable, Hashable {
    /// The code is right and now used. The number is its counter or time step.
    case accepted(at: UInt64)
    /// The code is wrong, was used before, or is outside the window. The reason is not revealed,
    /// because the sender may be guessing.
    case refused

    public var isAccepted: Bool { self != .refused }
}

/// A search for a code at several counters or time steps.
///
/// Every position is checked even after a match, so that the duration does not reveal where, or
/// whether, the code was found.
struct CodeSearch {
    private(set) var found: UInt64?

    mutating func look(at position: UInt64, for code: OneTimeCode, expected: OneTimeCode) {
        if code.matches(expected), found == nil { found = position }
    }
}
