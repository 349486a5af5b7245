public import MienFace
public import MienPixels

extension DetectedFace {
    /// A face with its key points where faces have them, tilted by nothing.
    public static func made(centre: Point, width: Double, confidence: Double = 0.9) -> DetectedFace
    {
        let places = [(-0.2, -0.2), (0.2, -0.2), (0, 0.05), (0, 0.25), (-0.45, -0.1), (0.45, -0.1)]
        return DetectedFace(
            confidence: confidence, box: Rectangle(centre: centre, width: width, height: width),
            keyPoints: places.map { centre + Point(x: $0.0, y: $0.1) * width })
    }
}
