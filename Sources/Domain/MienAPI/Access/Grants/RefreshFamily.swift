public import MienCore

/// The refresh tokens of one sign-in. Each is used once and replaced by the next. Pure: the time is
/// an argument.
///
/// A reused token shows that two parties hold it, and the server cannot tell which of them is the
/// user, so the family ends (RFC 9700 §4.14.2). But responses get lost, and two tabs or threads of
/// an app use one token within moments. The same request therefore gets the same token again for a
/// short time, and for longer if the client sends a mark of its own, by which it is recognized as
/// the one that used the token. A thief who repeats the request gets no more than the token that the
/// owner has, too: whichever of them is the second to use that one ends the family.
public struct RefreshFamily: Sendable, Hashable {
    /// The number of the family's newest token, from 0.
    public private(set) var generation: Int
    public let createdAt: Instant
    /// The end of the family, regardless of use.
    public let expiresAt: Instant
    /// The last refresh.
    public private(set) var usedAt: Instant
    /// The last activity: a refresh, or a request with an access token that the server saw.
    public private(set) var activeAt: Instant
    /// The maximum time without activity; `nil` for no limit.
    public let idle: Duration?
    public private(set) var revokedAt: Instant?
    /// The mark of the client that used the token before the newest: a hash of what it sent; `nil`
    /// if it sent nothing.
    public private(set) var usersMark: [UInt8]?

    /// The time after its use within which a token may be repeated by the client that used it, as
    /// its mark shows.
    public static let repeatWindow = Duration.seconds(600)
    /// The time after its use within which a token that was used without a mark may be repeated.
    /// Longer than the retries of ordinary clients take.
    public static let grace = Duration.seconds(10)

    public init(under lifetimes: TokenLifetimes, at now: Instant) {
        self.init(
            generation: 0, createdAt: now, expiresAt: now + .seconds(lifetimes.refreshSeconds),
            usedAt: now,
            idle: lifetimes.expiresAfterIdling ? .seconds(lifetimes.idleSeconds) : nil,
            revokedAt: nil)
    }

    /// Activity is stored only when it is this fraction of the idle time newer than the stored
    /// activity, so that not every request writes. A sign-in may end that much earlier: with
    /// 1,800 s of idle time, 3 s.
    static let activitySteps: Int64 = 600

    /// Restores a stored family.
    public init(
        generation: Int, createdAt: Instant, expiresAt: Instant, usedAt: Instant, idle: Duration?,
        revokedAt: Instant?, usersMark: [UInt8]? = nil, activeAt: Instant? = nil
    ) {
        precondition(generation >= 0, "generation must not be negative")
        self.activeAt = max(usedAt, activeAt ?? usedAt)
        (self.generation, self.createdAt, self.expiresAt) = (generation, createdAt, expiresAt)
        (self.usedAt, self.idle, self.revokedAt, self.usersMark) = (
            usedAt, idle, revokedAt, usersMark
        )
    }

    public enum Status: Sendable, Hashable { case live, expired, idled, revoked }

    public func status(at now: Instant) -> Status {
        if revokedAt != nil { return .revoked }
        if now >= expiresAt { return .expired }
        if let idle, now >= activeAt + idle { return .idled }
        return .live
    }

    public enum Use: Sendable, Hashable {
        /// The token is replaced by another one.
        case rotated
        /// The token stays valid.
        case kept
        /// The request that used the token is repeated, and the replacement was never used.
        /// Nothing changes; the response is sent again.
        case repeated
        /// The token was used before; the family has ended.
        case reused
        case refused(Status)
    }

    /// Uses a token of this family that is known to be genuine.
    ///
    /// - Parameters:
    ///   - presented: the token's generation.
    ///   - mark: a hash of the client's mark, if it sent one.
    ///   - isRotated: whether the token is replaced. One that is of no use without the client's own
    ///     key need not be.
    public mutating func use(
        _ presented: Int, mark: [UInt8]? = nil, isRotated: Bool = true, at now: Instant
    ) -> Use {
        let status = status(at: now)
        guard status == .live else { return .refused(status) }
        guard presented == generation else {
            if presented == generation - 1, mark == usersMark,
                now < usedAt + (mark == nil ? Self.grace : Self.repeatWindow)
            {
                return .repeated
            }
            revokedAt = now
            return .reused
        }
        if isRotated { (generation, usersMark) = (generation + 1, mark) }
        usedAt = max(usedAt, now)
        activeAt = max(activeAt, now)
        return isRotated ? .rotated : .kept
    }

    /// Records a request with an access token of this family.
    ///
    /// - Returns: whether the family changed and has to be stored.
    public mutating func noteActivity(at now: Instant) -> Bool {
        guard let idle, status(at: now) == .live,
            now >= activeAt + .milliseconds(idle.milliseconds / Self.activitySteps), now > activeAt
        else { return false }
        activeAt = now
        return true
    }

    /// Returns the lifetime of an access token issued now, in seconds: `accessSeconds`, but at most
    /// a sixth of the idle time, and not beyond the end of the family.
    public func accessSeconds(atMost accessSeconds: Int, at now: Instant) -> Int {
        let left = Int((expiresAt - now).milliseconds / 1000)
        guard let idle else { return min(accessSeconds, left) }
        let share = Int(idle.milliseconds / 1000) / TokenLifetimes.accessTokensPerIdleTime
        return min(accessSeconds, share, left)
    }

    /// - Returns: whether the family was active until now.
    public mutating func revoke(at now: Instant) -> Bool {
        guard revokedAt == nil else { return false }
        revokedAt = now
        return true
    }
}
