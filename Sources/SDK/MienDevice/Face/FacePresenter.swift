public import MienCore
public import MienFace
internal import MienKeys

/// Gets a face in front of the engine: from a camera, a video, a photo. What it hands over is taken
/// for a live person's, so liveness is its duty. ``LocalFaceCapture`` is one.
public protocol FacePresenter: Sendable {
    func present(_ request: FaceRequest) async throws -> PresentedFace
}

public struct FaceRequest: Sendable, Hashable {
    public let reason: String
    /// Faces that will be judged in this request, this one among them.
    public let triesLeft: Int
    /// Whether ``PresentedFace/usePasscode`` is an answer.
    public let mayUsePasscode: Bool

    public init(reason: String, triesLeft: Int, mayUsePasscode: Bool) {
        (self.reason, self.triesLeft, self.mayUsePasscode) = (reason, triesLeft, mayUsePasscode)
    }
}

public enum PresentedFace: Sendable {
    case face(FaceTemplate)
    /// Somebody, or something, that did not pass as live, or turned away after it had been told
    /// what to do. Counts like a wrong face: else a photo could be held up for ever, and a
    /// challenge drawn anew until it suits a recording.
    ///
    /// - `refusals`: why, the first the one to tell.
    case refused(_ refusals: [SessionRefusal], then: NextStep)
    /// The person would rather type.
    case usePasscode
    case cancelled

    /// What comes after a refusal.
    public enum NextStep: Sendable, Hashable {
        case tryAgain, usePasscode, cancel
    }
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
