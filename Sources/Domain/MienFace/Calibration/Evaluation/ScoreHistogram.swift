/// A histogram of scores for pairs of one person and pairs of two.
///
/// Thresholds are bin edges, so rates are exact counts. Only the position of a threshold is limited
/// by the bin width.
public struct ScoreHistogram: Sendable, Equatable {
    public let range: ClosedRange<Double>
    public private(set) var impostor: [Int]
    public private(set) var mated: [Int]
    /// The mated pairs, each with its share of its person.
    public private(set) var matedShares: [Double]
    private let binsPerUnit: Float
    private let lower: Float

    /// - Precondition: `bins` > 0, and `range` is wider than a point.
    public init(range: ClosedRange<Double>, bins: Int) {
        precondition(bins > 0 && range.upperBound > range.lowerBound)
        self.range = range
        impostor = [Int](repeating: 0, count: bins)
        mated = impostor
        matedShares = [Double](repeating: 0, count: bins)
        lower = Float(range.lowerBound)
        binsPerUnit = Float(Double(bins) / (range.upperBound - range.lowerBound))
    }

    public var binCount: Int { impostor.count }

    /// Counts one pair's score. A score outside ``range`` counts in the nearest end bin.
    ///
    /// - Parameter share: For a mated pair, its part of the person's pairs: 0.1 when the person has
    ///   ten. Each person then counts once, however many pairs they have.
    @inline(__always) public mutating func count(
        _ score: Float, mated isMated: Bool, share: Double = 1
    ) {
        let bin = min(max(Int((score - lower) * binsPerUnit), 0), impostor.count - 1)
        if isMated {
            mated[bin] += 1
            matedShares[bin] += share
        } else {
            impostor[bin] += 1
        }
    }

    /// Returns the lower edge of `bin`; `binCount` gives the upper end of the range.
    public func edge(_ bin: Int) -> Double {
        range.lowerBound + Double(bin) * (range.upperBound - range.lowerBound) / Double(binCount)
    }
}
