/// Turns the cosine of two photos of a set into the score to be judged.
public struct PairNormalization: Sendable {
    /// The group of each photo's person; all 0 when there is only one cohort.
    let groups: [Int]
    let groupCount: Int
    /// For each group g and photo: statistics against the cohort for pairs with a photo of group g.
    let means: [[Float]]
    let weights: [[Float]]
    /// Whether scores are normalized instead of plain cosines.
    public let isNormalized: Bool
    /// The deviation that each side's was averaged with, if any.
    public let typicalDeviation: Float?

    /// Returns a normalization that keeps plain cosines.
    public static func none(photoCount: Int) -> PairNormalization {
        let one = [[Float](repeating: 0, count: photoCount)]
        return PairNormalization(
            groups: [Int](repeating: 0, count: photoCount), means: one,
            weights: one.map { $0.map { _ in 0.5 } }, isNormalized: false)
    }

    /// Uses a pack's cohort, if it has one, for all photos. The results are too favorable for the
    /// people to whom the cohort was fitted.
    public init(_ set: LabeledDescriptors, _ matcher: FaceMatcher) {
        guard let cohort = matcher.cohort else {
            self = .none(photoCount: set.photoCount)
            return
        }
        self.init(set, groups: [Int](repeating: 0, count: set.photoCount), groupCount: 1) { _, _ in
            cohort
        }
        if let typical = matcher.calibration.typicalDeviation { self = shrunk(toward: typical) }
    }

    /// The same with each deviation averaged with the median of all.
    var shrunk: PairNormalization {
        let weights = weights.flatMap(\.self).sorted()
        return shrunk(toward: weights.isEmpty ? 1 : 0.5 / weights[weights.count / 2])
    }

    /// The same for the first photos only.
    func prefix(_ count: Int) -> PairNormalization {
        PairNormalization(
            groups: Array(groups.prefix(count)), means: means.map { Array($0.prefix(count)) },
            weights: weights.map { Array($0.prefix(count)) }, isNormalized: isNormalized,
            typicalDeviation: typicalDeviation)
    }

    func shrunk(toward typical: Float) -> PairNormalization {
        // With σ = 0.5 / w, the new weight is 0.5 / (0.5 σ + 0.5 σ₀).
        PairNormalization(
            groups: groups, means: means,
            weights: weights.map { $0.map { 1 / (0.5 / $0 + typical) } }, isNormalized: true,
            typicalDeviation: typical)
    }

    /// Uses a separate cohort for each pair of groups.
    ///
    /// - Parameters:
    ///   - groups: The group of each photo, 0..<`groupCount`.
    ///   - cohort: Returns the cohort for pairs between two groups. Called with the smaller group
    ///     first.
    init(_ set: LabeledDescriptors, groups: [Int], groupCount: Int, cohort: (Int, Int) -> Cohort) {
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
        self.init(groups: groups, means: means, weights: weights, isNormalized: true)
    }

    private init(
        groups: [Int], means: [[Float]], weights: [[Float]], isNormalized: Bool,
        typicalDeviation: Float? = nil
    ) {
        (self.groups, groupCount, self.means, self.weights, self.isNormalized) = (
            groups, means.count, means, weights, isNormalized
        )
        self.typicalDeviation = typicalDeviation
    }

    /// Returns the score of photos `i` and `j`, given their cosine.
    func score(_ cosine: Float, _ i: Int, _ j: Int) -> Float {
        let (gi, gj) = (groups[i], groups[j])
        return (cosine - means[gj][i]) * weights[gj][i] + (cosine - means[gi][j]) * weights[gi][j]
    }

    /// A range that holds nearly all scores. The few outside it are counted in the end bins.
    public var scoreRange: ClosedRange<Double> { isNormalized ? -40...40 : -1...1 }
}
