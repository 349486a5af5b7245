public import MienCore

/// A browser in which an administrator has signed in. Pure: the time is an argument.
///
/// It ends after ``idle`` without a request and ``lifetime`` after the sign-in, whichever comes
/// first. What it opens depends on the administrator's role at each request.
public struct AdministratorSession: Sendable, Hashable {
    /// The way that the administrator signed in.
    public enum Method: String, WireWord {
        case passkey
        /// A password together with a one-time code of an authenticator app.
        case password
    }

    public static let idle = Duration.seconds(30 * 60), lifetime = Duration.seconds(12 * 3600)
    /// How long after the sign-in the session may change what opens the account.
    public static let freshness = Duration.seconds(10 * 60)
    /// How often its use is noted, so that not every request writes.
    public static let noteInterval = Duration.seconds(30)

    public let admin: AdminID
    public let method: Method
    public let signedInAt: Instant
    public private(set) var usedAt: Instant

    public init(admin: AdminID, method: Method, signedInAt: Instant, usedAt: Instant? = nil) {
        (self.admin, self.method, self.signedInAt) = (admin, method, signedInAt)
        self.usedAt = usedAt ?? signedInAt
    }

    /// When it ends unless it is used.
    public var expiresAt: Instant { min(signedInAt + Self.lifetime, usedAt + Self.idle) }

    public func isLive(at now: Instant) -> Bool { now < expiresAt }

    /// Notes a request.
    ///
    /// - Returns: whether the session has to be stored again.
    public mutating func use(at now: Instant) -> Bool {
        guard isLive(at: now), now - usedAt >= Self.noteInterval else { return false }
        usedAt = now
        return true
    }

    /// Whether the administrator has just proved to be there. Credentials of any kind are made and
    /// removed only then, so that a browser left open is no way to keep access.
    public func isFresh(at now: Instant) -> Bool {
        isLive(at: now) && now < signedInAt + Self.freshness
    }
}
