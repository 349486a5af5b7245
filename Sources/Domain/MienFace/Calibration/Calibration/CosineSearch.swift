internal import MienCore

/// Finds the highest cosines of vectors with the rows of a set, bit for bit as if it computed all.
///
/// Most pairs need only a quarter of the arithmetic. Rows and vectors are also known by their
/// coordinates along the directions in which the rows extend most. The rest of a product is at most
/// the product of what is left of both lengths, and pairs that this rules out are skipped.
struct CosineSearch {
    private typealias Block = VectorRows.Block

    private let rows: VectorRows
    /// Orthonormal directions.
    private let directions: VectorRows
    /// The rows' coordinates along them, and the lengths of what is left.
    private let heads: VectorRows
    private let tails: [Float]

    /// Covers the rounding of coordinates and lengths.
    private static let margin: Float = 1e-5
    /// Rows that are enough to choose directions, and the rounds in which they are found.
    private static let sampleCount = 500, rounds = 3
    /// Vectors that are compared with as many rows as stay in the processor's cache.
    static let batch = 32
    private static let step = 512

    /// - Parameter other: A search in similar rows, whose directions serve these, too.
    init(_ rows: VectorRows, like other: CosineSearch? = nil) {
        self.rows = rows
        let directions = other?.directions ?? Self.directions(of: rows)
        var heads = VectorRows(dimension: directions.count), tails: [Float] = []
        for row in 0..<rows.count {
            let (head, tail) = Self.parts(of: rows.packedRow(row), directions)
            heads.append(head)
            tails.append(tail)
        }
        (self.directions, self.heads, self.tails) = (directions, heads, tails)
    }

    /// Returns the highest cosine of each vector with the rows, or `floor` if that is higher.
    func highest(_ vectors: ArraySlice<[VectorRows.Block]>, above floor: Float) -> [Float] {
        let parts = vectors.map { vector in
            let (head, tail) = Self.parts(of: vector, directions)
            return (all: vector, head: heads.packed(head), tail: tail)
        }
        var highest = [Float](repeating: floor, count: parts.count)
        var cosines = [Float](repeating: 0, count: Self.step), exact: [Float] = [0]
        for start in stride(from: 0, to: rows.count, by: Self.step) {
            let end = min(rows.count, start + Self.step)
            for (i, part) in parts.enumerated() {
                heads.dots(with: part.head, rows: start..<end, into: &cosines)
                for row in start..<end
                where cosines[row - start] + part.tail * tails[row] + Self.margin > highest[i] {
                    rows.dots(with: part.all, rows: row..<row + 1, into: &exact)
                    highest[i] = max(highest[i], exact[0])
                }
            }
        }
        return highest
    }

    /// Returns a vector's coordinates and the length of what they leave, rounded up.
    private static func parts(of vector: [VectorRows.Block], _ directions: VectorRows) -> (
        head: [Float], tail: Float
    ) {
        var head = [Float](repeating: 0, count: directions.count)
        directions.dots(with: vector, rows: 0..<directions.count, into: &head)
        let left = VectorRows.dot(vector, vector) - head.reduce(0) { $0 + $1 * $1 }
        return (head, (max(0, left) + margin).squareRoot())
    }

    /// Returns a quarter as many directions as the rows have elements, in which the rows extend
    /// most: orthogonal iteration with some of the rows. Other directions would be correct, too, but
    /// rule out fewer pairs.
    private static func directions(of rows: VectorRows) -> VectorRows {
        let dimension = rows.dimension, count = max(1, dimension / 4)
        var generator = SeededGenerator(seed: 1)
        var found = (0..<count).map { _ in (0..<dimension).map { _ in generator.normal() } }
        orthonormalize(&found)
        let step = max(1, rows.count / sampleCount + 1)
        let sample = stride(from: 0, to: rows.count, by: step).map { rows.packedRow($0) }
        for _ in 0..<rounds {
            var packed = VectorRows(dimension: dimension)
            for direction in found { packed.append(direction.map { Float($0) }) }
            var sums = [[Block]](
                repeating: [Block](repeating: .zero, count: packed.blocksPerRow), count: count)
            var shares = [Float](repeating: 0, count: count)
            for row in sample {
                packed.dots(with: row, rows: 0..<count, into: &shares)
                for k in 0..<count {
                    for i in row.indices { sums[k][i] += shares[k] * row[i] }
                }
            }
            found = sums.map { sum in (0..<dimension).map { Double(sum[$0 / 16][$0 % 16]) } }
            orthonormalize(&found)
        }
        var directions = VectorRows(dimension: dimension)
        for direction in found { directions.append(direction.map { Float($0) }) }
        return directions
    }

    /// Makes vectors orthogonal and of length 1. Those that depend on earlier ones become zero,
    /// which is a direction without any coordinate.
    private static func orthonormalize(_ vectors: inout [[Double]]) {
        for k in vectors.indices {
            let before = length(vectors[k])
            // Twice, because the first time leaves rounding errors.
            for _ in 0..<2 {
                for earlier in vectors[..<k] {
                    let share = zip(vectors[k], earlier).reduce(0) { $0 + $1.0 * $1.1 }
                    for i in earlier.indices { vectors[k][i] -= share * earlier[i] }
                }
            }
            let after = length(vectors[k]), isNew = after > 1e-9 * max(before, 1e-9)
            vectors[k] = vectors[k].map { isNew ? $0 / after : 0 }
        }
    }

    private static func length(_ vector: [Double]) -> Double {
        vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    }
}
