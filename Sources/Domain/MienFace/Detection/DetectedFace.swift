public import MienPixels

/// A face as the detector sees it, in image pixels.
public struct DetectedFace: Sendable, Hashable {
    /// 0...1: the detector's confidence.
    public let confidence: Double
    /// From the brows to the chin, ear to ear.
    public let box: Rectangle
    /// Six points; right and left are the person's own: right eye, left eye, nose tip, mouth, right
    /// ear, left ear.
    public let keyPoints: [Point]

    public init(confidence: Double, box: Rectangle, keyPoints: [Point]) {
        (self.confidence, self.box, self.keyPoints) = (confidence, box, keyPoints)
    }

    public var rightEye: Point { keyPoints[0] }
    public var leftEye: Point { keyPoints[1] }
}
