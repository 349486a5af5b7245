public import MienCore

/// The lock gate's memory of one authenticator, for one kind of caller. Pure: time comes in,
/// nothing else.
///
/// A guess is counted when it *begins*, together with the look at the lock, and taken back when it
/// turns out right: so a hundred guesses at once get no further than a hundred in a row. While
/// locked nothing is counted, so that a crowd at the door cannot lengthen the lock.
public struct LockCounter: Sendable, Hashable {
    public enum Status: Sendable, Hashable {
        case open
        case locked(until: Instant)
        /// Until an administrator unlocks it.
        case disabled
    }

    /// Guesses begun since the last right one; saturates.
    public private(set) var failures: Int
    public private(set) var lockedUntil: Instant?
    public private(set) var isDisabled: Bool

    public init(failures: Int = 0, lockedUntil: Instant? = nil, isDisabled: Bool = false) {
        precondition(failures >= 0, "a count is not negative")
        (self.failures, self.lockedUntil, self.isDisabled) = (failures, lockedUntil, isDisabled)
    }

    public func status(at now: Instant) -> Status {
        if isDisabled { return .disabled }
        if let lockedUntil, now < lockedUntil { return .locked(until: lockedUntil) }
        return .open
    }

    /// Counts a guess that begins now.
    /// - Returns: whether it may go on; when not, nothing was counted.
    public mutating func begin(under policy: LockPolicy, at now: Instant) -> Bool {
        guard status(at: now) == .open else { return false }
        let (sum, overflow) = failures.addingReportingOverflow(1)
        failures = overflow ? .max : sum
        lockedUntil =
            failures >= policy.failedAttempts ? now + .seconds(policy.lockoutSeconds) : nil
        isDisabled = failures >= policy.disableAfter
        return true
    }

    /// The guess was right: all is forgiven, but for a ``lock()`` that came meanwhile.
    public mutating func succeed(under policy: LockPolicy) {
        if !isLockedByHand(under: policy) { self = LockCounter() }
    }

    /// The guess was never judged, because something of ours failed: it does not count.
    ///
    /// - Parameter begun: when it began: the lock that it brought goes with it, one that a later
    ///   guess brought stays.
    public mutating func abandon(under policy: LockPolicy, begun: Instant) {
        if isLockedByHand(under: policy) { return }
        failures = max(0, failures - 1)
        if failures < policy.failedAttempts
            || lockedUntil == begun + .seconds(policy.lockoutSeconds)
        {
            lockedUntil = nil
        }
        isDisabled = failures >= policy.disableAfter
    }

    /// An administrator's unlock.
    public mutating func unlock() { self = LockCounter() }

    /// An administrator's or a journey's lock: no guess until ``unlock()``, whatever comes of those
    /// under way.
    public mutating func lock() { self = LockCounter(isDisabled: true) }

    /// Disabled, and not by failures.
    private func isLockedByHand(under policy: LockPolicy) -> Bool {
        isDisabled && failures < policy.disableAfter
    }
}
