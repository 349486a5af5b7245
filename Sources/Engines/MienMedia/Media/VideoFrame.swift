public import MienFace

/// One upright picture of a video.
public struct VideoFrame: Sendable {
    public let image: RGBImage

    /// The time since the first frame. Always greater than that of the previous frame.
    public let time: Duration

    /// 0 for the first frame. A camera's dropped frames are counted, so a gap shows how many were
    /// dropped.
    public let number: Int

    public init(image: RGBImage, time: Duration, number: Int) {
        (self.image, self.time, self.number) = (image, time, number)
    }
}

/// The properties of a video known before its first frame.
public struct VideoInfo: Sendable, Hashable {
    /// The width of upright frames as they are delivered. A stream may change its size midway.
    public let width: Int
    public let height: Int

    /// The duration that the file states; `nil` when it states none, and for cameras.
    public let duration: Duration?

    /// The stated frame rate; `nil` when there is none.
    public let framesPerSecond: Double?

    /// FFmpeg's name for the codec: "h264", "gif".
    public let codec: String

    /// The number of clockwise quarter turns that turn the stored frames upright, 0...3.
    public let quarterTurns: Int
}
