public import MienCore

/// Compares two faces: cosine, made comparable by the cohort, then put on the scale of false-match
/// rates.
///
/// Each side's own pass over the cohort is nearly all of the work. It is done when a ``Reference``
/// is made, so make the enrolled person's once:
///
///     let enrolled = try matcher.reference(for: template)
///     for descriptor in descriptors {
///         let score = matcher.score(try matcher.reference(for: descriptor), enrolled)
///     }
///
/// A value: holds the cohort (2 MB for 4 000 members of 128 elements) and the table; use one per
/// model pack, from any task.
public struct FaceMatcher: Sendable {
    public let cohort: Cohort
    public let calibration: CalibrationTable

    /// - Parameters:
    ///   - cohort: what both sides are measured against.
    ///   - calibration: measured with this very cohort; with another one its rates mean nothing.
    public init(cohort: Cohort, calibration: CalibrationTable) {
        self.cohort = cohort
        self.calibration = calibration
    }

    /// - Parameter vector: a unit vector of the cohort's dimension.
    /// - Throws: ``VectorError`` when it is not.
    public func reference(for vector: [Float]) throws(VectorError) -> Reference {
        try VectorError.check(vector, dimension: cohort.dimension)
        let blocks = cohort.rows.packed(vector)
        return Reference(
            blocks: blocks, dimension: cohort.dimension,
            statistics: cohort.statistics(ofPacked: blocks))
    }

    /// The normalised score, in deviations: see ``ScoreNormaliser``. The same whichever side comes
    /// first.
    public func normalisedScore(_ a: Reference, _ b: Reference) -> Float {
        ScoreNormaliser.normalised(
            cosine: VectorRows.dot(a.blocks, b.blocks), a.statistics, b.statistics)
    }

    public func score(_ a: Reference, _ b: Reference) -> MatchScore {
        calibration.matchScore(of: Double(normalisedScore(a, b)))
    }
}
