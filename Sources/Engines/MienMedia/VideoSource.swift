/// Where frames come from: a file on this machine, or a camera of it. Never a network.
public struct VideoSource: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        case file(String)
        /// FFmpeg's name of the kind of device.
        case device(url: String, format: String)
    }
    let place: Place
    /// For errors.
    let name: String

    static let cameraFormat = "video4linux2"

    /// A video file. Its frames wait until they are asked for.
    public static func file(_ path: String) -> Self { Self(place: .file(path), name: path) }

    /// A camera. Frames that nobody asks for in time are dropped, the oldest first.
    public static func camera(_ camera: Camera) -> Self {
        Self(place: .device(url: camera.path, format: cameraFormat), name: camera.name)
    }

    /// Another device of libavdevice's, read as a camera is: for tests, on machines without one.
    package static func device(_ url: String, format: String) -> Self {
        Self(place: .device(url: url, format: format), name: format)
    }

    var isLive: Bool { if case .device = place { true } else { false } }
}

/// How a video is read.
public struct VideoOptions: Sendable, Hashable {
    public var limits: VideoLimits

    /// Larger frames are scaled down to this; `nil` for their own size.
    public var longestSide: Int?

    /// Frames held ready. Of a camera these are the newest.
    public var buffered: Int

    public init(limits: VideoLimits = .standard, longestSide: Int? = nil, buffered: Int = 2) {
        precondition(
            buffered > 0 && longestSide ?? 1 > 0,
            "room for one frame at least, of one pixel at least")
        (self.limits, self.longestSide, self.buffered) = (limits, longestSide, buffered)
    }
}
