public import MienCore

/// A device key or a local check could not be had. Branch on ``code``.
public struct DeviceError: CodedError {
    /// Stable words. The first six are those of the biometric-login wire protocol's client SDKs.
    public enum Code: String, Sendable, CaseIterable {
        /// The person turned away.
        case cancel = "cancel"
        /// No such key, or it went with the biometrics it was bound to: register anew.
        case biometricPrivateKeyNotFound = "biometric_private_key_not_found"
        /// This device has no way to check a face or a finger, or the app may not use it.
        case biometricNotSupportedOrPermissionDenied =
            "biometric_not_supported_or_permission_denied"
        /// The device has no passcode (PIN).
        case biometricNoPasscode = "biometric_no_passcode"
        /// No face or finger is enrolled.
        case biometricNoEnrollment = "biometric_no_enrollment"
        /// Too many wrong faces: the passcode has to be given first.
        case biometricLockout = "biometric_lockout"
        /// The face is not the enrolled one, as often as one request lets it try.
        case notRecognised = "device.not-recognised"
        /// The passcode is wrong, as often as one request lets it be tried.
        case wrongPasscode = "device.wrong-passcode"
        /// Too many wrong passcodes: wait, or reset the authenticator.
        case passcodeLockout = "device.passcode-lockout"
        /// A passcode that is too easy to guess, or no passcode at all.
        case weakPasscode = "device.weak-passcode"
        /// The enrolled face was made by another model pack: enrol again.
        case otherModelPack = "device.other-model-pack"
        /// A key of that tag is there already.
        case tagInUse = "device.tag-in-use"
        /// An argument is out of range.
        case badArgument = "device.bad-argument"
        /// What holds the keys, or the camera, does not answer, or is locked.
        case hardware = "device.hardware"
        /// A file of the device's cannot be read, written or trusted.
        case storage = "device.storage"
    }

    public let code: Code
    /// What was wrong and what is allowed. Holds no secret.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
