/// The user authentication that a key requires for each use.
public enum BiometricAccessConstraint: String, Sendable, Hashable, Codable, CaseIterable {
    /// The enrolled face or finger, including one enrolled later.
    case biometryAny
    /// The face or finger enrolled when the key was created. A change of enrollment invalidates the
    /// key.
    case biometryCurrentSet
    /// Biometrics or the passcode.
    case userPresence
}

/// The user authentication that a request accepts.
public enum BiometricPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Biometrics, never the passcode.
    case deviceOwnerAuthenticationWithBiometrics
    /// Biometrics, or else the passcode.
    case deviceOwnerAuthentication
}

/// The prompt for the person, and the accepted ways to authenticate.
public struct UnlockPrompt: Sendable, Hashable {
    public let reason: String
    public let policy: BiometricPolicy

    public init(reason: String, policy: BiometricPolicy = .deviceOwnerAuthenticationWithBiometrics)
    {
        (self.reason, self.policy) = (reason, policy)
    }
}
