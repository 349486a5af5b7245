public import MienPixels

/// One picture of a stream, and when it was taken.
///
/// It shows a person: printing or dumping it shows the time only.
public struct Frame: Sendable {
    /// Upright and not mirrored: the person's own right is on the picture's left.
    public let image: RGBImage
    /// Since the source began. Sessions take their time from here and from nowhere else, so a
    /// source stamps what it cannot be told.
    public let time: Duration

    public init(image: RGBImage, time: Duration) { (self.image, self.time) = (image, time) }
}

extension Frame: CustomStringConvertible, CustomReflectable {
    public var description: String { "frame at \(time)" }
    public var customMirror: Mirror { Mirror(self, children: ["time": time]) }
}
