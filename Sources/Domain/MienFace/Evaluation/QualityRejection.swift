public import MienCore

/// What refusing the photos of lowest quality does to false non-matches. A quality measure is worth
/// something when the rate falls.
///
/// The idea of an error-versus-reject curve: Grother and Tabassi, "Performance of biometric quality
/// measures", 2007.
public struct QualityRejection: Sendable, Equatable {
    public struct Row: Sendable, Equatable {
        /// Part of all photos refused, 0...1.
        public let rejected: Double
        /// Photos of at least this quality are kept, 0...100.
        public let minQuality: Int
        /// Mated pairs whose photos are both kept.
        public let matedPairs: Int
        /// 0...1 of ``matedPairs`` at the threshold.
        public let falseNonMatchRate: Double
    }

    public let threshold: MatchScore
    public let rows: [Row]

    /// - Parameters:
    ///   - scorer: scores the pairs.
    ///   - quality: of each photo of the scorer's set, 0...100. Equal qualities are told apart by
    ///     the photo's number.
    ///   - threshold: what a pair has to reach.
    ///   - normalisedThreshold: the normalised score that stands for `threshold`.
    ///   - rejected: parts to refuse, 0...1.
    public init(
        _ scorer: PairScorer, quality: [Int], threshold: MatchScore, normalisedThreshold: Double,
        rejected: [Double] = [0, 0.05, 0.1, 0.2, 0.3]
    ) {
        precondition(quality.count == scorer.set.photoCount, "a quality for each photo")
        let order = quality.indices.sorted { (quality[$0], $0) < (quality[$1], $1) }
        var rank = [Int](repeating: 0, count: quality.count)
        for (place, photo) in order.enumerated() { rank[photo] = place }
        let firstKept = rejected.map { Int(($0 * Double(quality.count)).rounded()) }

        var pairs = rejected.map { _ in 0 }, misses = pairs
        let people = scorer.set.people, level = Float(normalisedThreshold)
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
