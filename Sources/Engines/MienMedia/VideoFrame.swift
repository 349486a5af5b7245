public import MienPixels

/// One picture of a video, upright.
public struct VideoFrame: Sendable {
    public let image: RGBImage

    /// Since the first frame. Always more than that of the frame before.
    public let time: Duration

    /// 0 for the first. A camera's frames that nobody came for are counted: a gap says how many
    /// were dropped.
    public let number: Int

    public init(image: RGBImage, time: Duration, number: Int) {
        (self.image, self.time, self.number) = (image, time, number)
    }
}

/// What is known of a video before its first frame.
public struct VideoInfo: Sendable, Hashable {
    /// Of upright frames, as they will be handed out. A stream may change its size on its way.
    public let width: Int
    public let height: Int

    /// By the file's own account; `nil` when it gives none, and for cameras.
    public let duration: Duration?

    /// As announced; `nil` when it is not.
    public let framesPerSecond: Double?

    /// FFmpeg's name: "h264", "gif".
    public let codec: String

    /// Quarter turns clockwise that make the stored frames upright, 0...3.
    public let quarterTurns: Int
}
