public import MienCore
public import MienFace
internal import MienKeys

/// Gets a face in front of the engine: from a camera, a video, a photo. What it hands over is taken for a live person's, so liveness is its duty.
public protocol FacePresenter: Sendable {
    func present(_ request: FaceRequest) async throws -> PresentedFace
}

public struct FaceRequest: Sendable, Hashable {
    public let reason: String
    /// Faces that will be judged in this request, this one among them.
    public let triesLeft: Int
    /// Whether ``PresentedFace/usePasscode`` is an answer.
    public let mayUsePasscode: Bool
}

public enum PresentedFace: Sendable {
    case face(FaceTemplate)
    /// The person would rather type.
    case usePasscode
    case cancelled
}

/// Asks for the device PIN.
public protocol PasscodePresenter: Sendable {
    /// - Returns: what was typed; `nil` when the person turned away.
    func passcode(_ request: PasscodeRequest) async throws -> Sensitive<String>?
}

public struct PasscodeRequest: Sendable, Hashable {
    public let reason: String
    /// Passcodes that will be judged in this request, this one among them.
    public let triesLeft: Int
}
