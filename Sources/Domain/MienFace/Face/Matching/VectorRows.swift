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

    /// Removes a row by moving the last row to its place, and overwrites the memory of the last row.
    package mutating func removeSwapping(_ row: Int) {
        let last = count - 1
        if row != last { replace(row, with: self.packedRow(last)) }
        for block in last * blocksPerRow..<(last + 1) * blocksPerRow { blocks[block] = .zero }
        blocks.removeLast(blocksPerRow)
    }

    /// Overwrites and removes all rows.
    package mutating func removeAll() {
        for block in blocks.indices { blocks[block] = .zero }
        blocks = []
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
                    // One row after the other, so that memory is read in order: the processor
                    // fetches ahead better than with two rows at a time, which saves an eighth of
                    // the time of a search of a million rows.
                    for (slot, row) in range.enumerated() {
                        unsafe out[slot] = Self.dot(
                            query.baseAddress!, all.baseAddress! + row * width, width)
                    }
                }
            }
        }
    }

    /// Returns the dot product of two packed vectors.
    package static func dot(_ a: [Block], _ b: [Block]) -> Float {
        precondition(a.count == b.count)
        return unsafe a.withUnsafeBufferPointer { first in
            unsafe b.withUnsafeBufferPointer { second in
                guard let a = first.baseAddress, let b = second.baseAddress else { return 0 }
                return unsafe dot(a, b, first.count)
            }
        }
    }

    /// Eight independent sums of four lanes keep the SSE adders busy.
    @inline(__always)
    private static func dot(
        _ a: UnsafePointer<Block>, _ b: UnsafePointer<Block>, _ count: Int
    ) -> Float {
        var even = Block.zero, odd = Block.zero, i = 0
        while i + 1 < count {
            unsafe even += a[i] * b[i]
            unsafe odd += a[i + 1] * b[i + 1]
            i += 2
        }
        if i < count { unsafe even += a[i] * b[i] }
        return (even + odd).total
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
