public import MienCore

/// A device key or a local check is unavailable. Branch on ``code``.
public struct DeviceError: CodedError {
    /// Stable codes. The first six are those of the biometric-login wire protocol's client SDKs.
    public enum Code: String, Sendable, CaseIterable {
        /// The person canceled.
        case cancel = "cancel"
        /// The key does not exist, or was invalidated with the biometrics it was bound to. Register
        /// again.
        case biometricPrivateKeyNotFound = "biometric_private_key_not_found"
        /// No biometric sensor is available, or the app lacks permission to use it.
        case biometricNotSupportedOrPermissionDenied =
            "biometric_not_supported_or_permission_denied"
        /// The device has no passcode (PIN).
        case biometricNoPasscode = "biometric_no_passcode"
        /// No face or finger is enrolled.
        case biometricNoEnrollment = "biometric_no_enrollment"
        /// Too many failed biometric attempts. The passcode is required first.
        case biometricLockout = "biometric_lockout"
        /// No attempt that the request allows matched the enrolled face.
        case notRecognized = "device.not-recognized"
        /// No attempt that the request allows had the right passcode.
        case wrongPasscode = "device.wrong-passcode"
        /// Too many wrong passcodes. Wait, or reset the authenticator.
        case passcodeLockout = "device.passcode-lockout"
        /// The passcode is missing or too easy to guess.
        case weakPasscode = "device.weak-passcode"
        /// The enrolled face belongs to another model pack. Enroll again.
        case otherModelPack = "device.other-model-pack"
        /// A key with that tag already exists.
        case tagInUse = "device.tag-in-use"
        /// An argument is out of range.
        case badArgument = "device.bad-argument"
        /// The key store or the camera does not respond, or is locked.
        case hardware = "device.hardware"
        /// A file on the device cannot be read, written, or trusted.
        case storage = "device.storage"
        /// The device's integrity policy refuses to continue, because the process is being debugged
        /// or manipulated.
        case tampered = "device.tampered"
    }

    public let code: Code
    /// The fault and what is allowed. Contains no secret.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
