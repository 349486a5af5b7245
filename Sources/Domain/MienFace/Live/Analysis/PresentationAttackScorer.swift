internal import Foundation
internal import MienPixels

/// A presentation-attack network's score for one frame.
public struct PresentationAttackScore: Sendable, Hashable {
    /// 0...1: the probability that the face is a presentation attack, such as a print, a screen, or
    /// a mask.
    public let attack: Double
    /// 0...1, set by the pack. At the most lenient setting, a session with a higher score is
    /// refused.
    public let limit: Double

    public init(attack: Double, limit: Double) { (self.attack, self.limit) = (attack, limit) }
}

/// Scores a face with the pack's presentation-attack network.
struct PresentationAttackScorer: Sendable {
    let geometry: PresentationAttackGeometry

    /// - Throws: ``FaceModelError`` when the network fails or its output does not match the pack's
    ///   declaration.
    func score(of face: DetectedFace, in image: RGBImage, with networks: some FaceNetworks)
        throws(FaceModelError) -> PresentationAttackScore
    {
        let input = geometry.input,
            side = max(face.box.width, face.box.height, 1) * geometry.cropFactor,
            center = face.box.center
        // Crop upright, because such networks are trained on upright faces and also use the area
        // around the face.
        let map = AffineMap(
            a: Double(input.width) / side, b: 0, tx: (0.5 - center.x / side) * Double(input.width),
            c: 0, d: Double(input.height) / side,
            ty: (0.5 - center.y / side) * Double(input.height))
        let crop = image.warped(by: map, width: input.width, height: input.height)
        let outputs = try networks.run(.presentationAttack) { input.write(crop, into: &$0) }
        guard let values = outputs.first, values.count == geometry.classes,
            values.allSatisfy(\.isFinite)
        else {
            throw FaceModelError(
                .presentationAttack,
                "expected \(geometry.classes) finite numbers, got \(outputs.map(\.count))")
        }
        let live = probability(of: geometry.live, in: values.map(Double.init))
        guard (-0.001...1.001).contains(live) else {
            throw FaceModelError(
                .presentationAttack,
                "the outputs are not probabilities; the pack's activation must match the network")
        }
        return PresentationAttackScore(attack: min(1, max(0, 1 - live)), limit: geometry.limit)
    }

    private func probability(of index: Int, in values: [Double]) -> Double {
        switch geometry.activation {
        case .none: return values[index]
        case .sigmoid: return 1 / (1 + exp(-values[index]))
        case .softmax:
            // Subtract the largest value so that the exponentials cannot overflow.
            let largest = values.max() ?? 0
            return exp(values[index] - largest) / values.reduce(0) { $0 + exp($1 - largest) }
        }
    }
}
