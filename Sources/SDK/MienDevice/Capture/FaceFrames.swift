public import MienFace

#if canImport(MienMedia)
internal import MienMedia
#endif

/// Where a device's faces come from. Opened for each face that is asked for, let go when it has
/// been captured.
///
/// Says nothing of liveness: ``LocalFaceCapture`` asks for it, or is told aloud not to.
public struct FaceFrames: Sendable {
    let open: @Sendable () async throws -> any FrameSource

    /// - Parameter open: gives frames from their beginning, each time anew. Throws
    ///   ``FrameSourceError``.
    public init(_ open: @escaping @Sendable () async throws -> any FrameSource) { self.open = open }
}

#if canImport(MienMedia)
extension FaceFrames {
    /// A camera of this machine.
    ///
    /// - Parameters:
    ///   - name: as `Camera.choose` takes it; `nil` for the first whose name contains "front", or
    ///     else the first.
    ///   - longestSide: larger frames are scaled down to it, in pixels.
    public static func camera(_ name: String? = nil, longestSide: Int = 1280) -> Self {
        Self {
            let camera: Camera
            do throws(MediaError) {
                camera = try Camera.choose(from: Camera.all(), named: name)
            } catch { throw FrameSourceError(error) }
            return try await frames(of: .camera(camera), longestSide)
        }
    }

    /// A video file, from its beginning each time. It is judged like a camera; a recording that
    /// does not happen to show what is asked is refused.
    public static func video(_ path: String, longestSide: Int = 1280) -> Self {
        Self { try await frames(of: .file(path), longestSide) }
    }

    private static func frames(of source: VideoSource, _ longestSide: Int) async throws
        -> VideoFrames
    {
        do {
            return VideoFrames(
                try await VideoStream.open(source, options: VideoOptions(longestSide: longestSide)))
        } catch let error as MediaError {
            throw FrameSourceError(error)
        }
    }
}
#endif

#if canImport(MienTPM) && canImport(MienMedia)
extension FaceFrames {
    /// The camera that a service has chosen. Opening throws ``FaceAuthError`` `.notInitialized`
    /// when it has chosen none.
    public static func camera(of service: FaceAuthService, longestSide: Int = 1280) -> Self {
        Self {
            do {
                return VideoFrames(
                    try await service.openCamera(options: VideoOptions(longestSide: longestSide)))
            } catch let error as MediaError {
                throw FrameSourceError(error)
            }
        }
    }
}
#endif

#if canImport(MienImage)
extension FaceFrames {
    /// A photo, or the photos in a folder by their names. A photo is never live.
    public static func photos(_ path: String) -> Self { Self { try PhotoFrames(at: path) } }
}
#endif
