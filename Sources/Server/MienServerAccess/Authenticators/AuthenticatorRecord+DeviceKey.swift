internal import MienAccess
internal import MienCore
internal import MienStore

/// How a device verifies its user before the key signs.
package enum KeyUserVerification: String, Sendable, CaseIterable {
    case biometric
    case biometricOrPIN = "biometric_or_pin"
    case none
}

extension AuthenticatorRecord {
    /// Whether an attestation proved where this device key lives.
    var isAttestedDeviceKey: Bool {
        info["attestation"]?.objectValue != nil
    }

    /// The `amr` values that a signature of this device key proves.
    ///
    /// `hwk` needs an attestation; without one, the key may live anywhere: `pop`. `x_biometric`
    /// names a key that only a biometric opens, as far as the attestation or the app says so; a key
    /// that opens with a PIN as well, or does not say, never claims it. A key that opens with
    /// either counts as `mfa` when its attestation says that the device verifies its user.
    package var deviceKeyMethods: [String] {
        let isAttested = isAttestedDeviceKey
        let possession = isAttested ? AuthenticatorType.nativeBiometrics.method : "pop"
        switch info["user_verification"]?.stringValue.flatMap(
            KeyUserVerification.init(rawValue:))
        {
        case .biometricOrPIN?: return isAttested ? [possession, "mfa"] : [possession]
        case KeyUserVerification.none?, nil: return [possession]
        case .biometric?: return [possession, "x_biometric"]
        }
    }
}
