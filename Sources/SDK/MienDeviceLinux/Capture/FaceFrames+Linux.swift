internal import Foundation
public import MienDevice
internal import MienFace
internal import MienMedia

extension FaceFrames {
    /// Frames from a camera of this machine.
    ///
    /// - Parameters:
    ///   - name: The name for `Camera.choose`. `nil` selects the first camera whose name contains
    ///     "front", or else the first one.
    ///   - longestSide: The maximum length of the longer side in pixels. Larger frames are scaled
    ///     down.
    ///   - allowsVirtual: Whether the camera may be a virtual one, into which a program can play
    ///     anything. Otherwise, opening it throws `FrameSourceError` `.notPermitted`.
    public static func camera(
        _ name: String? = nil, longestSide: Int = 1280, allowsVirtual: Bool = false
    ) -> Self {
        Self {
            let path = try chosen(name).path
            guard unsafe access(path, R_OK | W_OK) == 0 else {
                throw FrameSourceError(
                    .notPermitted,
                    "The current user may not use the camera. On Debian, add the user to the group “video”."
                )
            }
        } _: {
            try await frames(
                of: .camera(chosen(name), allowsVirtual: allowsVirtual), longestSide)
        }
    }

    private static func chosen(_ name: String?) throws(FrameSourceError) -> Camera {
        do throws(MediaError) { return try Camera.choose(from: Camera.all(), named: name) } catch {
            throw FrameSourceError(error)
        }
    }

    /// Frames from a video file, which starts from the beginning each time. It is judged like a
    /// camera, so a recording that does not happen to show the requested actions is refused.
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

extension FaceFrames {
    /// Frames from a photo, or from the photos in a folder sorted by name. A photo is never live.
    public static func photos(_ path: String) -> Self { Self { try PhotoFrames(at: path) } }
}
