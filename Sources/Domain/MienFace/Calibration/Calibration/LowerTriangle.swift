/// A lower triangular matrix of order `order`, its rows padded with zeros to whole blocks of 8.
///
/// Provides only what a mixture needs: the Cholesky factor, its inverse, and products with vectors.
struct LowerTriangle: Sendable {
    typealias Block = SIMD8<Double>

    let order: Int
    let blocksPerRow: Int
    private(set) var blocks: [Block]

    init(order: Int) {
        self.order = order
        blocksPerRow = Self.blockCount(order)
        blocks = [Block](repeating: .zero, count: order * blocksPerRow)
    }

    static func blockCount(_ order: Int) -> Int { (order + 7) / 8 }

    /// - Precondition: `column` ≤ `row`.
    subscript(row: Int, column: Int) -> Double {
        get { blocks[row * blocksPerRow + column / 8][column % 8] }
        set { blocks[row * blocksPerRow + column / 8][column % 8] = newValue }
    }

    /// Adds the part of `weight · v·vᵀ` on and below the diagonal. Elements above it are left
    /// undefined in the last block of a row.
    mutating func addOuterProduct(of v: [Block], weight: Double) {
        for row in 0..<order {
            let factor = weight * v[row / 8][row % 8]
            let start = row * blocksPerRow
            for i in 0...row / 8 { blocks[start + i] += factor * v[i] }
        }
    }

    /// L such that L·Lᵀ equals the symmetric matrix whose lower half is `self`; `nil` when that
    /// matrix is not positive definite.
    var cholesky: LowerTriangle? {
        var factor = LowerTriangle(order: order)
        for row in 0..<order {
            for column in 0...row {
                let known = factor.dot(row, column)
                if row == column {
                    let square = self[row, row] - known
                    guard square > 0, square.isFinite else { return nil }
                    factor[row, row] = square.squareRoot()
                } else {
                    factor[row, column] = (self[row, column] - known) / factor[column, column]
                }
            }
        }
        return factor
    }

    /// Returns the product of two rows. While a factor is being filled, only its known part is
    /// nonzero.
    private func dot(_ a: Int, _ b: Int) -> Double {
        var sum = Block.zero
        for i in 0...min(a, b) / 8 {
            sum += blocks[a * blocksPerRow + i] * blocks[b * blocksPerRow + i]
        }
        return sum.total
    }

    /// - Precondition: No diagonal element is 0.
    var inverse: LowerTriangle {
        var result = LowerTriangle(order: order)
        for row in 0..<order {
            var sums = [Block](repeating: .zero, count: blocksPerRow)
            for k in 0..<row {
                let factor = self[row, k]
                for i in 0...k / 8 { sums[i] += factor * result.blocks[k * blocksPerRow + i] }
            }
            let pivot = 1 / self[row, row]
            for i in 0..<blocksPerRow { result.blocks[row * blocksPerRow + i] = -pivot * sums[i] }
            result[row, row] = pivot
        }
        return result
    }

    /// |self · v|².
    func squaredLength(ofProductWith v: [Block]) -> Double {
        unsafe blocks.withUnsafeBufferPointer { blocks in
            unsafe v.withUnsafeBufferPointer { v in
                var result = 0.0
                for row in 0..<order {
                    var sum = Block.zero
                    for i in 0...row / 8 { unsafe sum += blocks[row * blocksPerRow + i] * v[i] }
                    let element = sum.total
                    result += element * element
                }
                return result
            }
        }
    }

    /// |self · v|² and |self · w|², which reads the matrix only once.
    func squaredLengths(ofProductsWith v: [Block], _ w: [Block]) -> (Double, Double) {
        unsafe blocks.withUnsafeBufferPointer { blocks in
            unsafe v.withUnsafeBufferPointer { v in
                unsafe w.withUnsafeBufferPointer { w in
                    var first = 0.0, second = 0.0
                    for row in 0..<order {
                        var a = Block.zero, b = Block.zero
                        for i in 0...row / 8 {
                            let block = unsafe blocks[row * blocksPerRow + i]
                            unsafe a += block * v[i]
                            unsafe b += block * w[i]
                        }
                        let (one, other) = (a.total, b.total)
                        first += one * one
                        second += other * other
                    }
                    return (first, second)
                }
            }
        }
    }

    /// Returns whether |self · v|² is known to exceed `limit` after the last rows, at most a quarter
    /// of them. Where a covariance has few large directions, these rows contribute the most.
    func lastRowsExceed(_ limit: Double, inProductWith v: [Block]) -> Bool {
        unsafe blocks.withUnsafeBufferPointer { blocks in
            unsafe v.withUnsafeBufferPointer { v in
                var known = 0.0
                for row in stride(from: order - 1, through: order - order / 4, by: -1) {
                    var sum = Block.zero
                    for i in 0...row / 8 { unsafe sum += blocks[row * blocksPerRow + i] * v[i] }
                    let element = sum.total
                    known += element * element
                    if known > limit { return true }
                }
                return false
            }
        }
    }

    /// Returns self · v as plain numbers.
    func product(with v: [Block]) -> [Double] {
        unsafe blocks.withUnsafeBufferPointer { blocks in
            unsafe v.withUnsafeBufferPointer { v in
                (0..<order).map { row in
                    var sum = Block.zero
                    for i in 0...row / 8 { unsafe sum += blocks[row * blocksPerRow + i] * v[i] }
                    return sum.total
                }
            }
        }
    }

    /// Returns the sum of the logarithms of the diagonal: half the log-determinant of L·Lᵀ.
    func logDiagonal(_ log: (Double) -> Double) -> Double {
        (0..<order).reduce(0) { $0 + log(self[$1, $1]) }
    }

    static func packed(_ v: some Collection<Double>) -> [Block] {
        var out = [Block](repeating: .zero, count: blockCount(v.count))
        for (i, x) in v.enumerated() { out[i / 8][i % 8] = x }
        return out
    }
}

extension SIMD8<Double> {
    /// The sum of all lanes, adding halves first.
    var total: Double {
        let four = lowHalf + highHalf
        let two = four.lowHalf + four.highHalf
        return two.x + two.y
    }
}
