internal import Foundation

/// Grades one face of one photo.
public struct QualityAssessor: Sendable {
    public init() {}

    /// - Parameters:
    ///   - mesh: The face.
    ///   - eyes: `nil` when they were not read; that part is then omitted.
    ///   - rival: Width of the next largest face divided by the width of this one; 0 without one.
    ///   - image: The upright photo to whose pixels the mesh refers.
    public func quality(of mesh: FaceMesh, eyes: EyeOpening?, rival: Double, in image: RGBImage)
        -> FaceQuality
    {
        let surface = FaceSurface(of: mesh, in: image)
        var parts: [FaceQuality.Part] = []
        func add(
            _ aspect: FaceQuality.Aspect, _ value: Double, _ grade: Double, _ reason: QualityReason
        ) {
            parts.append(FaceQuality.Part(aspect, value: value, grade: grade, reason: reason))
        }

        let tooLarge = max(
            mesh.bounds.width / Double(image.width), mesh.bounds.height / Double(image.height))
        let small = Self.size(mesh.eyeDistance), large = Self.share(tooLarge)
        add(.size, mesh.eyeDistance, min(small, large), large < small ? .tooLarge : .tooSmall)
        add(.sharpness, surface.sharpness, Self.sharpness(surface.sharpness), .blurred)
        add(
            .exposure, surface.brightness,
            min(Self.exposure(surface.brightness), Self.clipped(surface.clipped)),
            surface.brightness < 128 ? .tooDark : .tooBright)
        add(.contrast, surface.contrast, Self.contrast(surface.contrast), .lowContrast)
        let angle = Self.angle(mesh.pose)
        add(.pose, angle, Self.pose(angle), .notFrontal)
        if let eyes {
            add(
                .eyes, min(eyes.right, eyes.left), Self.eyes(min(eyes.right, eyes.left)),
                .eyesClosed)
        }
        let inside =
            Double(mesh.points.count { image.bounds.contains($0) }) / Double(FaceMesh.pointCount)
        add(.framing, inside, Self.framing(inside), .offCenter)
        add(.singleFace, rival, Self.rival(rival), .multipleFaces)
        // Below even odds, the detector found something other than a face, so asking to uncover it
        // would not help.
        let isFace = mesh.presence > PresentationGate.minPresence
        add(
            .visibility, mesh.evidence, Self.visibility(mesh.evidence),
            isFace ? .occluded : .noFace)
        return FaceQuality(parts: parts)
    }

    /// Returns the total rotation out of the picture plane, in degrees. Roll does not count,
    /// because the alignment removes it.
    private static func angle(_ pose: HeadPose) -> Double {
        let radians = Double.pi / 180
        return acos(
            max(-1, min(1, cos(Double(pose.yaw) * radians) * cos(Double(pose.pitch) * radians))))
            / radians
    }

    // The curves. For how they were set, see docs/measurements/quality.md.
    private static let size = Grade((8, 0), (18, 48), (40, 80), (60, 100))
    private static let share = Grade((0.85, 100), (1.1, 48), (1.4, 0))
    private static let sharpness = Grade((0.04, 0), (0.1, 48), (0.25, 100))
    private static let exposure = Grade(
        (20, 0), (50, 48), (80, 100), (190, 100), (225, 48), (245, 0))
    private static let clipped = Grade((0.1, 100), (0.4, 48), (0.7, 0))
    private static let contrast = Grade((4, 0), (12, 48), (25, 100))
    private static let pose = Grade((8, 100), (20, 80), (35, 48), (60, 0))
    private static let eyes = Grade((0.03, 0), (0.07, 48), (0.12, 80), (0.16, 100))
    private static let framing = Grade((0.7, 0), (0.92, 48), (1, 100))
    private static let rival = Grade((0.4, 100), (0.7, 48), (0.9, 0))
    private static let visibility = Grade((2, 0), (12, 48), (20, 80), (26, 100))
}

extension Rectangle {
    fileprivate func contains(_ p: Point) -> Bool {
        p.x >= x && p.y >= y && p.x <= x + width && p.y <= y + height
    }
}
