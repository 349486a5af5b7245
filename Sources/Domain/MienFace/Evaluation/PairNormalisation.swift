/// What turns the cosine of two photos of a set into the score that is judged.
public struct PairNormalisation: Sendable {
    /// Group of each photo's person; 0 for all where there is one cohort.
    let groups: [Int]
    let groupCount: Int
    /// By group g, then photo: statistics against the cohort for pairs with a photo of group g.
    let means: [[Float]]
    let weights: [[Float]]
    /// Scores are normalised, not plain cosines.
    public let isNormalised: Bool

    /// Plain cosines.
    public static func none(photoCount: Int) -> PairNormalisation {
        let one = [[Float](repeating: 0, count: photoCount)]
        return PairNormalisation(
            groups: [Int](repeating: 0, count: photoCount), means: one,
            weights: one.map { $0.map { _ in 0.5 } }, isNormalised: false)
    }

    /// The cohort of a pack, for all photos. Too favourable for the very people the cohort was
    /// fitted on.
    public init(_ set: LabelledDescriptors, cohort: Cohort) {
        self.init(set, groups: [Int](repeating: 0, count: set.photoCount), groupCount: 1) { _, _ in
            cohort
        }
    }

    /// For each pair of groups its own cohort.
    ///
    /// - Parameters:
    ///   - groups: group of each photo, 0..<`groupCount`.
    ///   - cohort: the cohort for pairs between two groups; called with the smaller group first.
    init(_ set: LabelledDescriptors, groups: [Int], groupCount: Int, cohort: (Int, Int) -> Cohort) {
        let empty = [Float](repeating: 0, count: set.photoCount)
        var means = Array(repeating: empty, count: groupCount), weights = means
        for other in 0..<groupCount {
            for photo in 0..<set.photoCount {
                let own = groups[photo]
                let found = cohort(min(own, other), max(own, other)).statistics(
                    ofPacked: set.rows.packedRow(photo))
                means[other][photo] = found.mean
                weights[other][photo] = 0.5 / found.deviation
            }
        }
        self.init(groups: groups, means: means, weights: weights, isNormalised: true)
    }

    private init(groups: [Int], means: [[Float]], weights: [[Float]], isNormalised: Bool) {
        (self.groups, groupCount, self.means, self.weights, self.isNormalised) = (
            groups, means.count, means, weights, isNormalised
        )
    }

    /// The score of photos `i` and `j`, given their cosine.
    func score(_ cosine: Float, _ i: Int, _ j: Int) -> Float {
        let (gi, gj) = (groups[i], groups[j])
        return (cosine - means[gj][i]) * weights[gj][i] + (cosine - means[gi][j]) * weights[gi][j]
    }

    /// A range that holds nearly all scores; the few outside count to its ends.
    public var scoreRange: ClosedRange<Double> { isNormalised ? -40...40 : -1...1 }
}
