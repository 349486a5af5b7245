internal import Foundation

/// One decision about everything measured that a print, a screen, or a mask shows a little of.
///
/// Each measurement has a weight: positive if it speaks for an attack, negative if it speaks for a
/// face. The weights add up, and the sum decides, so several weak signs refuse a session that none of
/// them would. What was not measured weighs nothing. All that speaks for a face together weighs at most
/// ``maxCredit``, so that a strong sign of an attack refuses whatever else was measured.
///
/// A pure value. For how the weights were chosen, and the error curve, see
/// docs/measurements/liveness.md.
public struct LivenessDecision: Sendable, Hashable {
    /// A measurement that is weighed.
    public enum Cue: String, Sendable, CaseIterable, Codable {
        /// The residual of the best homography of a turn, as a fraction of the face's extent.
        case depth
        /// The presentation-attack network's probability, in steps of the pack: 0 at its limit, 1 as
        /// far above it as its strict limit is below. See ``PresentationAttackScore/steps(of:)``.
        case network
        /// ``TextureCues/peak``.
        case peak
        /// ``TextureCues/glare``.
        case glare
        /// ``TextureCues/border``.
        case border
        /// How much more rows change between frames than columns.
        case banding
    }

    /// The sum that is accepted at `livenessThreshold` 0, and at 100.
    static let scale = LivenessScale(0.25, -0.5)

    /// The maximum that all weights which speak for a face together take off the sum.
    static let maxCredit = 1.0

    public let weights: [Cue: Double]

    /// - Parameter measurements: Those that exist.
    public init(_ measurements: [Cue: Double]) {
        weights = measurements.reduce(into: [:]) { weights, measured in
            weights[measured.key] = CueWeight.of(measured.key).weight(of: measured.value)
        }
    }

    /// The sum of the weights, of which those that speak for a face take off at most
    /// ``maxCredit``.
    public var total: Double {
        // In a fixed order, because floating-point sums depend on it.
        let all = Cue.allCases.map { weights[$0] ?? 0 }
        return all.reduce(0) { $0 + max(0, $1) }
            + max(-Self.maxCredit, all.reduce(0) { $0 + min(0, $1) })
    }

    /// The cue that speaks most for an attack, if the sum is over `limit`.
    func refusal(over limit: Double) -> Cue? {
        guard !weights.isEmpty, total > limit else { return nil }
        return Cue.allCases.max { weights[$0] ?? 0 < weights[$1] ?? 0 }
    }
}

/// The weight of a cue's measurement: a line, cut off on both sides.
private struct CueWeight {
    /// The measurement that weighs nothing.
    let neutral: Double
    let slope: Double
    /// Over the logarithm of the measurement, not the measurement.
    var isLogarithmic = false
    /// The smallest weight, and the largest.
    var least = -0.5
    static let most = 6.0

    static func of(_ cue: LivenessDecision.Cue) -> CueWeight {
        switch cue {
        case .depth: CueWeight(neutral: 0.052, slope: -12, isLogarithmic: true)
        case .network: CueWeight(neutral: 0, slope: 0.6)
        case .peak: CueWeight(neutral: 15.5, slope: 0.05)
        case .glare: CueWeight(neutral: 0.05, slope: 10, least: 0)
        case .border: CueWeight(neutral: 20, slope: 0.75, isLogarithmic: true)
        case .banding: CueWeight(neutral: 1.4, slope: 1.6, isLogarithmic: true)
        }
    }

    private func position(_ value: Double) -> Double {
        isLogarithmic ? log(max(value, 1e-6)) : value
    }

    func weight(of value: Double) -> Double {
        let weight = slope * (position(value) - position(neutral))
        // What is not a number must not pass.
        guard !weight.isNaN else { return Self.most }
        return min(Self.most, max(least, weight))
    }
}

extension LivenessLimits {
    /// The largest ``LivenessDecision/total`` that is accepted.
    var decision: Double { at(LivenessDecision.scale) }
}
