/// A face found by the detector, in image pixels.
public struct DetectedFace: Sendable, Hashable {
    /// 0...1: the detector's confidence.
    public let confidence: Double
    /// The face from the brows to the chin and from ear to ear.
    public let box: Rectangle
    /// Six points: right eye, left eye, nose tip, mouth, right ear, left ear. Right and left are
    /// the person's own.
    public let keyPoints: [Point]

    public init(confidence: Double, box: Rectangle, keyPoints: [Point]) {
        (self.confidence, self.box, self.keyPoints) = (confidence, box, keyPoints)
    }

    public var rightEye: Point { keyPoints[0] }
    public var leftEye: Point { keyPoints[1] }
}
