public import MienFace
public import MienMedia

/// Frames of a video file or a camera for a session.
public struct VideoFrames: FrameSource {
    private let stream: VideoStream

    public init(_ stream: VideoStream) { self.stream = stream }

    public func makeAsyncIterator() -> Iterator { Iterator(frames: stream.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var frames: VideoStream.AsyncIterator

        public mutating func next() async throws(FrameSourceError) -> Frame? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation _: isolated (any Actor)?) async throws(FrameSourceError)
            -> Frame?
        {
            do {
                return try await frames.next().map { Frame(image: $0.image, time: $0.time) }
            } catch let error as MediaError { throw FrameSourceError(error) } catch {
                throw FrameSourceError(.cancelled, "The task was canceled.")
            }
        }
    }
}

extension FrameSourceError {
    /// Converts the error of a broken video for a session.
    public init(_ error: MediaError) {
        let code: Code =
            switch error.code {
            case .fileNotFound, .noCamera, .unknownCamera: .notFound
            case .fileNotAllowed, .cameraNotAllowed, .virtualCamera: .notPermitted
            case .cameraBusy: .busy
            case .fileIsDirectory, .fileNotRegular, .empty, .notVideo, .noVideoStream,
                .unsupportedCodec, .corrupt:
                .unreadable
            case .tooManyBytes, .tooManyPixels, .sides, .tooLong, .tooMuchMemory: .tooLarge
            case .cameraSilent: .stalled
            case .fileUnreadable, .cameraGone, .cameraFailed, .noCameraLibrary: .failed
            }
        self.init(code, error.reason)
    }
}
