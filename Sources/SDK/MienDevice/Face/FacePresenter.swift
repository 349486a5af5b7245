public import MienCore
public import MienFace
public import MienKeys

/// Presents a face to the authenticator. ``LocalFaceCapture`` is one.
///
/// The face comes from a capture session that the presenter runs. One taken in the mode `image`
/// opens nothing and counts like a wrong face.
public protocol FacePresenter: Sendable {
    func present(_ request: FaceRequest) async throws -> PresentedFace

    /// Returns why no face can be presented now: there is no camera, or no permission to use it.
    /// `nil` if nothing is known to be in the way. Does not open the camera.
    func obstacle() async throws -> DeviceError?
}

extension FacePresenter {
    public func obstacle() async throws -> DeviceError? { nil }
}

public struct FaceRequest: Sendable, Hashable {
    public let reason: String
    /// The number of faces that will be judged in this request, including this one.
    public let triesLeft: Int
    /// Whether ``PresentedFace/usePasscode`` is an allowed answer.
    public let mayUsePasscode: Bool
    /// Further texts to show, as far as there is room for them.
    public let texts: PromptTexts

    public init(
        reason: String, triesLeft: Int, mayUsePasscode: Bool, texts: PromptTexts = PromptTexts()
    ) {
        (self.reason, self.triesLeft, self.mayUsePasscode) = (reason, triesLeft, mayUsePasscode)
        self.texts = texts
    }
}

public enum PresentedFace: Sendable {
    case face(CapturedFace)
    /// The presentation did not pass as live, or ended after the person had received an
    /// instruction. It counts like a wrong face. Otherwise a photo could be presented without
    /// limit, and challenges redrawn until one suits a recording.
    ///
    /// - `refusals`: the reasons; the first is the one to show.
    case refused(_ refusals: [SessionRefusal], then: NextStep)
    /// The person wants to type the passcode.
    case usePasscode
    case cancelled

    /// The next step after a refusal.
    public enum NextStep: Sendable, Hashable {
        case tryAgain, usePasscode, cancel
    }
}

/// Asks for the device PIN.
public protocol PasscodePresenter: Sendable {
    /// - Returns: the typed PIN; `nil` if the person canceled.
    func passcode(_ request: PasscodeRequest) async throws -> Sensitive<String>?
}

public struct PasscodeRequest: Sendable, Hashable {
    public let reason: String
    /// The number of passcodes that will be judged in this request, including this one.
    public let triesLeft: Int
    /// Further texts to show, as far as there is room for them.
    public let texts: PromptTexts

    public init(reason: String, triesLeft: Int, texts: PromptTexts = PromptTexts()) {
        (self.reason, self.triesLeft, self.texts) = (reason, triesLeft, texts)
    }
}
