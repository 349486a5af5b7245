public import MienCore

/// The effect of rejecting the lowest-quality photos on false non-matches. A useful quality measure
/// lowers the rate.
///
/// Based on the error-versus-reject curve: Grother and Tabassi, "Performance of biometric quality
/// measures", 2007.
public struct QualityRejection: Sendable, Equatable {
    public struct Row: Sendable, Equatable {
        /// The fraction of all photos rejected, 0...1.
        public let rejected: Double
        /// Photos of at least this quality are kept, 0...100.
        public let minQuality: Int
        /// The number of mated pairs with both photos kept.
        public let matedPairs: Int
        /// The fraction of ``matedPairs`` below the threshold, 0...1.
        public let falseNonMatchRate: Double
    }

    public let threshold: MatchScore
    public let rows: [Row]

    /// - Parameters:
    ///   - scorer: Scores the pairs.
    ///   - quality: The quality of each photo of the scorer's set, 0...100. Ties are broken by
    ///     photo number.
    ///   - threshold: The score that a pair must reach.
    ///   - normalizedThreshold: The normalized score that corresponds to `threshold`.
    ///   - rejected: The fractions to reject, 0...1.
    public init(
        _ scorer: PairScorer, quality: [Int], threshold: MatchScore, normalizedThreshold: Double,
        rejected: [Double] = [0, 0.05, 0.1, 0.2, 0.3]
    ) {
        precondition(
            quality.count == scorer.set.photoCount, "quality must have one value per photo")
        let order = quality.indices.sorted { (quality[$0], $0) < (quality[$1], $1) }
        var rank = [Int](repeating: 0, count: quality.count)
        for (position, photo) in order.enumerated() { rank[photo] = position }
        let firstKept = rejected.map { Int(($0 * Double(quality.count)).rounded()) }

        var pairs = rejected.map { _ in 0 }, misses = pairs
        let people = scorer.set.people, level = Float(normalizedThreshold)
        scorer.forEachRow { i, scores in
            for j in 0..<i where people[j] == people[i] {
                for (k, first) in firstKept.enumerated() where rank[i] >= first && rank[j] >= first
                {
                    pairs[k] += 1
                    if scores[j] < level { misses[k] += 1 }
                }
            }
        }
        self.threshold = threshold
        rows = rejected.indices.map { k in
            Row(
                rejected: rejected[k],
                minQuality: firstKept[k] < order.count ? quality[order[firstKept[k]]] : 100,
                matedPairs: pairs[k],
                falseNonMatchRate: Double(misses[k]) / Double(max(pairs[k], 1)))
        }
    }
}
