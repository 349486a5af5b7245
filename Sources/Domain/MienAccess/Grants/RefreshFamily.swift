public import MienCore

/// The refresh tokens of one sign-in: each is used once and brings the next. Pure: time comes in,
/// nothing else.
///
/// A token that was used before shows that two hold it, and nobody can say which of them is the
/// user: so the family ends (RFC 9700 §4.14.2). But answers get lost. A client that sends a mark of
/// its own along, and the same mark again with the same token, is known for the one it was.
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
    /// Which client used the token before the newest: a hash of what it sent along; `nil` when it
    /// sent nothing.
    public private(set) var usersMark: [UInt8]?

    /// So long after its use a token may come once more from the client that used it.
    public static let repeatWindow = Duration.seconds(600)

    public init(under lifetimes: TokenLifetimes, at now: Instant) {
        self.init(
            generation: 0, createdAt: now, expiresAt: now + .seconds(lifetimes.refreshSeconds),
            usedAt: now,
            idle: lifetimes.expiresAfterIdling ? .seconds(lifetimes.idleSeconds) : nil,
            revokedAt: nil)
    }

    /// As it was stored.
    public init(
        generation: Int, createdAt: Instant, expiresAt: Instant, usedAt: Instant, idle: Duration?,
        revokedAt: Instant?, usersMark: [UInt8]? = nil
    ) {
        precondition(generation >= 0, "generations count from 0")
        (self.generation, self.createdAt, self.expiresAt) = (generation, createdAt, expiresAt)
        (self.usedAt, self.idle, self.revokedAt, self.usersMark) = (
            usedAt, idle, revokedAt, usersMark
        )
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
        /// Whoever used it asks again, and what took its place was never used: nothing changes, the
        /// answer is given once more.
        case repeated
        /// It was used before: the family has ended.
        case reused
        case refused(Status)
    }

    /// A token of this family, known to be genuine, is presented.
    ///
    /// - Parameters:
    ///   - presented: its generation.
    ///   - mark: a hash of what the client sent to be known by, if it did.
    public mutating func use(_ presented: Int, mark: [UInt8]? = nil, at now: Instant) -> Use {
        let status = status(at: now)
        guard status == .live else { return .refused(status) }
        guard presented == generation else {
            if presented == generation - 1, let mark, mark == usersMark,
                now < usedAt + Self.repeatWindow
            {
                return .repeated
            }
            revokedAt = now
            return .reused
        }
        generation += 1
        usersMark = mark
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
