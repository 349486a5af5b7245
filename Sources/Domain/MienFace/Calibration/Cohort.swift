/// Made-up faces that real ones are measured against: unit vectors drawn from a mixture, none of
/// them anybody's.
///
/// Stored in 8 bits an element with one scale for all; see `docs/spec/cohort.md`. In memory as
/// 32-bit numbers, for speed.
public struct Cohort: Sendable {
    /// Elements of a vector.
    public let dimension: Int
    /// How many of the nearest members count in ``CohortStatistics``.
    public let nearestCount: Int
    /// As stored: `count × dimension` elements, row by row.
    let elements: [Int8]
    /// What an element of 1 stands for.
    let scale: Float
    /// The members as unit vectors.
    let rows: VectorRows

    public var count: Int { rows.count }

    public static let dimensionRange = 1...4096
    public static let countRange = 1...1_000_000

    /// - Parameters:
    ///   - members: unit vectors of equal length.
    ///   - nearestCount: 1...`members.count`.
    /// - Throws: ``CohortError`` or, for a member that is no unit vector,
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

    /// Checks the shape, and that every row is a unit vector but for its rounding.
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

    /// Member `index` as a unit vector.
    public subscript(index: Int) -> [Float] { rows[index] }

    /// The same members, with another number of nearest ones counted.
    public func counting(nearest nearestCount: Int) throws(CohortError) -> Cohort {
        try Cohort(
            dimension: dimension, nearestCount: nearestCount, scale: scale, elements: elements)
    }
}

extension Cohort {
    /// Mean and deviation of the ``nearestCount`` largest cosines between `vector` and the members.
    ///
    /// - Parameter vector: a unit vector.
    /// - Throws: ``VectorError`` when it is not.
    public func statistics(of vector: [Float]) throws(VectorError) -> CohortStatistics {
        try VectorError.check(vector, dimension: dimension)
        return statistics(ofPacked: rows.packed(vector))
    }

    func statistics(ofPacked vector: [VectorRows.Block]) -> CohortStatistics {
        var cosines = [Float](repeating: 0, count: count)
        rows.dots(with: vector, rows: 0..<count, into: &cosines)
        return CohortStatistics(ofLargest: nearestCount, of: cosines)
    }
}

/// Why numbers or bytes are no cohort.
public enum CohortError: Error, Equatable, Sendable {
    case dimension(Int)
    case count(Int)
    case nearestCount(Int, of: Int)
    /// The member with this number has not length 1, or is not of the same dimension as the first.
    case notUnit(member: Int)
    /// The bytes do not begin as a cohort file does.
    case notACohort
    case version(Int)
    /// The scale is not a positive number.
    case scale
    /// Too few or too many bytes for the dimension and count they state.
    case length(expected: Int, got: Int)
}

extension CohortError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .dimension(let dimension): "members of \(dimension) dimensions are not allowed"
        case .count(let count): "\(count) members are not allowed"
        case .nearestCount(let nearest, let count):
            "the nearest \(nearest) of \(count) members cannot be taken"
        case .notUnit(let member): "member \(member) is no unit vector"
        case .notACohort: "it does not begin as a cohort does"
        case .version(let version): "its format version is \(version)"
        case .scale: "its scale is not a positive number"
        case .length(let expected, let got):
            "it has \(got) bytes where its header asks for \(expected)"
        }
    }
}
