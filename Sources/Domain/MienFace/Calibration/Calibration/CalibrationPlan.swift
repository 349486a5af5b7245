internal import MienCore

/// Settings for a calibration. The defaults are those measured in
/// `docs/measurements/score-normalization.md`.
public struct CalibrationPlan: Sendable, Equatable {
    /// The random seed. The same seed repeats a calibration exactly.
    public var seed: UInt64 = 1
    /// How scores are made; `nil` chooses by ``NormalizationComparison``.
    public var normalization: ScoreNormalization? = .asNorm
    /// The number of members in the cohort.
    public var cohortCount = 6000
    /// The number of nearest members to evaluate.
    public var nearestCount = 300
    public var mixture = GaussianMixture.Fitting()
    /// Number of groups of people for cross-fitting, at least 3. The calibration fits n·(n + 1)/2
    /// mixtures, each to the people of n − 2 or n − 1 groups. With ``CalibrationGroups``, each
    /// mixture is several, one for each group of the first column.
    public var groups = 10
    /// Bootstrap rounds for the intervals; 0 leaves the intervals as wide as possible.
    public var bootstrapRounds = 200
    /// The minimum number of impostor pairs for a measured rate. Rates with fewer pairs are
    /// extrapolated from the tail.
    public var minSupport = 30

    public init() {}

    /// A group with fewer people has no part of the cohort of its own.
    public var minGroupPeople = 100

    /// - Parameter groups: The group of each person, or −1. Each group with at least
    ///   ``minGroupPeople`` then has an equal share of the cohort, so that everybody is compared
    ///   with as many similar faces; others have none. `nil`, or fewer than two such groups, draws
    ///   from all people alike.
    func draw(
        from set: LabeledDescriptors, groups: [Int]? = nil,
        using generator: inout SeededGenerator,
        progress: (GaussianMixture.Progress) throws -> Void
    ) throws -> CohortDraw {
        let first = set.firstPhotos
        let members = groups.map { groups in
            Dictionary(grouping: groups.indices.filter { groups[$0] >= 0 }) { groups[$0] }
                .sorted { $0.key < $1.key }.map(\.value)
                .filter { $0.count >= max(minGroupPeople, mixture.minPeople) }
        }
        let parts = members.flatMap { $0.count > 1 ? $0 : nil } ?? [Array(first.indices)]
        var fitting = mixture
        fitting.components = max(1, mixture.components / parts.count)
        let mixtures = try parts.map { part in
            try GaussianMixture.fit(
                part.map { set[first[$0]] }, fitting, using: &generator, progress: progress)
        }
        return try GaussianMixture(equally: mixtures).drawCohort(
            count: cohortCount, nearestCount: nearestCount, apartFrom: set, using: &generator)
    }
}

/// The progress of a calibration.
public enum CalibrationProgress: Sendable, Equatable {
    case fitting(cohort: Int, of: Int, round: GaussianMixture.Progress)
    case scoring
    case bootstrap(round: Int, of: Int)
}
