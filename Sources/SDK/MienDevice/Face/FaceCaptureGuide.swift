public import MienFace

/// What an app shows while a face is captured, and which of its buttons the person pressed.
public protocol FaceCaptureGuide: Sendable {
    /// A capture begins: the camera's picture may be shown, and why it is wanted.
    func begin(_ purpose: FaceCapturePurpose) async

    /// One frame: what to tell the person, `event.guidance`, and the picture itself.
    func show(_ event: FrameEvent) async -> FaceCaptureAnswer

    /// It has ended, the camera is closed.
    func end(_ end: FaceCaptureEnd) async
}

extension FaceCaptureGuide {
    public func begin(_ purpose: FaceCapturePurpose) {}
    public func end(_ end: FaceCaptureEnd) {}
}

/// What a face is captured for.
public enum FaceCapturePurpose: Sendable, Hashable {
    case enrolment
    case recognition(FaceRequest)
}

/// What the person wants, asked with every frame.
public enum FaceCaptureAnswer: Sendable, Hashable, CaseIterable {
    case goOn
    /// They would rather type. To be offered where ``FaceRequest/mayUsePasscode``.
    case usePasscode
    case cancel
}

/// How a capture ended. Whose face it was is judged later.
public enum FaceCaptureEnd: Sendable, Hashable {
    case captured
    /// Why not; the first is the one to tell.
    case refused([SessionRefusal])
    /// Nobody was asked any longer: a button, an error, a cancelled task.
    case stopped
}

/// A guide in one closure.
public struct FrameGuide: FaceCaptureGuide {
    private let body: @Sendable (FrameEvent) async -> FaceCaptureAnswer

    public init(_ show: @escaping @Sendable (FrameEvent) async -> FaceCaptureAnswer) { body = show }

    public func show(_ event: FrameEvent) async -> FaceCaptureAnswer { await body(event) }
}
