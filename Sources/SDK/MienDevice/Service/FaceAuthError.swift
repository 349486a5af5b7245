public import MienCore

/// An error of the on-device service. Branch on ``code``; show ``reason`` to the person who sets up
/// the device. It contains no person's name.
public struct FaceAuthError: CodedError {
    /// Stable codes: logged, documented, and never reused for another meaning. docs/face-service.md
    /// lists the codes of the guide.
    public enum Code: String, Sendable, CaseIterable {
        /// The device has no camera.
        case noCamera = "face.no-camera"
        /// The device has cameras, but none with the selected name.
        case invalidCameraName = "face.invalid-camera-name"
        case alreadyInitialized = "face.already-initialized"
        case notInitialized = "face.not-initialized"
        /// Nobody, or not this person, is enrolled.
        case notEnrolled = "face.not-enrolled"
        /// The face was taken without a check for liveness, so the PIN cannot confirm it.
        case notLive = "face.not-live"
        /// The person is enrolled for recognition only: the PIN has not confirmed a live
        /// enrollment.
        case notConfirmed = "face.not-confirmed"
        /// Five tries in a row did not show the enrolled face or were not live.
        /// ``FaceAuthService/unlock(_:)`` allows further tries.
        case lockedOut = "face.locked-out"
        /// The face was created with another model pack than the service's.
        case otherModelPack = "face.other-model-pack"
        /// The operator requires a license, and there is no valid one.
        case notLicensed = "face.not-licensed"
        /// The data was created on another device, or this device's chip was cleared, so it cannot
        /// be opened here. Enroll again.
        case otherDevice = "face.other-device"
        /// The TPM or machine id that the data is bound to cannot be read.
        case bindingUnavailable = "face.binding-unavailable"
        /// The process is being debugged or manipulated, and the policy refuses that.
        case tampered = "face.tampered"
        /// A file of the service cannot be read, written, or trusted.
        case storage = "face.storage"
    }

    public let code: Code
    /// The problem, and what is allowed.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
