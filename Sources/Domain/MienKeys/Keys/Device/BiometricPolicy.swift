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

    /// Returns the policy of one use of a key.
    ///
    /// The passcode needs the consent of both: the key was created to accept it, and this request
    /// accepts it. A request cannot weaken a key that was created for biometrics only.
    public func narrowed(
        to key: BiometricPolicy, _ constraint: BiometricAccessConstraint
    ) -> BiometricPolicy {
        key == .deviceOwnerAuthentication || constraint == .userPresence
            ? self : .deviceOwnerAuthenticationWithBiometrics
    }
}
