/// What a key asks for at each use.
public enum BiometricAccessConstraint: String, Sendable, Hashable, Codable, CaseIterable {
    /// The enrolled face or finger, also one enrolled later.
    case biometryAny
    /// The face or finger enrolled when the key was made: a change of enrolment ends the key.
    case biometryCurrentSet
    /// Biometrics or the passcode.
    case userPresence
}

/// What a request lets the person show.
public enum BiometricPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Biometrics, never the passcode.
    case deviceOwnerAuthenticationWithBiometrics
    /// Biometrics, or else the passcode.
    case deviceOwnerAuthentication
}

/// What to tell the person whose face or passcode is asked for, and which of them will do.
public struct UnlockPrompt: Sendable, Hashable {
    public let reason: String
    public let policy: BiometricPolicy

    public init(reason: String, policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics)
    {
        (self.reason, self.policy) = (reason, policy)
    }
}
