public import MienCore

/// The app's side of an enrollment that it controls: adds frames, completes, or cancels.
///
/// ```swift
/// let control = EnrollmentControl()
/// let enroller = FaceEnroller(reader: engine, settings: settings, control: control)
/// for try await update in try enroller.updates(of: camera, capture: id) {
///     guard case .frame(let event) = update else { continue }
///     if event.lastExtraction == .success { try control.completeEnrollment() }
///     else if isGood(event) { try control.addFrame(event) }
/// }
/// ```
///
/// Requests take effect before the next frame is read, so call them while handling an update. A
/// control serves one session. In the automatic mode, it can only cancel.
public final class EnrollmentControl: Sendable {
    struct Requests: Sendable {
        /// The number of the frame to add.
        var frame: Int?
        var completes = false
        var cancels = false
    }

    fileprivate struct State: Sendable {
        var requests = Requests()
        var isManual = false
        var captured = 0
        var last: (index: Int, hasFace: Bool)?
        var isOver = false
    }

    private let state = Locked(State())

    public init() {}

    /// Marks a frame for extraction. The next event says in `lastExtraction` whether it was taken.
    ///
    /// The session still refuses a frame of poor quality, and ends if the frame shows another
    /// person than the frames before it.
    /// - Parameter event: The last event; older frames are no longer available.
    /// - Throws: ``EnrollmentRequestError``: `.finished`, `.automatic`, `.notCurrent`, `.noFace`,
    ///   `.alreadyExtracting`.
    public func addFrame(_ event: FrameEvent) throws(EnrollmentRequestError) {
        try state.withLock { state throws(EnrollmentRequestError) in
            try state.checkIsOpen()
            guard let last = state.last, last.index == event.index else {
                throw EnrollmentRequestError(
                    .notCurrent, "Only the frame of the last event can be added.")
            }
            guard last.hasFace else {
                throw EnrollmentRequestError(.noFace, "The frame shows no face.")
            }
            guard state.requests.frame == nil else {
                throw EnrollmentRequestError(
                    .alreadyExtracting, "This frame is being extracted. Wait for the next event.")
            }
            state.requests.frame = event.index
        }
    }

    /// Ends the session with the frames taken so far. The verdict follows.
    ///
    /// - Throws: ``EnrollmentRequestError``: `.finished`, `.automatic`, `.noFrames`.
    public func completeEnrollment() throws(EnrollmentRequestError) {
        try state.withLock { state throws(EnrollmentRequestError) in
            try state.checkIsOpen()
            guard state.captured > 0 || state.requests.frame != nil else {
                throw EnrollmentRequestError(
                    .noFrames, "No frame was taken yet. Add at least one frame first.")
            }
            state.requests.completes = true
        }
    }

    /// Ends the session without a result. Does nothing if it has ended.
    public func cancel() { state.withLock { $0.requests.cancels = true } }

    // MARK: The session's side

    func begin(isManual: Bool) { state.withLock { $0.isManual = isManual } }

    func told(_ event: FrameEvent, isOver: Bool) {
        state.withLock { state in
            state.last = (event.index, event.face != nil)
            (state.captured, state.isOver) = (event.captured, isOver)
        }
    }

    func end() { state.withLock { $0.isOver = true } }

    func take() -> Requests {
        state.withLock { state in
            defer { state.requests = Requests() }
            return state.requests
        }
    }
}

extension EnrollmentControl.State {
    fileprivate func checkIsOpen() throws(EnrollmentRequestError) {
        guard !isOver else {
            throw EnrollmentRequestError(.finished, "The enrollment has ended. Begin another.")
        }
        guard isManual else {
            throw EnrollmentRequestError(
                .automatic, "The session takes frames itself. Set control to manual.")
        }
    }
}

/// A request that does not fit the state of an enrollment. Branch on ``code``.
public struct EnrollmentRequestError: CodedError {
    public enum Code: String, Sendable, CaseIterable {
        /// A frame is waiting for its extraction.
        case alreadyExtracting = "already_extracting"
        /// The settings leave the choice of frames to the session.
        case automatic = "automatic"
        /// The enrollment has ended.
        case finished = "finished"
        /// The frame shows no face.
        case noFace = "no_face"
        /// No frame was taken yet.
        case noFrames = "no_frames"
        /// The frame is not that of the last event.
        case notCurrent = "not_current"
    }

    public let code: Code
    /// The fault and what to do. Contains nothing of a picture.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
