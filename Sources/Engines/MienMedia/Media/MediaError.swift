/// A failure to read frames. Branch on ``code``; show ``reason`` only to the person who named the
/// file or camera, because it may contain the name.
public struct MediaError: Error, Sendable {
    /// Stable codes: logged, counted, documented, and never reused for another meaning.
    public enum Code: String, Sendable, CaseIterable {
        case fileNotFound = "file.not-found"
        case fileNotAllowed = "file.not-allowed"
        case fileIsDirectory = "file.is-directory"
        /// The path is a pipe, a device, or a socket.
        case fileNotRegular = "file.not-regular"
        case fileUnreadable = "file.unreadable"
        case empty = "media.empty"
        case tooManyBytes = "media.too-many-bytes"
        /// The file is not in a supported video format, or it is too damaged to recognize.
        case notVideo = "media.not-video"
        /// The file contains only sound, subtitles, or attachments.
        case noVideoStream = "media.no-video-stream"
        case unsupportedCodec = "media.unsupported-codec"
        case tooManyPixels = "media.too-many-pixels"
        case sides = "media.sides"
        case tooLong = "media.too-long"
        case corrupt = "media.corrupt"
        /// The video needs more memory than allowed, as damaged files do, or more than the computer
        /// has left.
        case tooMuchMemory = "media.too-much-memory"
        /// This computer has no camera.
        case noCamera = "camera.none"
        /// There are cameras, but none with that name.
        case unknownCamera = "camera.unknown"
        case cameraBusy = "camera.busy"
        case cameraNotAllowed = "camera.not-allowed"
        /// The camera was disconnected.
        case cameraGone = "camera.gone"
        /// The camera is connected but returns no frames.
        case cameraSilent = "camera.silent"
        case cameraFailed = "camera.failed"
        /// Programs can play anything into the camera, or its driver does not say whether they can,
        /// and the caller did not allow that.
        case virtualCamera = "camera.virtual"
        /// The library for cameras is not installed.
        case noCameraLibrary = "camera.no-library"
    }

    public let code: Code
    public let reason: String

    init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    static let virtualCamera = Self(
        .virtualCamera,
        "The camera is virtual: a program on this computer can play any video into it. Choose another camera."
    )

    static let unidentifiedCamera = Self(
        .virtualCamera,
        "The camera did not answer the question which driver it has, so a program on this computer may be playing a video into it. Choose another camera, or allow virtual ones."
    )

    /// Returns the same error with `name` before the reason.
    func about(_ name: String) -> Self { Self(code, "\(name): \(reason)") }
}

extension MediaError: Equatable {
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
}

extension MediaError: CustomStringConvertible {
    public var description: String { reason }
}
