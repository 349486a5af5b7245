public import MienCore

/// The state that the lock gate uses for its decisions: one authenticator, and the calling device.
/// Pure: the time is an argument.
///
/// Failures count toward the account's sign-in method, not toward a single authenticator or device,
/// so replacing a key, enrolling a face again, or coming from another device, app, or sign-in path
/// keeps the count. Two things limit guesses:
///
/// - ``unknownDevices``, one counter for all devices on which the method has never succeeded. It
///   locks them for a time after `failed_attempts` failures in a row. Once ``total`` reaches
///   `disable_after`, they are disabled until an administrator (or a journey's
///   `unlock_authenticator`) unlocks the method.
/// - ``device``, the calling device's own counter. A device gets it when the method succeeds on it.
///   Other devices cannot lock it, so strangers cannot lock out the owner.
///
/// A success resets ``total``, which gives attackers no further guesses. Each method of an account
/// has its own total: a known password resets the count of passwords, never the count of one-time
/// codes.
public struct AuthenticatorLock: Sendable, Hashable {
    /// Failures on all devices since the owner's last success, including guesses in progress.
    public private(set) var total: Int
    /// The counter shared by devices without their own: failures since the method last succeeded on
    /// such a device.
    public private(set) var unknownDevices: LockCounter
    /// The calling device's own counter; `nil` until the method has succeeded on that device.
    public private(set) var device: LockCounter?
    /// The holders of locks on the authenticator. It stays locked for every device until none is
    /// left.
    public private(set) var holders: Set<LockHolder>

    public init(
        total: Int = 0, unknownDevices: LockCounter = LockCounter(), device: LockCounter? = nil,
        holders: Set<LockHolder> = []
    ) {
        precondition(total >= 0, "total must not be negative")
        (self.total, self.unknownDevices, self.device, self.holders) = (
            total, unknownDevices, device, holders
        )
    }

    /// The counter that a guess uses.
    public enum Line: Sendable, Hashable, CaseIterable { case unknownDevices, ownCounter }

    /// The status for the calling device.
    public func status(under policy: LockPolicy, at now: Instant) -> LockCounter.Status {
        if !holders.isEmpty { return .disabled }
        guard let device else { return statusOfUnknownDevices(under: policy, at: now) }
        return Self.status(of: device, failures: device.failures, under: policy, at: now)
    }

    /// The status for devices without a counter of their own, regardless of the calling device.
    public func statusOfUnknownDevices(under policy: LockPolicy, at now: Instant)
        -> LockCounter.Status
    {
        holders.isEmpty
            ? Self.status(of: unknownDevices, failures: total, under: policy, at: now) : .disabled
    }

    /// Counts a guess that begins now.
    ///
    /// - Returns: the counter it uses, or `nil` if the guess must not be judged. In that case
    ///   nothing was counted.
    public mutating func begin(under policy: LockPolicy, at now: Instant) -> Line? {
        guard status(under: policy, at: now) == .open else { return nil }
        total = total == .max ? .max : total + 1
        let line = device == nil ? Line.unknownDevices : .ownCounter
        change(line) { _ = $0.begin(under: policy, at: now) }
        return line
    }

    /// Records that the guess was right.
    ///
    /// Resets the total and the guess's counter. If the other failures alone have disabled unknown
    /// devices, the total stays: that lasts until it is unlocked, so that guessing cannot go on for
    /// as long as the owner keeps signing in elsewhere. For the same reason, a success on a device
    /// with its own counter does not shorten the lock of unknown devices.
    /// - Parameters:
    ///   - line: the result of ``begin(under:at:)``.
    ///   - isKnownDevice: whether the device is one of the account's. From then on it has its own
    ///     counter.
    public mutating func succeed(through line: Line, under policy: LockPolicy, isKnownDevice: Bool)
    {
        let others = max(0, total - 1), isDisabled = others >= policy.disableAfter
        total = isDisabled ? others : 0
        if line == .unknownDevices, !isDisabled { unknownDevices = LockCounter() }
        if isKnownDevice || (line == .ownCounter && device != nil) { device = LockCounter() }
    }

    /// Removes the count of a guess that was never judged because of a server fault.
    ///
    /// - Parameter begun: the time the guess began.
    public mutating func abandon(through line: Line, under policy: LockPolicy, begun: Instant) {
        total = max(0, total - 1)
        change(line) { $0.abandon(under: policy, begun: begun) }
    }

    private mutating func change(_ line: Line, _ body: (inout LockCounter) -> Void) {
        guard var counter = line == .unknownDevices ? unknownDevices : device else { return }
        body(&counter)
        // Drop the stored decision. The current policy decides whether this count disables the
        // method.
        counter = LockCounter(failures: counter.failures, lockedUntil: counter.lockedUntil)
        if line == .unknownDevices { unknownDevices = counter } else { device = counter }
    }

    /// Locks the authenticator for every device, regardless of guesses in progress.
    public mutating func hold(by holder: LockHolder) { holders.insert(holder) }

    /// Unlocks the authenticator and resets its failures. A journey cannot lift an administrator's
    /// lock; an administrator lifts any.
    ///
    /// - Returns: whether the authenticator was unlocked. If not, nothing has changed.
    public mutating func release(by holder: LockHolder) -> Bool {
        guard holder == .administrator || !holders.contains(.administrator) else { return false }
        self = AuthenticatorLock(device: device.map { _ in LockCounter() })
        return true
    }

    private static func status(
        of counter: LockCounter, failures: Int, under policy: LockPolicy, at now: Instant
    ) -> LockCounter.Status {
        failures >= policy.disableAfter ? .disabled : counter.status(at: now)
    }
}

/// A party that locked an authenticator on purpose, as opposed to a lock by failures.
public enum LockHolder: String, Sendable, Hashable, CaseIterable {
    case administrator, journey
}
