internal import Foundation

extension FaceMesh {
    /// The head's direction, from the mesh's own depth.
    ///
    /// Pairs of mirror-image points on the face give the head's sideways axis; points along the
    /// midline give its upward axis. Both axes are means over several pairs, so that a smile or an
    /// open mouth does not change the pose.
    ///
    /// The turn and nod of a head that is tilted by more than ``HeadPose/uprightRoll`` are those after
    /// the quarter turns that make the picture upright.
    public var pose: HeadPose {
        var across = Self.mirrored.map { vector(from: $0.right, to: $0.left) }.sum.unit
        var upward = Self.middle.map { vector(from: $0.low, to: $0.high) }.sum
        let tilt = atan2(across.y, across.x) * 180 / Double.pi
        for _ in 0..<Self.quarters(in: tilt) {
            (across, upward) = (across.turnedBack, upward.turnedBack)
        }
        let up = (upward - across * across.dot(upward)).unit
        // Image axes: x right, y down, z away from the camera. The vector points out of the face,
        // toward the camera when frontal.
        let outward = across.cross(up)
        let degrees = 180 / Double.pi
        let yaw = atan2(outward.x, -outward.z) * degrees
        let pitch = asin(max(-1, min(1, -outward.y))) * degrees + Self.neutralPitch
        return HeadPose(yaw: Float(yaw), pitch: Float(pitch), roll: Float(tilt))
    }

    /// Returns the number of quarter turns, counterclockwise, that make a picture with this tilt
    /// upright.
    private static func quarters(in tilt: Double) -> Int {
        if abs(tilt) <= Double(HeadPose.uprightRoll) { return 0 }
        if abs(tilt) >= 135 { return 2 }
        return tilt > 0 ? 1 : 3
    }

    /// Eye corners, brows, temples, cheeks, nostrils, jaw: (right, left).
    private static let mirrored: [(right: Int, left: Int)] = [
        (33, 263), (133, 362), (70, 300), (105, 334), (127, 356), (234, 454), (93, 323), (132, 361),
        (58, 288), (50, 280), (129, 358), (172, 397),
    ]

    /// Along the midline: (low, high). Upper half of the face only, because the jaw moves.
    private static let middle: [(low: Int, high: Int)] = [(2, 10), (2, 151), (164, 9), (2, 9)]

    /// The lean of the midline for a face that looks straight ahead, set so that the median over
    /// frontal photos is 0.
    private static let neutralPitch = -3.0

    private func vector(from a: Int, to b: Int) -> Vector3 {
        Vector3(
            x: points[b].x - points[a].x, y: points[b].y - points[a].y, z: depths[b] - depths[a])
    }
}

private struct Vector3 {
    var x = 0.0, y = 0.0, z = 0.0

    static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z) }
    static func * (a: Self, k: Double) -> Self { Self(x: a.x * k, y: a.y * k, z: a.z * k) }
    /// The vector in a picture that is turned by a quarter, counterclockwise.
    var turnedBack: Self { Self(x: y, y: -x, z: z) }
    func dot(_ o: Self) -> Double { x * o.x + y * o.y + z * o.z }
    func cross(_ o: Self) -> Self {
        Self(x: y * o.z - z * o.y, y: z * o.x - x * o.z, z: x * o.y - y * o.x)
    }
    var unit: Self { self * (1 / max(dot(self).squareRoot(), 1e-9)) }
}

extension [Vector3] {
    fileprivate var sum: Vector3 {
        reduce(Vector3()) { Vector3(x: $0.x + $1.x, y: $0.y + $1.y, z: $0.z + $1.z) }
    }
}
