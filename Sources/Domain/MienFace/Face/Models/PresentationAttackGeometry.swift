/// A network that distinguishes prints and screens from faces. Returns one number per class for one
/// crop around the face.
///
/// A pack may omit it, and it runs only where ``LiveAnalyzer`` is configured to use it.
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

    /// The part of the picture that the network sees.
    public enum Crop: String, Sendable, Codable, CaseIterable {
        /// The upright square around the detected face. The part outside the picture is black.
        case square
        /// The box around the mesh, with its own proportions, stretched to the input. No larger
        /// than the picture, and moved inside it.
        case outline
    }

    /// The range of crop factors: a face's box, enlarged around its center.
    public static let cropFactorRange = 0.5...8.0
    /// The maximum number of classes.
    public static let maxClasses = 64

    /// The range of ``minContext``.
    public static let contextRange = 0.0...8.0

    public let input: InputGeometry
    public let crop: Crop
    /// The sides of the crop divided by those of the face's box; for a square, by the box's longer
    /// side.
    public let cropFactor: Double
    /// The least width and height of the picture divided by those of the face's box. The network
    /// does not judge larger faces. 0 judges every face.
    public let minContext: Double
    public let activation: Activation
    /// The number of classes, 1...64.
    public let classes: Int
    /// The class that means a genuine face. The remaining probability is that of an attack.
    public let live: Int
    /// 0...1: the attack probability above which a session is refused at the most lenient setting.
    /// Taken from the network's own measurements.
    public let limit: Double
    /// Over 0, under ``limit``: the same at the strictest setting. Half the limit unless the pack says
    /// otherwise.
    public let strictLimit: Double

    public init(
        input: InputGeometry, crop: Crop = .square, cropFactor: Double, minContext: Double = 0,
        activation: Activation = .softmax, classes: Int, live: Int, limit: Double,
        strictLimit: Double? = nil
    ) {
        (self.input, self.crop, self.cropFactor) = (input, crop, cropFactor)
        (self.minContext, self.activation) = (minContext, activation)
        (self.classes, self.live, self.limit) = (classes, live, limit)
        self.strictLimit = strictLimit ?? limit / 2
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            input: try values.decode(InputGeometry.self, forKey: .input),
            crop: try values.decodeIfPresent(Crop.self, forKey: .crop) ?? .square,
            cropFactor: try values.decode(Double.self, forKey: .cropFactor),
            minContext: try values.decodeIfPresent(Double.self, forKey: .minContext) ?? 0,
            activation: try values.decode(Activation.self, forKey: .activation),
            classes: try values.decode(Int.self, forKey: .classes),
            live: try values.decode(Int.self, forKey: .live),
            limit: try values.decode(Double.self, forKey: .limit),
            strictLimit: try values.decodeIfPresent(Double.self, forKey: .strictLimit))
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
        } else if !(strictLimit > 0 && strictLimit < limit) {
            faults.append(
                "the strictLimit of presentationAttack must be over 0 and under its limit")
        }
        if !Self.contextRange.contains(minContext) {
            faults.append("the minContext of presentationAttack must be 0...8")
        }
        return faults
    }
}
