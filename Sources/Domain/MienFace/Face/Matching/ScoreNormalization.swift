/// The way from a cosine to the score that a ``CalibrationTable`` turns into a false-match rate.
public enum ScoreNormalization: String, Sendable, Codable, CaseIterable {
    /// The cosine itself, −1…1. Needs no cohort.
    case none
    /// Distance from the cosines with a cohort, in deviations of each side; see
    /// ``ScoreNormalizer``.
    case asNorm = "as-norm"
    /// The same, with each side's deviation averaged with a typical one. Deviations that were
    /// estimated too small then exaggerate less.
    case asNormShrunk = "as-norm-shrunk"

    /// Whether scores are made with a ``Cohort``.
    public var usesCohort: Bool { self != .none }
}
