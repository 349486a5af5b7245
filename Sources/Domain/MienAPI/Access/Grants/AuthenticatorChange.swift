public import MienCore

/// One authentication of a user: the methods that succeeded, and when.
public struct SignInProof: Sendable, Hashable, Codable {
    /// `amr` values.
    public let methods: [String]
    /// The time the earliest of ``methods`` succeeded.
    public let at: Instant
    /// Whether the user restored access with a recovery code, or after the recovery hold. The
    /// user's other authenticators are then unavailable.
    public let isRecovery: Bool

    public init(methods: [String], at: Instant, isRecovery: Bool = false) {
        (self.methods, self.at, self.isRecovery) = (methods, at, isRecovery)
    }

    public var assurance: AssuranceLevel { AuthenticationContext.assurance(of: methods) }
}

/// A change to an account's authenticators.
public enum AuthenticatorChange: Sendable, Hashable, CaseIterable {
    /// Adds or replaces a passkey, device key, OTP token, face, password, or recovery codes.
    case add
    /// Removes an authenticator, or withdraws consent.
    case remove
}

/// Decides whether a sign-in may change its account's authenticators. Pure.
///
/// A change needs an authentication within the last ``freshSeconds``. Adding also needs the highest
/// assurance that the account can still reach, so that someone who holds only a password cannot
/// turn it into a passkey of their own. Source: NIST SP 800-63B-4 section 4.1.2.
public struct ChangeRule: Sendable, Hashable {
    public static let freshRange = 1...86_400

    /// The maximum age of an authentication that allows a change, in seconds.
    public let freshSeconds: Int

    /// - Precondition: `freshSeconds` is in ``freshRange``.
    public init(freshSeconds: Int) {
        precondition(Self.freshRange.contains(freshSeconds), "fresh_seconds must be 1...86,400")
        self.freshSeconds = freshSeconds
    }

    /// The reason a sign-in does not allow the change, and what the user has to do.
    public enum Shortfall: Sendable, Hashable {
        /// The authentication is too old.
        case stale
        /// The authentication is too weak.
        case weak(needed: AssuranceLevel)
    }

    /// - Parameters:
    ///   - proofs: the sign-in's authentications. Each counts by itself: a fresh weak one and an
    ///     old strong one do not add up.
    ///   - reachable: the highest assurance that the account's authenticators allow.
    /// - Returns: `nil` if one of the proofs allows the change.
    public func shortfall(
        for change: AuthenticatorChange, proofs: [SignInProof], reachable: AssuranceLevel,
        at now: Instant
    ) -> Shortfall? {
        let fresh = proofs.filter { isFresh($0, at: now) }
        guard !fresh.isEmpty else { return .stale }
        switch change {
        case .remove: return nil
        case .add:
            return fresh.contains { $0.isRecovery || $0.assurance >= reachable }
                ? nil : .weak(needed: reachable)
        }
    }

    /// Whether the proof is recent enough. A time in the future, after the clock was set back, is
    /// not.
    public func isFresh(_ proof: SignInProof, at now: Instant) -> Bool {
        proof.at <= now && now <= proof.at + .seconds(freshSeconds)
    }
}
