internal import Foundation

/// A condition under which a presentation-attack network can judge a face.
public enum PresentationGate: String, Sendable, CaseIterable, Codable {
    /// Enough of the surroundings is in the picture.
    case context
    /// The mesh is on a whole face.
    case confidence
    /// The face is lit well enough.
    case light

    /// The least confidence that the mesh shows a face, 0...1.
    package static let minPresence = 0.5
    /// The least mean brightness of the face, 0...255.
    package static let minBrightness = 50.0

    /// Returns the first gate that is closed; `nil` when all are open.
    ///
    /// - Parameters:
    ///   - context: The picture's width and height divided by those of the face's box, the smaller
    ///     of the two.
    ///   - minContext: The pack's minimum for it.
    ///   - presence: ``FaceMesh/presence``.
    ///   - brightness: The mean brightness of the face, 0...255.
    package static func closed(
        context: Double, minContext: Double, presence: Double, brightness: Double
    ) -> PresentationGate? {
        if !(presence > minPresence) { return .confidence }
        if !(context >= minContext) { return .context }
        if !(brightness >= minBrightness) { return .light }
        return nil
    }

    /// The hint for the person that opens the gate.
    public var guidance: Guidance {
        switch self {
        case .context: .faceTooClose
        // The mesh network doubts that this is a face.
        case .confidence: .faceNotFound
        case .light: .tooDark
        }
    }
}

/// A presentation-attack network's score for one frame.
public struct PresentationAttackScore: Sendable, Hashable {
    /// The network's answer, or the reason that there is none.
    public enum Finding: Sendable, Hashable {
        /// 0...1: the probability that the face is a presentation attack, such as a print or a
        /// screen.
        case attack(Double)
        /// The network was not asked, because this gate is closed.
        case closed(PresentationGate)
    }

    public let finding: Finding
    /// 0...1, set by the pack: the score that speaks neither for an attack nor for a face, and one
    /// that speaks for a face by one step.
    public let limit: Double, strictLimit: Double

    /// - Parameter strictLimit: Half the limit by default.
    public init(_ finding: Finding, limit: Double, strictLimit: Double? = nil) {
        (self.finding, self.limit) = (finding, limit)
        self.strictLimit = strictLimit ?? limit / 2
    }

    /// Returns how far `attack`, 0...1, lies above the limit, in steps between the strict limit and
    /// the limit, on the scale of log odds. Not a number, or limits that are no limits, give NaN, which
    /// the decision refuses.
    package func steps(of attack: Double) -> Double {
        func logOdds(_ share: Double) -> Double {
            guard share >= 0, share <= 1 else { return .nan }
            let share = min(1 - 1e-6, max(1e-6, share))
            return log(share / (1 - share))
        }
        let step = logOdds(limit) - logOdds(strictLimit)
        return step > 0 ? (logOdds(attack) - logOdds(limit)) / step : .nan
    }

    /// The probability of an attack; `nil` when the network was not asked.
    public var attack: Double? { if case .attack(let attack) = finding { attack } else { nil } }
}
