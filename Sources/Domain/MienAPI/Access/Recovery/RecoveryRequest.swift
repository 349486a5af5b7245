public import MienCore

/// A request to recover an account with less proof than the account can reach: an email code or a
/// face alone.
///
/// It takes effect after a hold, during which the owner can cancel it. Pure: the time is an
/// argument.
public struct RecoveryRequest: Sendable, Hashable {
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        /// The hold was over, and the user proved the same again.
        case completed
        /// Canceled through a sign-in from before the request.
        case canceledBySignIn = "canceled_by_sign_in"
        /// Canceled by a known device from before the request.
        case canceledByDevice = "canceled_by_device"
        /// Canceled through the link in the email.
        case canceledByLink = "canceled_by_link"
        /// Ended by a new epoch of the account: a new password, a suspension, a marked compromise.
        /// Or by another address, if a mailed code proved the request.
        case canceledByEpoch = "canceled_by_epoch"
    }

    /// When a request ended, and how.
    public struct End: Sendable, Hashable {
        public let at: Instant
        public let how: Ending

        public init(at: Instant, how: Ending) { (self.at, self.how) = (at, how) }
    }

    public enum Status: Sendable, Hashable, CaseIterable { case held, effective, expired, ended }

    /// The time after the hold in which it can be completed.
    public static let window = Duration.seconds(7 * 86_400)

    public let requestedAt: Instant
    public let effectiveAt: Instant
    public let end: End?

    public init(at now: Instant, hold: Duration) {
        self.init(requestedAt: now, effectiveAt: now + hold, end: nil)
    }

    /// Restores a stored request.
    public init(requestedAt: Instant, effectiveAt: Instant, end: End?) {
        (self.requestedAt, self.effectiveAt, self.end) = (requestedAt, effectiveAt, end)
    }

    public var expiresAt: Instant { effectiveAt + Self.window }

    public func status(at now: Instant) -> Status {
        if end != nil { return .ended }
        if now < effectiveAt { return .held }
        return now < expiresAt ? .effective : .expired
    }

    /// Whether it can still be canceled or completed.
    public func isOpen(at now: Instant) -> Bool {
        switch status(at: now) {
        case .held, .effective: true
        case .expired, .ended: false
        }
    }

    /// Whether a sign-in or device may cancel the request. It must be older than the request,
    /// because the requester may own newer ones.
    ///
    /// - Parameter since: the time the sign-in or device became known.
    public func isCancelable(bySince since: Instant, at now: Instant) -> Bool {
        isOpen(at: now) && since < requestedAt
    }
}

/// The rule for when a recovery takes effect, and how many requests an account may have.
public struct RecoveryPolicy: Sendable, Hashable {
    public static let holdHoursRange = 0...720
    /// For one account in all apps, because each request sends an email.
    public static let maxRequestsPerDay = 3, maxOpen = 3

    public let hold: Duration

    /// - Parameter holdHours: within ``holdHoursRange``.
    public init(holdHours: Int) {
        precondition(Self.holdHoursRange.contains(holdHours), "the hold must be 0 to 720 hours")
        hold = .seconds(holdHours * 3600)
    }

    public enum Decision: Sendable, Hashable {
        /// Starts a new request. Without a hold it is complete at once.
        case begin(RecoveryRequest)
        /// Waits for the request at this index in `same`, which is on hold.
        case wait(Int)
        /// Completes the request at this index in `same`, whose hold is over.
        case complete(Int)
        case refuse
    }

    /// Decides about a person who has proved to be the user and requests recovery.
    ///
    /// - Parameters:
    ///   - same: the account's requests from the same app with the same proof.
    ///   - others: its other requests.
    public func decide(same: [RecoveryRequest], others: [RecoveryRequest], at now: Instant)
        -> Decision
    {
        if let index = same.firstIndex(where: { $0.status(at: now) == .effective }) {
            return .complete(index)
        }
        if let index = same.firstIndex(where: { $0.status(at: now) == .held }) {
            return .wait(index)
        }
        let all = same + others
        guard
            all.count(where: { now < $0.requestedAt + .seconds(86_400) }) < Self.maxRequestsPerDay,
            all.count(where: { $0.isOpen(at: now) }) < Self.maxOpen
        else { return .refuse }
        return .begin(RecoveryRequest(at: now, hold: hold))
    }
}
