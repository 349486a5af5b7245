/// What became of a typed code. A value, not an error: a wrong code is an everyday thing.
public enum CodeVerdict: Sendable, Hashable {
    /// Right, and used up. The number is the counter or time step that it belongs to.
    case accepted(at: UInt64)
    /// Wrong, used before, or outside the window: nothing says which, because whoever asks may be
    /// guessing.
    case refused

    public var isAccepted: Bool { self != .refused }
}

/// The places at which a code is looked for.
///
/// All are looked at, whatever is found: how long it takes tells nothing of where, or whether.
struct CodeSearch {
    private(set) var found: UInt64?

    mutating func look(at place: UInt64, for code: OneTimeCode, expected: OneTimeCode) {
        if code.matches(expected), found == nil { found = place }
    }
}
