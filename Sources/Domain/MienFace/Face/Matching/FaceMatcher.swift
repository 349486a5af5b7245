public import MienCore

/// Compares two faces: computes the cosine, normalizes it as its calibration says, and maps it to
/// the scale of false-match rates.
///
/// With a cohort, nearly all of the work is comparing each side with it. That happens when a ``Reference``
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
    /// `nil` when scores are plain cosines.
    public let cohort: Cohort?
    public let calibration: CalibrationTable
    /// The number of elements in a descriptor.
    public let dimension: Int
    private let layout: VectorRows

    /// - Parameters:
    ///   - cohort: The cohort against which both sides are normalized.
    ///   - calibration: A table measured with the same cohort. Its rates do not apply to another
    ///     one.
    public init(cohort: Cohort, calibration: CalibrationTable) {
        self.cohort = calibration.normalization.usesCohort ? cohort : nil
        self.calibration = calibration
        dimension = cohort.dimension
        layout = VectorRows(dimension: dimension)
    }

    /// A matcher that compares by plain cosine.
    ///
    /// - Parameters:
    ///   - dimension: The number of elements in a descriptor, 1...1024.
    ///   - calibration: A table measured with plain cosines.
    /// - Precondition: The calibration's normalization is ``ScoreNormalization/none``.
    public init(dimension: Int, calibration: CalibrationTable) {
        precondition(
            !calibration.normalization.usesCohort, "this calibration was measured with a cohort")
        cohort = nil
        self.calibration = calibration
        self.dimension = dimension
        layout = VectorRows(dimension: dimension)
    }

    /// - Parameter vector: A unit vector of ``dimension``.
    /// - Throws: ``VectorError`` when `vector` is not such a vector.
    public func reference(for vector: [Float]) throws(VectorError) -> Reference {
        try VectorError.check(vector, dimension: dimension)
        let blocks = layout.packed(vector)
        return Reference(blocks: blocks, dimension: dimension, statistics: statistics(of: blocks))
    }

    private func statistics(of blocks: [VectorRows.Block]) -> CohortStatistics {
        guard let cohort else { return .unnormalized }
        let found = cohort.statistics(ofPacked: blocks)
        return calibration.typicalDeviation.map { found.shrunk(toward: $0) } ?? found
    }

    /// Returns the normalized score: in deviations (see ``ScoreNormalizer``), or the cosine if the
    /// calibration does not normalize. The order of the sides does not matter.
    public func normalizedScore(_ a: Reference, _ b: Reference) -> Float {
        ScoreNormalizer.normalized(
            cosine: VectorRows.dot(a.blocks, b.blocks), a.statistics, b.statistics)
    }

    public func score(_ a: Reference, _ b: Reference) -> MatchScore {
        calibration.matchScore(of: Double(normalizedScore(a, b)))
    }
}
