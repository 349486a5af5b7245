public import MienCore

/// A source of frames: photos, a video file, a camera, or a caller that pushes them.
///
/// Every source guarantees the following:
/// - Frames arrive in the order in which they were taken, with increasing times.
/// - The sequence ends when there are no more frames and throws ``FrameSourceError`` on a failure.
/// - It can be iterated once. A second iterator may find nothing.
/// - Releasing the iterator, or canceling the task that waits on it, frees all resources.
/// - A source that can stall, such as a camera or a network, has its own timeout, because sessions
///   have no clock.
public protocol FrameSource: AsyncSequence, Sendable
where Element == Frame, Failure == FrameSourceError {}

/// An error that prevents a source from continuing. Branch on ``code``; show ``reason`` to an
/// operator.
public struct FrameSourceError: CodedError {
    public enum Code: String, Sendable, CaseIterable {
        /// The file, camera, or folder does not exist.
        case notFound = "frames.not-found"
        /// The file, camera, or folder exists, but access to it is denied.
        case notPermitted = "frames.not-permitted"
        /// Another program is using the camera.
        case busy = "frames.busy"
        /// The data is not a picture or a video, or its format is not supported.
        case unreadable = "frames.unreadable"
        /// A picture or a stream is larger than the source accepts.
        case tooLarge = "frames.too-large"
        /// No frame arrived within the time limit.
        case stalled = "frames.stalled"
        /// The task was canceled while it waited.
        case cancelled = "frames.cancelled"
        /// The source failed while running, for example because of a cable, a driver, or a disk.
        case failed = "frames.failed"
    }

    public let code: Code
    /// The error, its location, and what is allowed. Contains no picture data.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}

extension FrameSourceError {
    public var description: String { "\(reason) (\(code.rawValue))" }
}
