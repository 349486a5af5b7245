public import MienFace

/// The app's screen during a face capture, with its buttons.
public protocol FaceCaptureGuide: Sendable {
    /// Called when a capture begins. The app may now show the camera's picture and the purpose.
    func begin(_ purpose: FaceCapturePurpose) async

    /// Called for each frame, with the picture and the guidance for the person in `event.guidance`.
    func show(_ event: FrameEvent) async -> FaceCaptureAnswer

    /// Called when the capture has ended and the camera is closed.
    func end(_ end: FaceCaptureEnd) async
}

extension FaceCaptureGuide {
    public func begin(_ purpose: FaceCapturePurpose) {}
    public func end(_ end: FaceCaptureEnd) {}
}

/// The purpose of a face capture.
public enum FaceCapturePurpose: Sendable, Hashable {
    case enrollment
    case recognition(FaceRequest)
}

/// The person's choice, requested with every frame.
public enum FaceCaptureAnswer: Sendable, Hashable, CaseIterable {
    case goOn
    /// The person wants to type the passcode. Offer this if ``FaceRequest/mayUsePasscode`` is true.
    case usePasscode
    case cancel
}

/// The end of a capture. Whose face it shows is decided later.
public enum FaceCaptureEnd: Sendable, Hashable {
    case captured
    /// The reasons for the refusal; the first is the one to show.
    case refused([SessionRefusal])
    /// The capture was stopped by a button, an error, or a canceled task.
    case stopped
}

/// A guide that consists of one closure.
public struct FrameGuide: FaceCaptureGuide {
    private let body: @Sendable (FrameEvent) async -> FaceCaptureAnswer

    public init(_ show: @escaping @Sendable (FrameEvent) async -> FaceCaptureAnswer) { body = show }

    public func show(_ event: FrameEvent) async -> FaceCaptureAnswer { await body(event) }
}
