/// The fitness of one face in one photo for recognition.
///
/// Each part is measured in its own unit and graded 0...100. The score is the *lowest* grade, so a
/// good part cannot compensate for a bad one.
public struct FaceQuality: Sendable, Hashable, Codable {
    /// Photos below this score are rejected unless the caller sets another threshold.
    public static let defaultThreshold = 48

    /// The measured aspects.
    public enum Aspect: String, Sendable, CaseIterable, Codable {
        /// Distance between the eyes' centers, in pixels of the photo.
        case size
        /// Fine detail on the aligned face divided by its contrast; unitless.
        case sharpness
        /// Mean brightness of the face, 0...255.
        case exposure
        /// Standard deviation of the face's brightness, 0...128.
        case contrast
        /// Angle between the head and the camera, in degrees.
        case pose
        /// Opening of the less open eye, see ``EyeOpening``.
        case eyes
        /// Part of the mesh inside the photo, 0...1.
        case framing
        /// Width of the next largest face divided by the width of this one; 0 without another face.
        case singleFace
        /// The mesh network's confidence that it sees a whole face: a logit, see
        /// ``FaceMesh/evidence``.
        case visibility
        /// The length of the descriptor network's vector, in the network's own unit. Only if the
        /// pack grades it (``DescriptorStrength``) and the face was described.
        case strength
    }

    /// One measured part.
    public struct Part: Sendable, Hashable, Codable {
        public let aspect: Aspect
        /// In the aspect's own unit.
        public let value: Double
        /// 0...100; 100 is best.
        public let grade: Int
        /// The problem that a low grade indicates. The direction matters: too dark or too bright.
        public let reason: QualityReason

        public init(_ aspect: Aspect, value: Double, grade: Double, reason: QualityReason) {
            self.aspect = aspect
            self.value = value
            self.grade = grade.isNaN ? 0 : Int(min(100, max(0, grade)).rounded())
            self.reason = reason
        }
    }

    public let parts: [Part]

    public init(parts: [Part]) { self.parts = parts }

    /// 0...100; 0 without measurements.
    public var score: Int { parts.map(\.grade).min() ?? 0 }

    /// Returns the reasons that keep the score below `threshold`, worst first. Where nobody is in
    /// the picture, that is the only one: the other grades are of something else.
    public func reasons(below threshold: Int = defaultThreshold) -> [QualityReason] {
        let reasons = parts.filter { $0.grade < threshold }.sorted { $0.grade < $1.grade }
            .map(\.reason)
        return reasons.contains(.noFace) ? [.noFace] : reasons
    }

    /// The aspects in which a picture must be good enough for a score: calibrations were measured
    /// without small, blurred, and covered faces, of which strangers match more often
    /// ([measured](../../../../../docs/measurements/calibration.md#gates)).
    public static let scoredAspects: Set<Aspect> = [.size, .sharpness, .visibility]

    /// Returns the reasons not to compare the face at all, worst first: those below `threshold`, or
    /// else those for which a score would not mean what its calibration says.
    public func reasonsNotToScore(below threshold: Int = 0) -> [QualityReason] {
        let reasons = reasons(below: threshold)
        guard reasons.isEmpty else { return reasons }
        let scored = parts.filter {
            Self.scoredAspects.contains($0.aspect) && $0.reason != .tooLarge
        }
        return FaceQuality(parts: scored).reasons()
    }

    public subscript(aspect: Aspect) -> Part? { parts.first { $0.aspect == aspect } }
}
