/// Synthetic faces to compare real ones against: unit vectors drawn from a mixture, none of which
/// belongs to a person.
///
/// Stored as 8-bit elements with a common scale; see `docs/spec/cohort.md`. Held in memory as
/// 32-bit numbers for speed.
public struct Cohort: Sendable {
    /// The number of elements in a vector.
    public let dimension: Int
    /// The number of nearest members evaluated in ``CohortStatistics``.
    public let nearestCount: Int
    /// The stored elements: `count × dimension` values in row-major order.
    let elements: [Int8]
    /// The value that an element of 1 represents.
    let scale: Float
    /// The members as unit vectors.
    package let rows: VectorRows

    public var count: Int { rows.count }

    public static let dimensionRange = 1...4096
    public static let countRange = 1...1_000_000

    /// - Parameters:
    ///   - members: Unit vectors of equal length.
    ///   - nearestCount: 1...`members.count`.
    /// - Throws: ``CohortError``; for a member that is not a unit vector,
    ///   ``CohortError/notUnit(member:)``.
    public init(members: [[Float]], nearestCount: Int) throws(CohortError) {
        let dimension = members.first?.count ?? 0
        for (i, member) in members.enumerated() {
            do throws(VectorError) { try VectorError.check(member, dimension: dimension) } catch {
                throw .notUnit(member: i)
            }
        }
        let largest = members.lazy.flatMap { $0 }.reduce(Float(0)) { max($0, abs($1)) }
        let scale = largest > 0 ? largest / 127 : 1
        let elements = members.flatMap { $0.map { Int8(($0 / scale).rounded()) } }
        try self.init(
            dimension: dimension, nearestCount: nearestCount, scale: scale, elements: elements)
    }

    /// Checks the shape and that every row is a unit vector, apart from rounding.
    init(dimension: Int, nearestCount: Int, scale: Float, elements: [Int8]) throws(CohortError) {
        guard Self.dimensionRange.contains(dimension) else { throw .dimension(dimension) }
        let count = elements.count / dimension
        guard Self.countRange.contains(count), elements.count == count * dimension else {
            throw .count(count)
        }
        guard (1...count).contains(nearestCount) else {
            throw .nearestCount(nearestCount, of: count)
        }
        var rows = VectorRows(dimension: dimension)
        rows.reserve(count)
        for i in 0..<count {
            let row = elements[i * dimension..<(i + 1) * dimension].map { Float($0) * scale }
            let length = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
            guard abs(length - 1) <= 0.05 else { throw .notUnit(member: i) }
            rows.append(row.map { $0 / length })
        }
        (self.dimension, self.nearestCount, self.scale, self.elements, self.rows) = (
            dimension, nearestCount, scale, elements, rows
        )
    }

    /// Returns member `index` as a unit vector.
    public subscript(index: Int) -> [Float] { rows[index] }

    /// Returns the same members with a different number of nearest ones to evaluate.
    public func counting(nearest nearestCount: Int) throws(CohortError) -> Cohort {
        try Cohort(
            dimension: dimension, nearestCount: nearestCount, scale: scale, elements: elements)
    }
}

extension Cohort {
    /// Returns the mean and deviation of the ``nearestCount`` largest cosines between `vector` and
    /// the members.
    ///
    /// - Parameter vector: A unit vector.
    /// - Throws: ``VectorError`` when `vector` is not a unit vector of the cohort's dimension.
    public func statistics(of vector: [Float]) throws(VectorError) -> CohortStatistics {
        try VectorError.check(vector, dimension: dimension)
        return statistics(ofPacked: rows.packed(vector))
    }

    package func statistics(ofPacked vector: [VectorRows.Block]) -> CohortStatistics {
        var cosines = [Float](repeating: 0, count: count)
        rows.dots(with: vector, rows: 0..<count, into: &cosines)
        return CohortStatistics(ofLargest: nearestCount, of: cosines)
    }
}

/// The reason that numbers or bytes are not a valid cohort.
public enum CohortError: Error, Equatable, Sendable {
    case dimension(Int)
    case count(Int)
    case nearestCount(Int, of: Int)
    /// The member with this number does not have length 1, or its dimension differs from the first
    /// member's.
    case notUnit(member: Int)
    /// The bytes do not start with a cohort file's signature.
    case notACohort
    case version(Int)
    /// The scale is not a positive number.
    case scale
    /// The number of bytes does not match the stated dimension and count.
    case length(expected: Int, got: Int)
}

extension CohortError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .dimension(let dimension): "\(dimension) dimensions per member are not allowed"
        case .count(let count): "\(count) members are not allowed"
        case .nearestCount(let nearest, let count):
            "cannot use the nearest \(nearest) of \(count) members"
        case .notUnit(let member): "member \(member) is not a unit vector"
        case .notACohort: "it does not start with a cohort's signature"
        case .version(let version): "format version \(version) is not supported"
        case .scale: "the scale is not a positive number"
        case .length(let expected, let got):
            "it has \(got) bytes; its header requires \(expected)"
        }
    }
}
