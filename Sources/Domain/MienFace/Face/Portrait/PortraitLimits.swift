/// The requirements for a portrait on a document that can be compared.
///
/// They are lower than those for a selfie: portraits are small, printed, and laminated.
public struct PortraitLimits: Sendable, Hashable {
    /// The least distance between the eyes' centers, in pixels of the picture.
    public var eyeDistance: Double
    /// The least grade of each aspect, 0...100.
    public var grades: [FaceQuality.Aspect: Int]

    public init(eyeDistance: Double, grades: [FaceQuality.Aspect: Int]) {
        (self.eyeDistance, self.grades) = (eyeDistance, grades)
    }

    /// Set on degraded photos; see `docs/measurements/documents.md`.
    public static let standard = PortraitLimits(
        eyeDistance: 16,
        grades: [.sharpness: 8, .exposure: 8, .contrast: 24, .pose: 24, .visibility: 24])

    /// The problems of a portrait, worst first; empty for one that can be compared.
    public func reasons(_ face: AnalyzedFace) -> [QualityReason] {
        guard face.mesh.eyeDistance >= eyeDistance else { return [.tooSmall] }
        return face.quality.parts.filter { $0.grade < grades[$0.aspect] ?? 0 }
            .sorted { $0.grade < $1.grade }.map(\.reason)
    }
}
