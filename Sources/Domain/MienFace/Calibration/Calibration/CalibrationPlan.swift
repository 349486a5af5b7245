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
    /// mixtures, each to the people of n − 2 or n − 1 groups.
    public var groups = 10
    /// Bootstrap rounds for the intervals; 0 leaves the intervals as wide as possible.
    public var bootstrapRounds = 200
    /// The minimum number of impostor pairs for a measured rate. Rates with fewer pairs are
    /// extrapolated from the tail.
    public var minSupport = 30

    public init() {}

    func draw(
        from set: LabeledDescriptors, using generator: inout SeededGenerator,
        progress: (GaussianMixture.Progress) throws -> Void
    ) throws -> CohortDraw {
        let points = set.firstPhotos.map { set[$0] }
        let fitted = try GaussianMixture.fit(points, mixture, using: &generator, progress: progress)
        return try fitted.drawCohort(
            count: cohortCount, nearestCount: nearestCount, apartFrom: set, using: &generator)
    }
}

/// The progress of a calibration.
public enum CalibrationProgress: Sendable, Equatable {
    case fitting(cohort: Int, of: Int, round: GaussianMixture.Progress)
    case scoring
    case bootstrap(round: Int, of: Int)
}
