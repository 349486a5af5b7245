/// Counts of false matches and true accepts at every threshold of a histogram.
public struct ErrorRates: Sendable {
    private let histogram: ScoreHistogram
    /// For each bin, the number of pairs in it or above, followed by a final 0.
    private let impostorsFrom: [Int]
    private let matedFrom: [Int]
    private let sharesFrom: [Double]

    public init(_ histogram: ScoreHistogram) {
        self.histogram = histogram
        impostorsFrom = Self.fromEach(histogram.impostor)
        matedFrom = Self.fromEach(histogram.mated)
        sharesFrom = Self.fromEach(histogram.matedShares)
    }

    private static func fromEach<Count: Numeric>(_ counts: [Count]) -> [Count] {
        var out = counts + [0]
        for i in counts.indices.reversed() { out[i] += out[i + 1] }
        return out
    }

    public var impostorPairs: Int { impostorsFrom[0] }
    public var matedPairs: Int { matedFrom[0] }

    /// One threshold and its error rates.
    public struct Point: Sendable, Equatable {
        /// Scores at or above it are accepted.
        public let threshold: Double
        /// The number of impostor pairs accepted.
        public let falseMatches: Int
        /// 0…1.
        public let falseMatchRate: Double
        /// 0…1; one minus the false-non-match rate.
        public let trueAcceptRate: Double
        /// 0…1: the mean over people of the part of their own pairs that is accepted.
        public let trueAcceptRatePerPerson: Double
    }

    func point(bin: Int) -> Point {
        Point(
            threshold: histogram.edge(bin), falseMatches: impostorsFrom[bin],
            falseMatchRate: Double(impostorsFrom[bin]) / Double(max(impostorPairs, 1)),
            trueAcceptRate: Double(matedFrom[bin]) / Double(max(matedPairs, 1)),
            trueAcceptRatePerPerson: sharesFrom[0] > 0 ? sharesFrom[bin] / sharesFrom[0] : 0)
    }

    /// Returns the lowest threshold whose false-match rate is at most `rate`.
    public func point(falseMatchRate rate: Double) -> Point {
        let maxFalseMatches = rate * Double(impostorPairs)
        var low = 0, high = histogram.binCount
        while low < high {
            let middle = (low + high) / 2
            if Double(impostorsFrom[middle]) <= maxFalseMatches {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return point(bin: low)
    }

    /// Returns the rates at `threshold`, rounded up to the next bin edge.
    public func point(threshold: Double) -> Point {
        let width =
            (histogram.range.upperBound - histogram.range.lowerBound) / Double(histogram.binCount)
        let bin = ((threshold - histogram.range.lowerBound) / width - 1e-9).rounded(.up)
        return point(bin: Int(min(max(bin, 0), Double(histogram.binCount))))
    }

    /// The rate at which false matches and false non-matches are equally frequent, 0…1.
    public var equalErrorRate: Double {
        let bin =
            (0...histogram.binCount).first {
                point(bin: $0).falseMatchRate <= 1 - point(bin: $0).trueAcceptRate
            } ?? 0
        let p = point(bin: bin)
        return (p.falseMatchRate + 1 - p.trueAcceptRate) / 2
    }

    /// Returns the curve from the strictest to the most lenient threshold, without repeated points.
    ///
    /// - Parameter perDecade: The approximate maximum number of points for each power of ten of the
    ///   false-match rate.
    public func tradeoff(perDecade: Int = 20) -> [Point] {
        var out: [Point] = []
        let minRate = 1 / Double(max(impostorPairs, 1))
        var rate = minRate
        while rate < 1 {
            let p = point(falseMatchRate: rate)
            if p != out.last { out.append(p) }
            rate *= pow10(1 / Double(perDecade))
        }
        return out
    }
}
