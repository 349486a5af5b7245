/// How to calibrate. The defaults are those measured in `docs/measurements/score-normalisation.md`.
public struct CalibrationPlan: Sendable, Equatable {
    /// Repeats everything exactly.
    public var seed: UInt64 = 1
    /// Members of the cohort.
    public var cohortCount = 6000
    /// The nearest of them that count.
    public var nearestCount = 300
    public var mixture = GaussianMixture.Fitting()
    /// Groups of people for cross-fitting, at least 3: n·(n + 1)/2 mixtures are fitted, to the
    /// people of n − 2 or n − 1 groups.
    public var groups = 10
    /// For the intervals; 0 leaves them as wide as they can be.
    public var bootstrapRounds = 200
    /// A rate counts as measured with at least so many impostor pairs; under it the tail is
    /// extrapolated.
    public var minSupport = 30

    public init() {}

    func draw(
        from set: LabelledDescriptors, using generator: inout SeededGenerator,
        progress: (GaussianMixture.Progress) throws -> Void
    ) throws -> CohortDraw {
        let points = set.firstPhotos.map { set[$0] }
        let fitted = try GaussianMixture.fit(points, mixture, using: &generator, progress: progress)
        return try fitted.drawCohort(
            count: cohortCount, nearestCount: nearestCount, apartFrom: set, using: &generator)
    }
}

/// How far a calibration is.
public enum CalibrationProgress: Sendable, Equatable {
    case fitting(cohort: Int, of: Int, round: GaussianMixture.Progress)
    case scoring
    case bootstrap(round: Int, of: Int)
}
