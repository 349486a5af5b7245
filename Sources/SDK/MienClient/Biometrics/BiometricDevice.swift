public import MienKeys

/// The parts of a device that biometric login needs: a key store, a check of the owner, and names.
///
/// `MienDevice` provides both on Linux, with keys in a TPM or in sealed files, and on Apple
/// systems, with keys in the Secure Enclave.
public struct BiometricDevice: Sendable {
    public let keys: any DeviceKeyProvider
    public let authenticator: any LocalAuthenticator
    /// The name shown in the user's list of keys: `Pixel 9`.
    public let model: String
    public let system: String
    /// An id of 8 to 128 bytes that stays the same while the app is installed. With it, a new key
    /// replaces this device's old key on the server.
    public let deviceID: String?

    public init(
        keys: any DeviceKeyProvider, authenticator: any LocalAuthenticator, model: String,
        system: String, deviceID: String? = nil
    ) {
        (self.keys, self.authenticator, self.model, self.system, self.deviceID) = (
            keys, authenticator, model, system, deviceID
        )
    }
}
