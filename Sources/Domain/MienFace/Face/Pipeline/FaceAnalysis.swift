/// The faces found in one photo.
public struct FaceAnalysis: Sendable {
    /// All faces, the most prominent first: large and near the middle.
    public let faces: [DetectedFace]
    /// The most prominent face, measured; `nil` when there is none.
    public let main: AnalyzedFace?

    public init(faces: [DetectedFace], main: AnalyzedFace?) {
        (self.faces, self.main) = (faces, main)
    }

    /// 0...100; 0 without a face.
    public var qualityScore: Int { main?.quality.score ?? 0 }

    /// Returns the reasons that keep the photo below `threshold`, worst first;
    /// ``QualityReason/noFace`` without a face.
    public func reasons(below threshold: Int = FaceQuality.defaultThreshold) -> [QualityReason] {
        main?.quality.reasons(below: threshold) ?? [.noFace]
    }
}

/// One face with its measurements.
public struct AnalyzedFace: Sendable {
    public let detection: DetectedFace
    public let mesh: FaceMesh
    public let pose: HeadPose
    /// `nil` when the eyes were not read.
    public let eyes: EyeOpening?
    public let quality: FaceQuality

    public init(
        detection: DetectedFace, mesh: FaceMesh, pose: HeadPose, eyes: EyeOpening?,
        quality: FaceQuality
    ) {
        (self.detection, self.mesh, self.pose, self.eyes, self.quality) = (
            detection, mesh, pose, eyes, quality
        )
    }

    /// Returns the same face with another quality.
    public func with(_ quality: FaceQuality) -> AnalyzedFace {
        AnalyzedFace(detection: detection, mesh: mesh, pose: pose, eyes: eyes, quality: quality)
    }
}
