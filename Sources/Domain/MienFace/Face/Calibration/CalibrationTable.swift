public import MienCore

/// A mapping from normalized scores to false-match rates, with the measurement behind it.
///
/// Between knots, the logarithm of the rate is linear in the score. Beyond the first and last
/// knots, the outermost line continues. A higher score therefore never means a higher rate. Stored
/// as `calibration.json`; see `docs/spec/calibration.md`.
public struct CalibrationTable: Sendable, Equatable {
    /// One point of the curve.
    public struct Knot: Sendable, Equatable, Codable {
        /// The normalized score, in standard deviations; a cosine without normalization.
        public let score: Double
        /// log10 of the fraction of impostor pairs that reach ``score``; at most 0.
        public let logRate: Double
        /// The number of impostor pairs that reached the score; 0 where the rate is extrapolated.
        public let support: Int
        /// The 95 % interval of ``logRate``, by bootstrap over people: lower and upper ends.
        public let interval: [Double]
        /// Whether the rate comes from the line fitted to the tail instead of a count.
        public let isExtrapolated: Bool

        public init(
            score: Double, logRate: Double, support: Int, interval: [Double], isExtrapolated: Bool
        ) {
            (self.score, self.logRate, self.support) = (score, logRate, support)
            (self.interval, self.isExtrapolated) = (interval, isExtrapolated)
        }
    }

    /// At least two, with strictly increasing scores and strictly decreasing rates.
    public let knots: [Knot]
    public let measurement: CalibrationMeasurement
    /// How the scores of the knots were made, and those of comparisons must be.
    public let normalization: ScoreNormalization
    /// The deviation that each side's is averaged with; only with
    /// ``ScoreNormalization/asNormShrunk``.
    public let typicalDeviation: Float?

    public static let knotCountRange = 2...1000

    /// - Throws: ``CalibrationError`` when the knots do not form a falling curve, or when the
    ///   typical deviation is missing, not positive, or not used by the normalization.
    public init(
        knots: [Knot], measurement: CalibrationMeasurement,
        normalization: ScoreNormalization = .asNorm, typicalDeviation: Float? = nil
    ) throws(CalibrationError) {
        guard (normalization == .asNormShrunk) == (typicalDeviation != nil),
            typicalDeviation.map({ $0.isFinite && $0 > 0 }) ?? true
        else { throw .deviation }
        guard Self.knotCountRange.contains(knots.count) else { throw .knotCount(knots.count) }
        for (i, knot) in knots.enumerated() {
            guard knot.score.isFinite, knot.logRate.isFinite, knot.logRate <= 0, knot.support >= 0
            else { throw .knot(i) }
            guard knot.interval.count == 2, knot.interval[0] <= knot.interval[1] else {
                throw .knot(i)
            }
            guard i == 0 || (knot.score > knots[i - 1].score && knot.logRate < knots[i - 1].logRate)
            else { throw .notFalling(knot: i) }
        }
        self.knots = knots
        self.measurement = measurement
        (self.normalization, self.typicalDeviation) = (normalization, typicalDeviation)
    }
}

extension CalibrationTable {
    /// Returns log10 of the false-match rate at `score`; at most 0, with no lower bound.
    public func logRate(of score: Double) -> Double {
        // The last knot at or below the score that still has a knot after it.
        var low = 0, high = knots.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if knots[middle].score <= score { low = middle } else { high = middle }
        }
        let (a, b) = (knots[low], knots[low + 1])
        return min(0, a.logRate + (score - a.score) * (b.logRate - a.logRate) / (b.score - a.score))
    }

    public func matchScore(of score: Double) -> MatchScore { MatchScore(-12 * logRate(of: score)) }

    /// Returns the smallest normalized score for which ``matchScore(of:)`` reaches `matchScore`.
    public func minScore(for matchScore: MatchScore) -> Double {
        let wanted = -matchScore.value / 12
        let last = knots.count - 1
        let next = max(1, knots.firstIndex { $0.logRate <= wanted } ?? last)
        let (a, b) = (knots[next - 1], knots[next])
        return a.score + (wanted - a.logRate) * (b.score - a.score) / (b.logRate - a.logRate)
    }
}

/// The reason that a calibration cannot be used or made.
public enum CalibrationError: Error, Equatable, Sendable {
    case knotCount(Int)
    /// A number of this knot is missing, not finite, or out of range.
    case knot(Int)
    /// This knot's score is not above the previous one, or its rate is not below the previous one.
    case notFalling(knot: Int)
    /// The JSON states a form other than ``CalibrationTable/form``.
    case form(String)
    /// The typical deviation is missing, not a positive number, or given for another normalization.
    case deviation
    /// There are too few people, photos, or pairs to measure.
    case tooFew(String)
}

extension CalibrationError: CustomStringConvertible {
    /// Omits text from the file itself, because it could contain anything.
    public var description: String {
        switch self {
        case .knotCount(let count): "the curve has \(count) knots; 2 to 1,000 are allowed"
        case .knot(let number): "a number in knot \(number) of the curve is missing or out of range"
        case .notFalling(let number): "the curve does not fall at knot \(number)"
        case .form:
            "the form is neither “\(CalibrationTable.form)” nor “\(CalibrationTable.formWithNormalization)”"
        case .deviation:
            "typicalDeviation must be a positive number with as-norm-shrunk, and missing otherwise"
        case .tooFew(let what): what
        }
    }
}
