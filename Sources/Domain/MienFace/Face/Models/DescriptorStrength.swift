/// Grades of a picture by the length of a descriptor network's vectors: networks answer with short
/// vectors when they recognize little of a face.
///
/// The unit is the network's own, so packs say what is enough.
public struct DescriptorStrength: Sendable, Hashable, Codable {
    /// The length that just suffices: grade 48, the default threshold.
    public let enough: Double
    /// The length from which on the grade is 100.
    public let full: Double

    public init(enough: Double, full: Double) { (self.enough, self.full) = (enough, full) }

    package var isValid: Bool { enough.isFinite && full.isFinite && enough > 0 && full > enough }

    /// 0...100 for the length of a vector; 0 for one of length 0.
    public func grade(_ length: Double) -> Double {
        Grade((0, 0), (enough, Double(FaceQuality.defaultThreshold)), (full, 100))(length)
    }
}

extension FaceDescriber {
    /// Adds the strength of a face's description to its quality, if the pack grades it.
    public func quality(_ quality: FaceQuality, with description: FaceDescription) -> FaceQuality {
        guard let strength = geometry.strength else { return quality }
        let part = FaceQuality.Part(
            .strength, value: description.strength, grade: strength.grade(description.strength),
            reason: .indistinct)
        return FaceQuality(parts: quality.parts.filter { $0.aspect != .strength } + [part])
    }
}
