public import MienCore

/// Where frames come from: photos, a video file, a camera, somebody who pushes them.
///
/// What holds for every source:
/// - frames come in the order in which they were taken, with times that rise;
/// - the sequence ends when there are no more, and throws ``FrameSourceError`` when something
///   broke;
/// - it is gone through once: a second iterator may find nothing;
/// - letting go of the iterator, or cancelling the task that waits on it, sets free whatever it
///   held;
/// - a source that can stall (a camera, a network) gives up after a time of its own. Sessions have
///   no clock to notice with.
public protocol FrameSource: AsyncSequence, Sendable
where Element == Frame, Failure == FrameSourceError {}

/// A source could not go on. Branch on ``code``; show ``reason`` to an operator.
public struct FrameSourceError: CodedError {
    public enum Code: String, Sendable, CaseIterable {
        /// There is no such file, camera or folder.
        case notFound = "frames.not-found"
        /// It is there, but not for us.
        case notPermitted = "frames.not-permitted"
        /// Another program has the camera.
        case busy = "frames.busy"
        /// What it gives is no picture, no video, or of a kind that cannot be read.
        case unreadable = "frames.unreadable"
        /// A picture or a stream is larger than the source accepts.
        case tooLarge = "frames.too-large"
        /// No frame for too long.
        case stalled = "frames.stalled"
        /// The task was cancelled while it waited.
        case cancelled = "frames.cancelled"
        /// It worked and then broke: a cable, a driver, a disk.
        case failed = "frames.failed"
    }

    public let code: Code
    /// What was wrong, where, what is allowed. Nothing of a picture.
    public let reason: String

    public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}

extension FrameSourceError {
    public var description: String { "\(reason) (\(code.rawValue))" }
}
