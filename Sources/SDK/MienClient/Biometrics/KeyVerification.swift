internal import MienKeys

/// The check that unlocks a key, as servers are told when it is registered.
enum KeyVerification: String, Sendable {
    case biometric
    case biometricOrPIN = "biometric_or_pin"

    static func of(_ options: BiometricOptions) -> Self {
        let widest = BiometricPolicy.deviceOwnerAuthentication.narrowed(
            to: options.policy, options.constraint)
        return widest == .deviceOwnerAuthentication ? .biometricOrPIN : .biometric
    }
}
