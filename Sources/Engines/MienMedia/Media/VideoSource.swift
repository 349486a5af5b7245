/// The origin of frames: a file or a camera of this computer, never a network.
public struct VideoSource: Sendable, Hashable {
    enum Origin: Sendable, Hashable {
        case file(String)
        /// FFmpeg's name for the kind of device.
        case device(url: String, format: String)
    }
    let origin: Origin
    /// Whether a virtual camera is refused, and whether the camera is known to be one.
    var refusesVirtual = false, isVirtual = false
    /// The name for errors.
    let name: String

    static let cameraFormat = "video4linux2"

    /// Returns a source for a video file. Its frames wait until they are requested.
    public static func file(_ path: String) -> Self { Self(origin: .file(path), name: path) }

    /// Returns a source for a camera. Frames that are not requested in time are dropped, oldest
    /// first.
    ///
    /// - Parameter allowsVirtual: Whether the camera may be a virtual one, into which a program can
    ///   play anything. Otherwise, opening it throws ``MediaError`` `.virtualCamera`.
    public static func camera(_ camera: Camera, allowsVirtual: Bool = false) -> Self {
        Self(
            origin: .device(url: camera.path, format: cameraFormat),
            refusesVirtual: !allowsVirtual, isVirtual: camera.isVirtual, name: camera.name)
    }

    /// Returns a source for another libavdevice device, which is read like a camera. For tests on
    /// computers without a camera.
    package static func device(_ url: String, format: String, refusesVirtual: Bool = false) -> Self
    {
        Self(
            origin: .device(url: url, format: format), refusesVirtual: refusesVirtual, name: format)
    }

    var isLive: Bool { if case .device = origin { true } else { false } }
}

/// Options for reading a video.
public struct VideoOptions: Sendable, Hashable {
    public var limits: VideoLimits

    /// Frames are scaled down to this size if they are larger; `nil` keeps their size.
    public var longestSide: Int?

    /// The number of frames to keep ready. For a camera, these are the newest.
    public var buffered: Int

    public init(limits: VideoLimits = .standard, longestSide: Int? = nil, buffered: Int = 2) {
        precondition(
            buffered > 0 && longestSide ?? 1 > 0,
            "the buffer and the longest side must be at least 1")
        (self.limits, self.longestSide, self.buffered) = (limits, longestSide, buffered)
    }
}
