/// Scores pairs of photos of a set.
public struct PairScorer: Sendable {
    public let set: LabeledDescriptors
    public let normalization: PairNormalization

    public init(_ set: LabeledDescriptors, _ normalization: PairNormalization) {
        (self.set, self.normalization) = (set, normalization)
    }

    /// Returns the score of two photos, by number.
    public func score(_ i: Int, _ j: Int) -> Float {
        var cosine: [Float] = [0]
        set.rows.dots(with: set.rows.packedRow(i), rows: j..<j + 1, into: &cosine)
        return normalization.score(cosine[0], i, j)
    }

    /// Returns the scores of a photo with the photos of a range.
    func scores(_ i: Int, _ others: Range<Int>) -> [Float] {
        var scores = [Float](repeating: 0, count: others.count)
        set.rows.dots(with: set.rows.packedRow(i), rows: others, into: &scores)
        for (k, j) in others.enumerated() { scores[k] = normalization.score(scores[k], i, j) }
        return scores
    }

    /// Scores all pairs, a row at a time: `body` receives photo `i` and its scores with the photos
    /// 0..<i.
    ///
    /// 11.9 million pairs of 128 elements take about half a second.
    public func forEachRow(_ body: (_ i: Int, _ scores: [Float]) throws -> Void) rethrows {
        var scores = [Float](repeating: 0, count: set.photoCount)
        for i in 1..<max(set.photoCount, 1) {
            set.rows.dots(with: set.rows.packedRow(i), rows: 0..<i, into: &scores)
            normalize(&scores, of: i)
            try body(i, scores)
        }
    }

    private func normalize(_ scores: inout [Float], of i: Int) {
        let group = normalization.groups[i]
        let ownMeans = normalization.means.map { $0[i] },
            ownWeights = normalization.weights.map { $0[i] }
        let means = normalization.means[group], weights = normalization.weights[group],
            groups = normalization.groups
        for j in 0..<i {
            let cosine = scores[j], g = groups[j]
            scores[j] = (cosine - ownMeans[g]) * ownWeights[g] + (cosine - means[j]) * weights[j]
        }
    }

    /// Counts all pairs in a histogram.
    public func histogram(bins: Int = 40_000) -> ScoreHistogram {
        var result = ScoreHistogram(range: normalization.scoreRange, bins: bins)
        let people = set.people
        let shares = set.photosPerPerson.map { 2 / Double(max($0 * ($0 - 1), 1)) }
        forEachRow { i, scores in
            let person = people[i]
            for j in 0..<i {
                result.count(scores[j], mated: people[j] == person, share: shares[person])
            }
        }
        return result
    }
}
