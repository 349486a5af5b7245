/// One picture of a stream and the time it was taken.
///
/// It shows a person, so printing or dumping it shows only the time.
public struct Frame: Sendable {
    /// Upright and not mirrored: the person's right is on the picture's left.
    public let image: RGBImage
    /// Time since the source began. Sessions have no other clock, so the source must stamp every
    /// frame, even when its input has no timestamps.
    public let time: Duration

    public init(image: RGBImage, time: Duration) { (self.image, self.time) = (image, time) }
}

extension Frame: CustomStringConvertible, CustomReflectable {
    public var description: String { "frame at \(time)" }
    public var customMirror: Mirror { Mirror(self, children: ["time": time]) }
}
