/// A network that distinguishes prints and screens from faces. Returns one number per class for one
/// crop around the face.
///
/// Packs do not include such a network by default, and it runs only where ``LiveAnalyzer`` is
/// configured to use it.
public struct PresentationAttackGeometry: Sendable, Hashable, Codable {
    /// The conversion from the network's numbers to probabilities.
    public enum Activation: String, Sendable, Codable, CaseIterable {
        /// The numbers already are probabilities.
        case none
        /// Each number is converted separately.
        case sigmoid
        /// The numbers are converted together and sum to 1.
        case softmax
    }

    /// The range of crop factors: a face's box, enlarged around its center.
    public static let cropFactorRange = 0.5...8.0
    /// The maximum number of classes.
    public static let maxClasses = 64

    public let input: InputGeometry
    /// The side of the upright square around a detected face divided by the longer side of its box.
    /// The part outside the picture is black.
    public let cropFactor: Double
    public let activation: Activation
    /// The number of classes, 1...64.
    public let classes: Int
    /// The class that means a genuine face. The remaining probability is that of an attack.
    public let live: Int
    /// 0...1: the attack probability above which a session is refused at the most lenient setting.
    /// Taken from the network's own measurements.
    public let limit: Double

    public init(
        input: InputGeometry, cropFactor: Double, activation: Activation = .softmax, classes: Int,
        live: Int, limit: Double
    ) {
        (self.input, self.cropFactor, self.activation) = (input, cropFactor, activation)
        (self.classes, self.live, self.limit) = (classes, live, limit)
    }

    /// The errors in a geometry that was read from a file; empty when it is valid.
    public var faults: [String] {
        var faults: [String] = []
        if !Self.cropFactorRange.contains(cropFactor) {
            faults.append("the crop factor of presentationAttack must be 0.5...8")
        }
        if !(1...Self.maxClasses).contains(classes) || !(0..<classes).contains(live) {
            faults.append(
                "presentationAttack must have 1...64 classes, with live the index of one, from 0"
            )
        } else if activation == .softmax, classes < 2 {
            faults.append("softmax needs two or more classes; with one, the result is always 1")
        }
        if !(limit > 0 && limit < 1) {
            faults.append("the limit of presentationAttack must lie between 0 and 1")
        }
        return faults
    }
}
