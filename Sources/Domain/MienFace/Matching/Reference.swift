/// A descriptor or the mean of a template, prepared: with what a comparison needs of it worked out
/// once.
///
/// A value. Two of them are compared in a microsecond; making one takes about a hundred.
///
/// It stands for a person's face: printing or dumping it shows nothing. Keep no longer than needed.
public struct Reference: Sendable {
    let blocks: [VectorRows.Block]
    let dimension: Int

    /// Against the cohort of the ``FaceMatcher`` that made it. Comparable only with references of
    /// the same matcher.
    public let statistics: CohortStatistics

    /// The unit vector.
    public var vector: [Float] { (0..<dimension).map { blocks[$0 / 16][$0 % 16] } }
}

extension Reference: CustomStringConvertible, CustomReflectable {
    public var description: String { "‹sensitive›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why numbers are no descriptor.
public enum VectorError: Error, Equatable, Sendable {
    /// Made for another descriptor network.
    case dimension(expected: Int, got: Int)
    /// The length is not 1 within ±0.01, or not a number.
    case notUnit(length: Double)

    /// Passes for a unit vector of the expected dimension.
    static func check(_ vector: some Collection<Float>, dimension: Int) throws(VectorError) {
        guard vector.count == dimension else {
            throw .dimension(expected: dimension, got: vector.count)
        }
        let length = vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        guard abs(length - 1) <= 0.01 else { throw .notUnit(length: length) }
    }
}
