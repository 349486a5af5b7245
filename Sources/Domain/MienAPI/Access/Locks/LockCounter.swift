public import MienCore

/// A failure counter of the lock gate, for one authenticator and one kind of caller. Pure: the time
/// is an argument.
///
/// A guess is counted when it *begins*, in the same step that checks the lock, and removed if it is
/// right: so a hundred simultaneous guesses get no further than a hundred consecutive ones. While
/// locked, nothing is counted, so that further attempts cannot lengthen the lock.
public struct LockCounter: Sendable, Hashable {
    public enum Status: Sendable, Hashable {
        case open
        case locked(until: Instant)
        /// Disabled until an administrator unlocks it.
        case disabled
    }

    /// The number of guesses begun since the last right one; saturates.
    public private(set) var failures: Int
    public private(set) var lockedUntil: Instant?
    public private(set) var isDisabled: Bool

    public init(failures: Int = 0, lockedUntil: Instant? = nil, isDisabled: Bool = false) {
        precondition(failures >= 0, "failures must not be negative")
        (self.failures, self.lockedUntil, self.isDisabled) = (failures, lockedUntil, isDisabled)
    }

    public func status(at now: Instant) -> Status {
        if isDisabled { return .disabled }
        if let lockedUntil, now < lockedUntil { return .locked(until: lockedUntil) }
        return .open
    }

    /// Counts a guess that begins now.
    /// - Returns: whether it may proceed. If not, nothing was counted.
    public mutating func begin(under policy: LockPolicy, at now: Instant) -> Bool {
        guard status(at: now) == .open else { return false }
        let (sum, overflow) = failures.addingReportingOverflow(1)
        failures = overflow ? .max : sum
        lockedUntil = policy.locks(after: failures) ? now + .seconds(policy.lockoutSeconds) : nil
        isDisabled = failures >= policy.disableAfter
        return true
    }

    /// Records that a guess was right: resets everything except a ``lock()`` set in the meantime.
    public mutating func succeed(under policy: LockPolicy) {
        if !isLockedDeliberately(under: policy) { self = LockCounter() }
    }

    /// Removes the count of a guess that was never judged because of a server fault.
    ///
    /// - Parameter begun: the time the guess began. The lock that it caused is removed with it; a
    ///   lock caused by a later guess stays.
    public mutating func abandon(under policy: LockPolicy, begun: Instant) {
        if isLockedDeliberately(under: policy) { return }
        failures = max(0, failures - 1)
        if failures < policy.failedAttempts
            || lockedUntil == begun + .seconds(policy.lockoutSeconds)
        {
            lockedUntil = nil
        }
        isDisabled = failures >= policy.disableAfter
    }

    /// Unlocks the authenticator, as an administrator.
    public mutating func unlock() { self = LockCounter() }

    /// Locks the authenticator, as an administrator or journey. No guess is accepted until
    /// ``unlock()``, regardless of guesses in progress.
    public mutating func lock() { self = LockCounter(isDisabled: true) }

    /// Whether the counter is disabled for a reason other than failures.
    private func isLockedDeliberately(under policy: LockPolicy) -> Bool {
        isDisabled && failures < policy.disableAfter
    }
}
