public import MienCore

/// Compares two faces: computes the cosine, normalizes it with the cohort, and maps it to the scale
/// of false-match rates.
///
/// Nearly all of the work is comparing each side with the cohort. That happens when a ``Reference``
/// is made, so make the enrolled person's reference once:
///
///     let enrolled = try matcher.reference(for: template)
///     for descriptor in descriptors {
///         let score = matcher.score(try matcher.reference(for: descriptor), enrolled)
///     }
///
/// A value that holds the cohort (2 MB for 4,000 members of 128 elements) and the table. Use one
/// per model pack, from any task.
public struct FaceMatcher: Sendable {
    public let cohort: Cohort
    public let calibration: CalibrationTable

    /// - Parameters:
    ///   - cohort: The cohort against which both sides are normalized.
    ///   - calibration: A table measured with the same cohort. Its rates do not apply to another
    ///     one.
    public init(cohort: Cohort, calibration: CalibrationTable) {
        self.cohort = cohort
        self.calibration = calibration
    }

    /// - Parameter vector: A unit vector of the cohort's dimension.
    /// - Throws: ``VectorError`` when `vector` is not such a vector.
    public func reference(for vector: [Float]) throws(VectorError) -> Reference {
        try VectorError.check(vector, dimension: cohort.dimension)
        let blocks = cohort.rows.packed(vector)
        return Reference(
            blocks: blocks, dimension: cohort.dimension,
            statistics: cohort.statistics(ofPacked: blocks))
    }

    /// Returns the normalized score, in deviations; see ``ScoreNormalizer``. The order of the sides
    /// does not matter.
    public func normalizedScore(_ a: Reference, _ b: Reference) -> Float {
        ScoreNormalizer.normalized(
            cosine: VectorRows.dot(a.blocks, b.blocks), a.statistics, b.statistics)
    }

    public func score(_ a: Reference, _ b: Reference) -> MatchScore {
        calibration.matchScore(of: Double(normalizedScore(a, b)))
    }
}
