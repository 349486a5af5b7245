public import MienCore

/// From normalised score to false-match rate, with the measurement it rests on.
///
/// Between knots the logarithm of the rate is linear in the score; beyond the first and last knot
/// the outermost line goes on. So a higher score never means a higher rate. Stored as
/// `calibration.json`, see `docs/spec/calibration.md`.
public struct CalibrationTable: Sendable, Equatable {
    /// One point of the curve.
    public struct Knot: Sendable, Equatable, Codable {
        /// Normalised score, in deviations.
        public let score: Double
        /// log10 of the share of impostor pairs that reach ``score``; at most 0.
        public let logRate: Double
        /// How many impostor pairs reached it. 0 where the rate is extrapolated.
        public let support: Int
        /// The 95 % interval of ``logRate``, by bootstrap over people: lower and upper end.
        public let interval: [Double]
        /// The rate comes from the tail's fitted line, not from counting.
        public let isExtrapolated: Bool

        public init(
            score: Double, logRate: Double, support: Int, interval: [Double], isExtrapolated: Bool
        ) {
            (self.score, self.logRate, self.support) = (score, logRate, support)
            (self.interval, self.isExtrapolated) = (interval, isExtrapolated)
        }
    }

    /// At least two; scores strictly rising, rates strictly falling.
    public let knots: [Knot]
    public let measurement: CalibrationMeasurement

    public static let knotCountRange = 2...1000

    /// - Throws: ``CalibrationError`` when the knots are no falling curve.
    public init(knots: [Knot], measurement: CalibrationMeasurement) throws(CalibrationError) {
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
    }
}

extension CalibrationTable {
    /// log10 of the false-match rate at `score`; at most 0, not bounded below.
    public func logRate(of score: Double) -> Double {
        // The last knot at or under the score, but always with one after it.
        var low = 0, high = knots.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if knots[middle].score <= score { low = middle } else { high = middle }
        }
        let (a, b) = (knots[low], knots[low + 1])
        return min(0, a.logRate + (score - a.score) * (b.logRate - a.logRate) / (b.score - a.score))
    }

    public func matchScore(of score: Double) -> MatchScore { MatchScore(-12 * logRate(of: score)) }

    /// The normalised score from which ``matchScore(of:)`` reaches `matchScore`.
    public func minScore(for matchScore: MatchScore) -> Double {
        let wanted = -matchScore.value / 12
        let last = knots.count - 1
        let next = max(1, knots.firstIndex { $0.logRate <= wanted } ?? last)
        let (a, b) = (knots[next - 1], knots[next])
        return a.score + (wanted - a.logRate) * (b.score - a.score) / (b.logRate - a.logRate)
    }
}

/// Why a calibration cannot be used or made.
public enum CalibrationError: Error, Equatable, Sendable {
    case knotCount(Int)
    /// A number of this knot is missing, not finite or out of range.
    case knot(Int)
    /// This knot's score is not above, or its rate not below, the one before.
    case notFalling(knot: Int)
    /// The JSON states another form than ``CalibrationTable/form``.
    case form(String)
    /// Too few people, photos or pairs to measure with.
    case tooFew(String)
}

extension CalibrationError: CustomStringConvertible {
    /// What it holds of a file's own text is left out: that could be anything.
    public var description: String {
        switch self {
        case .knotCount(let count): "its curve has \(count) knots, 2 to 1,000 are allowed"
        case .knot(let number): "a number of knot \(number) of its curve is missing or out of range"
        case .notFalling(let number): "its curve does not fall at knot \(number)"
        case .form: "its form is not “\(CalibrationTable.form)”"
        case .tooFew(let what): what
        }
    }
}
