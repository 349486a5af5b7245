internal import Foundation

/// 468 points on one face, in image pixels, with depth.
///
/// Point numbers are those of MediaPipe's face mesh. Right and left are the person's own.
public struct FaceMesh: Sendable, Hashable {
    public static let pointCount = 468

    /// x to the right, y down, in pixels.
    public let points: [Point]
    /// Depth of each point in pixels relative to the middle of the head. Smaller values are closer
    /// to the camera.
    public let depths: [Double]
    /// A logit: the network's confidence that this is a whole face, not a cut-off or covered one.
    /// About 17 to 23 for a good photo.
    public let evidence: Double

    public init(points: [Point], depths: [Double], evidence: Double) {
        precondition(
            points.count == Self.pointCount && depths.count == Self.pointCount,
            "a mesh must have 468 points")
        (self.points, self.depths, self.evidence) = (points, depths, evidence)
    }

    /// ``evidence`` as a probability, 0...1.
    public var presence: Double { 1 / (1 + exp(-evidence)) }

    /// The smallest upright rectangle around all points.
    public var bounds: Rectangle {
        let xs = points.map(\.x), ys = points.map(\.y)
        let left = xs.min()!, top = ys.min()!
        return Rectangle(x: left, y: top, width: xs.max()! - left, height: ys.max()! - top)
    }

    /// The distance between the pupils, in pixels, approximated by the midpoints of each eye's
    /// corners.
    public var eyeDistance: Double { rightEyeCenter.distance(to: leftEyeCenter) }

    public var rightEyeCenter: Point {
        (points[Landmark.rightEyeOuter] + points[Landmark.rightEyeInner]) * 0.5
    }
    public var leftEyeCenter: Point {
        (points[Landmark.leftEyeOuter] + points[Landmark.leftEyeInner]) * 0.5
    }
}

extension FaceMesh {
    /// Named points.
    public enum Landmark {
        public static let rightEyeOuter = 33, rightEyeInner = 133, leftEyeInner = 362,
            leftEyeOuter = 263
        public static let noseTip = 1, noseBase = 2, forehead = 10, chin = 152
        public static let mouthRight = 61, mouthLeft = 291, lipTop = 13, lipBottom = 14
        public static let rightCheek = 234, leftCheek = 454
    }

    /// The face's outline, clockwise on screen from the forehead.
    public static let outline = [
        10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
        152, 148, 176, 149, 150, 136, 172, 58, 132, 93,
        234, 127, 162, 21, 54, 103, 67, 109,
    ]

    /// Closed contours for drawing: both eyes, brows, lips.
    public static let features: [[Int]] = [
        [33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7, 33],
        [362, 398, 384, 385, 386, 387, 388, 466, 263, 249, 390, 373, 374, 380, 381, 382, 362],
        [70, 63, 105, 66, 107], [336, 296, 334, 293, 300],
        [
            61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91,
            146, 61,
        ],
        [
            78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88,
            95, 78,
        ],
        [168, 6, 197, 195, 5, 4, 1],
    ]
}
