public import MienKeys

/// The device, as far as biometric login needs it: what keeps keys, what checks its owner, what it
/// is called.
///
/// On Linux `MienDevice` has both halves, with the keys in a TPM or in sealed files; on Apple's
/// systems with the Secure Enclave.
public struct BiometricDevice: Sendable {
    public let keys: any DeviceKeyProvider
    public let authenticator: any LocalAuthenticator
    /// Shown to the user among their keys: `Pixel 9`.
    public let model: String
    public let system: String
    /// The same for as long as the app is installed, 8 to 128 bytes; then a new key takes the old
    /// one's place on the server.
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
