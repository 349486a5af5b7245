/// The rule by which an authenticator stops accepting guesses.
///
/// Contains the two settings of the face-authentication guide, "failed attempts" and "lockout
/// duration", and the limit that NIST SP 800-63B-4 demands: after a number of failures without a
/// success, the authenticator is disabled until an administrator unlocks it.
public struct LockPolicy: Sendable, Hashable, Codable {
    public static let attemptsRange = 1...100
    /// In seconds.
    public static let lockoutRange = 1...86_400
    public static let disableRange = 1...100

    /// Consecutive failures before the authenticator locks. Every further failure locks it again.
    public let failedAttempts: Int
    /// The duration of a lock in seconds, 1...86,400.
    public let lockoutSeconds: Int
    /// Failures without a success after which it is disabled; at least ``failedAttempts``.
    public let disableAfter: Int

    /// - Throws: ``LockPolicyError`` if a number is out of range.
    public init(failedAttempts: Int, lockoutSeconds: Int, disableAfter: Int) throws(LockPolicyError)
    {
        guard Self.attemptsRange.contains(failedAttempts) else {
            throw LockPolicyError("failed_attempts must be 1 to 100, not \(failedAttempts)")
        }
        guard Self.lockoutRange.contains(lockoutSeconds) else {
            throw LockPolicyError(
                "lockout_seconds must be 1 to 86,400 (a day), not \(lockoutSeconds)")
        }
        guard Self.disableRange.contains(disableAfter), disableAfter >= failedAttempts else {
            throw LockPolicyError(
                "disable_after must be 1 to 100 and at least failed_attempts, not \(disableAfter)")
        }
        (self.failedAttempts, self.lockoutSeconds, self.disableAfter) = (
            failedAttempts, lockoutSeconds, disableAfter
        )
    }

    /// For faces: a lock after five consecutive failures, then 30 s before each further attempt,
    /// disabled at 50. NIST SP 800-63B-4 §3.2.3, docs/facts.md §1.
    public static let face = try! LockPolicy(
        failedAttempts: 5, lockoutSeconds: 30, disableAfter: 50)
    /// For all other authenticators. NIST's limit for any authenticator is 100 failures.
    public static let secret = try! LockPolicy(
        failedAttempts: 5, lockoutSeconds: 60, disableAfter: 100)

    /// Returns the strictest combination of several policies: the fewest failures, the longest
    /// lock. For an authenticator that serves several apps.
    public static func strictest(of policies: some Sequence<LockPolicy>) -> LockPolicy? {
        policies.reduce(nil as LockPolicy?) { strictest, next in
            guard let strictest else { return next }
            // The smaller `disable_after` is at least its own policy's `failed_attempts`, so at
            // least the smaller of both.
            return LockPolicy(
                uncheckedAttempts: min(strictest.failedAttempts, next.failedAttempts),
                lockoutSeconds: max(strictest.lockoutSeconds, next.lockoutSeconds),
                disableAfter: min(strictest.disableAfter, next.disableAfter))
        }
    }

    private init(uncheckedAttempts: Int, lockoutSeconds: Int, disableAfter: Int) {
        (self.failedAttempts, self.lockoutSeconds, self.disableAfter) = (
            uncheckedAttempts, lockoutSeconds, disableAfter
        )
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case failedAttempts = "failed_attempts", lockoutSeconds = "lockout_seconds", disableAfter =
            "disable_after"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let attempts = try values.decode(Int.self, forKey: .failedAttempts)
        try self.init(
            failedAttempts: attempts,
            lockoutSeconds: values.decode(Int.self, forKey: .lockoutSeconds),
            disableAfter: values.decodeIfPresent(Int.self, forKey: .disableAfter)
                ?? max(attempts, 50))
    }
}

/// A number of a lock policy that is out of range, and the allowed range.
public struct LockPolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
