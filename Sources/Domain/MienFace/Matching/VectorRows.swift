/// Equally long rows of numbers, each padded with zeros to whole blocks of 16, contiguous in
/// memory.
///
/// The cohort, the gallery, and the evaluation all take their dot products here.
package struct VectorRows: Sendable {
    package typealias Block = SIMD16<Float>

    package let dimension: Int
    package let blocksPerRow: Int
    package private(set) var blocks: [Block] = []

    /// - Precondition: `dimension` > 0.
    package init(dimension: Int) {
        precondition(dimension > 0, "a vector must have at least one element")
        self.dimension = dimension
        blocksPerRow = (dimension + 15) / 16
    }

    package var count: Int { blocks.count / blocksPerRow }

    package mutating func reserve(_ rows: Int) { blocks.reserveCapacity(rows * blocksPerRow) }

    package mutating func append(_ vector: [Float]) { blocks += packed(vector) }

    package mutating func append(packed vector: [Block]) { blocks += vector }

    package mutating func replace(_ row: Int, with vector: [Block]) {
        blocks.replaceSubrange(row * blocksPerRow..<(row + 1) * blocksPerRow, with: vector)
    }

    /// Removes a row and moves the last row to its index.
    package mutating func removeSwapping(_ row: Int) {
        let last = count - 1
        if row != last { replace(row, with: self.packedRow(last)) }
        blocks.removeLast(blocksPerRow)
    }

    package func packedRow(_ row: Int) -> [Block] {
        Array(blocks[row * blocksPerRow..<(row + 1) * blocksPerRow])
    }

    package subscript(row: Int) -> [Float] {
        (0..<dimension).map { blocks[row * blocksPerRow + $0 / 16][$0 % 16] }
    }

    package func packed(_ vector: [Float]) -> [Block] {
        precondition(
            vector.count == dimension, "\(vector.count) elements; rows have \(dimension)")
        var row = [Block](repeating: .zero, count: blocksPerRow)
        for (i, x) in vector.enumerated() { row[i / 16][i % 16] = x }
        return row
    }
}

extension VectorRows {
    /// Writes the dot products of `query` with the rows `range` to the start of `result`.
    ///
    /// - Precondition: `query` is packed for this dimension; `result` holds at least `range.count`
    ///   numbers.
    package func dots(with query: [Block], rows range: Range<Int>, into result: inout [Float]) {
        precondition(
            query.count == blocksPerRow && range.lowerBound >= 0 && range.upperBound <= count
                && result.count >= range.count)
        let width = blocksPerRow
        unsafe blocks.withUnsafeBufferPointer { all in
            unsafe query.withUnsafeBufferPointer { query in
                unsafe result.withUnsafeMutableBufferPointer { out in
                    var row = range.lowerBound, slot = 0
                    while row + 1 < range.upperBound {
                        // Two rows at a time: eight independent sums of four lanes keep the SSE
                        // adders busy.
                        var first = Block.zero, second = Block.zero
                        for i in 0..<width {
                            let q = unsafe query[i]
                            unsafe first += q * all[row * width + i]
                            unsafe second += q * all[(row + 1) * width + i]
                        }
                        unsafe out[slot] = first.total
                        unsafe out[slot + 1] = second.total
                        row += 2
                        slot += 2
                    }
                    guard row < range.upperBound else { return }
                    var sum = Block.zero
                    for i in 0..<width { unsafe sum += query[i] * all[row * width + i] }
                    unsafe out[slot] = sum.total
                }
            }
        }
    }

    /// Returns the dot product of two packed vectors.
    package static func dot(_ a: [Block], _ b: [Block]) -> Float {
        precondition(a.count == b.count)
        var sum = Block.zero
        for i in a.indices { sum += a[i] * b[i] }
        return sum.total
    }
}

extension SIMD16<Float> {
    /// The sum of all lanes, adding halves first. `sum()` would add one lane after the other.
    var total: Float {
        let eight = lowHalf + highHalf
        let four = eight.lowHalf + eight.highHalf
        let two = four.lowHalf + four.highHalf
        return two.x + two.y
    }
}
