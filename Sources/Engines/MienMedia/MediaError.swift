/// Why there are no frames. Branch on ``code``; show ``reason`` to the one who named the file or
/// the camera: it may hold the name.
public struct MediaError: Error, Sendable {
    /// Stable words: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case fileNotFound = "file.not-found"
        case fileNotAllowed = "file.not-allowed"
        case fileIsDirectory = "file.is-directory"
        /// A pipe, a device, a socket.
        case fileNotRegular = "file.not-regular"
        case fileUnreadable = "file.unreadable"
        case empty = "media.empty"
        case tooManyBytes = "media.too-many-bytes"
        /// None of the forms of video files that are read, or too damaged to tell.
        case notVideo = "media.not-video"
        /// Sound, subtitles or attachments only.
        case noVideoStream = "media.no-video-stream"
        case unsupportedCodec = "media.unsupported-codec"
        case tooManyPixels = "media.too-many-pixels"
        case sides = "media.sides"
        case tooLong = "media.too-long"
        case corrupt = "media.corrupt"
        /// More than is allowed, as damaged files do; or more than the machine has left.
        case tooMuchMemory = "media.too-much-memory"
        /// No camera on this machine.
        case noCamera = "camera.none"
        /// There are cameras, but none of that name.
        case unknownCamera = "camera.unknown"
        case cameraBusy = "camera.busy"
        case cameraNotAllowed = "camera.not-allowed"
        /// It was there and is no more.
        case cameraGone = "camera.gone"
        /// It is there and gives no frames.
        case cameraSilent = "camera.silent"
        case cameraFailed = "camera.failed"
        /// The library that reads cameras is not installed.
        case noCameraLibrary = "camera.no-library"
    }

    public let code: Code
    public let reason: String

    init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    /// The same, with `name` before the reason.
    func about(_ name: String) -> Self { Self(code, "\(name): \(reason)") }
}

extension MediaError: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}

extension MediaError: CustomStringConvertible {
    public var description: String { reason }
}
