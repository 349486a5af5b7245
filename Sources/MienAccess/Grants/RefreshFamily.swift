public import MienCore

/// The refresh tokens of one sign-in: each is used once and brings the next. Pure: time comes in, nothing else.
///
/// A token that was used before shows that two hold it, and nobody can say which of them is the user: so the family ends (RFC 9700 §4.14.2).
public struct RefreshFamily: Sendable, Hashable {
    /// Which token of the family is the newest, from 0.
    public private(set) var generation: Int
    public let createdAt: Instant
    /// However busy the user is.
    public let expiresAt: Instant
    public private(set) var usedAt: Instant
    /// How long it may lie idle; `nil` for as long as it lives.
    public let idle: Duration?
    public private(set) var revokedAt: Instant?

    public init(under lifetimes: TokenLifetimes, at now: Instant) {
        self.init(
            generation: 0, createdAt: now, expiresAt: now + .seconds(lifetimes.refreshSeconds), usedAt: now,
            idle: lifetimes.expiresAfterIdling ? .seconds(lifetimes.idleSeconds) : nil, revokedAt: nil)
    }

    /// As it was stored.
    public init(generation: Int, createdAt: Instant, expiresAt: Instant, usedAt: Instant, idle: Duration?, revokedAt: Instant?) {
        precondition(generation >= 0, "generations count from 0")
        (self.generation, self.createdAt, self.expiresAt) = (generation, createdAt, expiresAt)
        (self.usedAt, self.idle, self.revokedAt) = (usedAt, idle, revokedAt)
    }

    public enum Status: Sendable, Hashable { case live, expired, idled, revoked }

    public func status(at now: Instant) -> Status {
        if revokedAt != nil { return .revoked }
        if now >= expiresAt { return .expired }
        if let idle, now >= usedAt + idle { return .idled }
        return .live
    }

    public enum Use: Sendable, Hashable {
        /// Another token takes its place.
        case rotated
        /// It was used before: the family has ended.
        case reused
        case refused(Status)
    }

    /// A token of this family, known to be genuine, is presented.
    ///
    /// - Parameter presented: its generation.
    public mutating func use(_ presented: Int, at now: Instant) -> Use {
        let status = status(at: now)
        guard status == .live else { return .refused(status) }
        guard presented == generation else {
            revokedAt = now
            return .reused
        }
        generation += 1
        usedAt = max(usedAt, now)
        return .rotated
    }

    /// - Returns: whether it was not yet.
    public mutating func revoke(at now: Instant) -> Bool {
        guard revokedAt == nil else { return false }
        revokedAt = now
        return true
    }
}
