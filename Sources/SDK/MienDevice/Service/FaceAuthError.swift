public import MienCore

/// The on-device service could not do what was asked. Branch on ``code``; show ``reason`` to
/// whoever set the device up. Holds no name of a person.
public struct FaceAuthError: CodedError {
    /// Stable words: logged, documented, and never reused for another meaning. Those of the guide
    /// are in docs/face-service.md.
    public enum Code: String, Sendable, CaseIterable {
        /// The device has no camera.
        case noCamera = "face.no-camera"
        /// There are cameras, none of them of the name that was chosen.
        case invalidCameraName = "face.invalid-camera-name"
        case alreadyInitialized = "face.already-initialized"
        case notInitialized = "face.not-initialized"
        /// Nobody, or not this person, is enrolled.
        case notEnrolled = "face.not-enrolled"
        /// Five tries in a row that were not the enrolled face, or not live:
        /// ``FaceAuthService/unlock(_:)`` lets it be tried again.
        case lockedOut = "face.locked-out"
        /// The face was made by another model pack than the service's.
        case otherModelPack = "face.other-model-pack"
        /// The operator asks for a licence, and there is none, or none that holds.
        case notLicensed = "face.not-licensed"
        /// The data was made on another device, or this one's chip was cleared: it cannot be opened
        /// here. Enrol anew.
        case otherDevice = "face.other-device"
        /// What the data is bound to does not answer.
        case bindingUnavailable = "face.binding-unavailable"
        /// A file of the service's cannot be read, written or trusted.
        case storage = "face.storage"
    }

    public let code: Code
    /// What was wrong and what is allowed.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
