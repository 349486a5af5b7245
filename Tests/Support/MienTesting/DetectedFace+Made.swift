import MienFace

extension DetectedFace {
    /// Returns an upright face with key points in typical positions.
    public static func made(center: Point, width: Double, confidence: Double = 0.9) -> DetectedFace
    {
        let offsets = [
            (-0.2, -0.2), (0.2, -0.2), (0, 0.05), (0, 0.25), (-0.45, -0.1), (0.45, -0.1),
        ]
        return DetectedFace(
            confidence: confidence, box: Rectangle(center: center, width: width, height: width),
            keyPoints: offsets.map { center + Point(x: $0.0, y: $0.1) * width })
    }
}
