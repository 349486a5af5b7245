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

    /// The number of attempts after a lock.
    public enum AfterLock: String, Sendable, Hashable, CaseIterable {
        /// One; each further failure locks again. NIST SP 800-63B-4 §3.2.3 asks for a wait before
        /// each further attempt.
        case oneAtATime = "one_at_a_time"
        /// A fresh set of ``LockPolicy/failedAttempts``.
        case again
    }

    /// Consecutive failures before the authenticator locks; ``afterLock`` says when it locks again.
    public let failedAttempts: Int
    /// The duration of a lock in seconds, 1...86,400.
    public let lockoutSeconds: Int
    /// Failures without a success after which it is disabled; at least ``failedAttempts``.
    public let disableAfter: Int
    public let afterLock: AfterLock

    /// - Throws: ``LockPolicyError`` if a number is out of range.
    public init(
        failedAttempts: Int, lockoutSeconds: Int, disableAfter: Int,
        afterLock: AfterLock = .oneAtATime
    ) throws(LockPolicyError) {
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
        self.afterLock = afterLock
    }

    /// Whether a failure locks the authenticator.
    ///
    /// - Parameter failures: the number of failures in a row, with this one.
    public func locks(after failures: Int) -> Bool {
        switch afterLock {
        case .oneAtATime: failures >= failedAttempts
        case .again: failures >= failedAttempts && failures.isMultiple(of: failedAttempts)
        }
    }

    /// For faces: a lock after five consecutive failures, then 30 s before each further attempt,
    /// disabled at 50. NIST SP 800-63B-4 §3.2.3, docs/facts.md §1.
    public static let face = try! LockPolicy(
        failedAttempts: 5, lockoutSeconds: 30, disableAfter: 50)
    /// For all other authenticators. NIST's limit for any authenticator is 100 failures.
    public static let secret = try! LockPolicy(
        failedAttempts: 5, lockoutSeconds: 60, disableAfter: 100)

    /// Returns the strictest combination of several policies: the fewest failures, the longest
    /// lock, one attempt at a time if any of them says so. For an authenticator that serves several apps.
    public static func strictest(of policies: some Sequence<LockPolicy>) -> LockPolicy? {
        policies.reduce(nil as LockPolicy?) { strictest, next in
            guard let strictest else { return next }
            // The smaller `disable_after` is at least its own policy's `failed_attempts`, so at
            // least the smaller of both.
            return LockPolicy(
                uncheckedAttempts: min(strictest.failedAttempts, next.failedAttempts),
                lockoutSeconds: max(strictest.lockoutSeconds, next.lockoutSeconds),
                disableAfter: min(strictest.disableAfter, next.disableAfter),
                afterLock: strictest.afterLock == .again ? next.afterLock : .oneAtATime)
        }
    }

    private init(
        uncheckedAttempts: Int, lockoutSeconds: Int, disableAfter: Int, afterLock: AfterLock
    ) {
        (self.failedAttempts, self.lockoutSeconds, self.disableAfter) = (
            uncheckedAttempts, lockoutSeconds, disableAfter
        )
        self.afterLock = afterLock
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case failedAttempts = "failed_attempts", lockoutSeconds = "lockout_seconds", disableAfter =
            "disable_after", afterLock = "after_lock"
    }

    /// The names of the settings.
    public static let keys = CodingKeys.allCases.map(\.rawValue)

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let attempts = try values.decode(Int.self, forKey: .failedAttempts)
        let word = try values.decodeIfPresent(String.self, forKey: .afterLock)
        guard let afterLock = word.map({ AfterLock(rawValue: $0) }) ?? .oneAtATime else {
            throw LockPolicyError("after_lock must be one_at_a_time or again")
        }
        try self.init(
            failedAttempts: attempts,
            lockoutSeconds: values.decode(Int.self, forKey: .lockoutSeconds),
            disableAfter: values.decodeIfPresent(Int.self, forKey: .disableAfter)
                ?? max(attempts, 50), afterLock: afterLock)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(failedAttempts, forKey: .failedAttempts)
        try values.encode(lockoutSeconds, forKey: .lockoutSeconds)
        try values.encode(disableAfter, forKey: .disableAfter)
        if afterLock != .oneAtATime { try values.encode(afterLock.rawValue, forKey: .afterLock) }
    }
}

/// A setting of a lock policy that is not allowed, and what is.
public struct LockPolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}
