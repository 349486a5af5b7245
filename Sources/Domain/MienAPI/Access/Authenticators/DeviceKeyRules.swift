public import MienCore

/// How a device verifies its user before a device key signs.
public enum KeyUserVerification: String, Sendable, CaseIterable {
    case biometric
    case biometricOrPIN = "biometric_or_pin"
    case none
}

/// A key pair on a user's device, for one app. Without attestation it proves nothing about the
/// device, so it raises no assurance.
public enum DeviceKeyRules: AuthenticatorRules {
    public static let method = "hwk"
    public static let isPerApp = true
    public static let noun = "device key"

    public static func methods(
        of authenticator: AuthenticatorFacts, through means: SignInMeans
    ) -> Set<String> {
        guard means.acceptsDeviceKeys, authenticator.isAttested else { return [] }
        return Set(proved(by: authenticator))
    }

    /// The `amr` values that a signature of the key proves.
    ///
    /// `hwk` needs an attestation; without one, the key may live anywhere: `pop`. `x_biometric`
    /// names a key that only a biometric opens, as far as the attestation or the app says so; a key
    /// that opens with a PIN as well, or does not say, never claims it. A key that opens with
    /// either counts as `mfa` when its attestation says that the device verifies its user.
    ///
    /// The app may say how the device verified its user this time. After a PIN, the values are `pin`
    /// and never `x_biometric`. After a biometric, a key that opens with either claims
    /// `x_biometric`, too. Neither statement raises the assurance: only an attestation does.
    public static func proved(
        by authenticator: AuthenticatorFacts, unlockedBy unlock: DeviceKeyUnlock? = nil
    ) -> [String] {
        let possession = authenticator.isAttested ? [method] : ["pop"]
        let verified = authenticator.isAttested ? ["mfa"] : []
        switch (authenticator.userVerification, unlock) {
        case (KeyUserVerification.none?, .pin?), (nil, .pin?): return possession + ["pin"]
        case (KeyUserVerification.none?, _), (nil, _): return possession
        case (_, .pin?): return possession + verified + ["pin"]
        case (.biometric?, _): return possession + ["x_biometric"]
        case (.biometricOrPIN?, .biometric?): return possession + verified + ["x_biometric"]
        case (.biometricOrPIN?, nil): return possession + verified
        }
    }
}
