/// A network that tells prints and screens from faces: one number for each kind of thing it knows,
/// of one crop around the face.
///
/// Packs bring none unless somebody puts one in, and a pack's is used only where ``LiveAnalyzer``
/// is told to.
public struct PresentationAttackGeometry: Sendable, Hashable, Codable {
    /// How the network's numbers become probabilities.
    public enum Activation: String, Sendable, Codable, CaseIterable {
        /// They are probabilities.
        case none
        /// Each by itself.
        case sigmoid
        /// Together they are 1.
        case softmax
    }

    /// Crops around a face: its box, enlarged about its middle.
    public static let cropFactorRange = 0.5...8.0
    /// Of the network's numbers, at most so many are looked at.
    public static let maxClasses = 64

    public let input: InputGeometry
    /// Side of the upright square around a detected face ÷ the longer side of its box; what of it
    /// is outside the picture is black.
    public let cropFactor: Double
    public let activation: Activation
    /// How many numbers there are, 1...64.
    public let classes: Int
    /// Which of them says that it is a face; what is left of 1 is an attack.
    public let live: Int
    /// 0...1: an attack's probability above which a session is refused, at the laxest setting. From
    /// the network's own measurement.
    public let limit: Double

    public init(
        input: InputGeometry, cropFactor: Double, activation: Activation = .softmax, classes: Int,
        live: Int, limit: Double
    ) {
        (self.input, self.cropFactor, self.activation) = (input, cropFactor, activation)
        (self.classes, self.live, self.limit) = (classes, live, limit)
    }

    /// What is wrong with one that was read from a file; empty when nothing is.
    public var faults: [String] {
        var faults: [String] = []
        if !Self.cropFactorRange.contains(cropFactor) {
            faults.append("the crop factor of presentationAttack is 0.5...8")
        }
        if !(1...Self.maxClasses).contains(classes) || !(0..<classes).contains(live) {
            faults.append(
                "presentationAttack has 1...64 classes, and live is the number of one of them, from 0"
            )
        } else if activation == .softmax, classes < 2 {
            faults.append("softmax takes two classes or more; of one number it is always 1")
        }
        if !(limit > 0 && limit < 1) {
            faults.append("the limit of presentationAttack is between 0 and 1")
        }
        return faults
    }
}
