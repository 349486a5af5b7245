/// A descriptor or a template's mean, prepared for comparisons: the reusable part of the work is
/// done once.
///
/// A value. Comparing two takes a microsecond; making one takes about a hundred.
///
/// It represents a person's face, so printing or dumping it shows nothing. Do not keep it longer
/// than needed.
public struct Reference: Sendable {
    let blocks: [VectorRows.Block]
    let dimension: Int

    /// Statistics against the cohort of the ``FaceMatcher`` that made the reference. Only
    /// references of the same matcher can be compared.
    public let statistics: CohortStatistics

    /// The unit vector.
    public var vector: [Float] { (0..<dimension).map { blocks[$0 / 16][$0 % 16] } }
}

extension Reference: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason that numbers are not a valid descriptor.
public enum VectorError: Error, Equatable, Sendable {
    /// The vector was made for another descriptor network.
    case dimension(expected: Int, got: Int)
    /// The length is NaN or not within ±0.01 of 1.
    case notUnit(length: Double)

    /// Checks that the vector is a unit vector of the expected dimension.
    package static func check(_ vector: some Collection<Float>, dimension: Int) throws(VectorError)
    {
        guard vector.count == dimension else {
            throw .dimension(expected: dimension, got: vector.count)
        }
        let length = vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        guard abs(length - 1) <= 0.01 else { throw .notUnit(length: length) }
    }
}
