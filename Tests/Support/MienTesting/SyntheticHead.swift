import Foundation
import MienFace

/// A synthetic head: 468 symmetric points in space that can be rotated and projected onto a
/// picture. It is not a real person's head.
///
/// The face is 2 wide and 2.6 high around the origin. x points to the right of the picture when the
/// head is upright, y down, and z away from the camera. The points for pose, alignment, eyes, and
/// outline are in realistic positions; the others fill the face.
public struct SyntheticHead: Sendable {
    private var points: [(x: Double, y: Double, z: Double)]

    public init() {
        // A sunflower pattern: evenly spaced, without coincident points.
        points = (0..<FaceMesh.pointCount).map { i in
            let r = ((Double(i) + 0.5) / Double(FaceMesh.pointCount)).squareRoot() * 0.9,
                angle = Double(i) * 2.399_963
            return (r * cos(angle), 1.3 * r * sin(angle), 0)
        }
        for (i, number) in FaceMesh.outline.enumerated() {
            let angle = Double(i) * 2 * .pi / Double(FaceMesh.outline.count)
            points[number] = (sin(angle), -1.3 * cos(angle), 0)
        }
        for (number, x, y) in Self.middle { points[number] = (x, y, 0) }
        for (right, left, x, y) in Self.pairs {
            (points[right], points[left]) = ((-x, y, 0), (x, y, 0))
        }
        // Rounded from side to side, with a protruding nose.
        for i in points.indices { points[i].z = 0.6 * points[i].x * points[i].x }
        points[FaceMesh.Landmark.noseTip].z = -0.45
    }

    private static let middle: [(Int, Double, Double)] = [
        (9, 0, -0.5), (151, 0, -0.9), (2, 0, 0.25), (164, 0, 0.4), (1, 0, 0.1), (13, 0, 0.57),
        (14, 0, 0.63),
    ]
    /// Right index, left index, distance from the middle, height below the center: eye corners,
    /// brows, cheeks, nostrils, mouth.
    private static let pairs: [(Int, Int, Double, Double)] = [
        (33, 263, 0.62, -0.35), (133, 362, 0.25, -0.35), (70, 300, 0.75, -0.55),
        (105, 334, 0.45, -0.62), (50, 280, 0.6, 0.25),
        (129, 358, 0.22, 0.2), (61, 291, 0.35, 0.6),
    ]

    /// Returns the head's points as a mesh.
    ///
    /// - Parameters:
    ///   - center: The position of the face's middle, in pixels.
    ///   - halfWidth: Half of the frontal face's width, in pixels.
    ///   - pose: The rotation; for its angles, see `HeadPose`. There is no perspective.
    ///   - evidence: The mesh's evidence, a logit.
    public func mesh(
        center: Point, halfWidth: Double, pose: HeadPose = .frontal, evidence: Double = 22
    ) -> FaceMesh {
        let radians = Double.pi / 180
        let (yaw, pitch, roll) = (
            Double(pose.yaw) * radians, Double(pose.pitch) * radians, Double(pose.roll) * radians
        )
        // Rotate around the face's own axis first, so that the eye line has the angle `roll` in the
        // picture, then nod, then turn.
        let spin = atan2(
            sin(roll) * cos(yaw), cos(roll) * cos(pitch) - sin(roll) * sin(pitch) * sin(yaw))
        let turned = points.map { p in
            let a = (
                x: p.x * cos(spin) - p.y * sin(spin), y: p.x * sin(spin) + p.y * cos(spin), z: p.z
            )
            let b = (
                x: a.x, y: a.y * cos(pitch) + a.z * sin(pitch),
                z: -a.y * sin(pitch) + a.z * cos(pitch)
            )
            return (x: b.x * cos(yaw) - b.z * sin(yaw), y: b.y, z: b.x * sin(yaw) + b.z * cos(yaw))
        }
        return FaceMesh(
            points: turned.map {
                Point(x: center.x + halfWidth * $0.x, y: center.y + halfWidth * $0.y)
            }, depths: turned.map { halfWidth * $0.z },
            evidence: evidence)
    }

    /// Returns the outputs of a mesh network that sees this head frontally in the middle of its
    /// input of `side`×`side` pixels.
    public func outputs(side: Double = 192, halfWidth: Double = 48, evidence: Double = 22)
        -> [[Float]]
    {
        let mesh = mesh(center: Point(x: side / 2, y: side / 2), halfWidth: halfWidth)
        return [
            (0..<FaceMesh.pointCount).flatMap {
                [Float(mesh.points[$0].x), Float(mesh.points[$0].y), Float(mesh.depths[$0])]
            }, [Float(evidence)],
        ]
    }
}
