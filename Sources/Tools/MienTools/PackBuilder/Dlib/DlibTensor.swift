/// A dlib tensor: values in the order sample, channel, row, column, the last one fastest.
package struct DlibTensor: Equatable, Sendable {
    /// Samples, channels, rows, columns.
    package let shape: [Int]
    package let values: [Float]

    package init(shape: [Int], values: [Float]) { (self.shape, self.values) = (shape, values) }
}

extension DlibArchive {
    /// Reads a tensor: the integer 2 (its version), four integers (its shape), then its values as
    /// raw floats.
    package mutating func tensor() throws(DlibArchiveError) -> DlibTensor {
        try expect(2, "tensor version")
        let shape = try shape()
        return DlibTensor(shape: shape.sizes, values: try rawFloats(shape.volume))
    }

    /// Reads a view into another tensor: the integer 1 (its version) and four integers (its shape).
    /// It has no values of its own.
    package mutating func view() throws(DlibArchiveError) -> [Int] {
        try expect(1, "view version")
        return try shape().sizes
    }

    private mutating func shape() throws(DlibArchiveError) -> (sizes: [Int], volume: Int) {
        let start = offset, sizes = [try count(), try count(), try count(), try count()]
        var volume = 1
        for size in sizes {
            let (product, overflow) = volume.multipliedReportingOverflow(by: size)
            guard !overflow else { throw DlibArchiveError(.integerRange, at: start) }
            volume = product
        }
        return (sizes, volume)
    }
}

extension DlibArchive {
    /// Reads one integer, which must be `expected`.
    package mutating func expect(_ expected: Int, _ name: String) throws(DlibArchiveError) {
        let start = offset, found = try integer()
        guard found == expected else {
            throw DlibArchiveError(
                .version(expected: "\(name) \(expected)", found: "\(found)"), at: start)
        }
    }

    /// Reads one text, which must be `expected`.
    package mutating func expect(_ expected: String) throws(DlibArchiveError) {
        let start = offset, found = try text()
        guard found == expected else {
            throw DlibArchiveError(.version(expected: expected, found: found), at: start)
        }
    }

    /// Reads a list of integers, which must equal `expected`.
    package mutating func expect(_ expected: [Int], _ name: String) throws(DlibArchiveError) {
        let start = offset
        var found: [Int] = []
        for _ in expected { found.append(try integer()) }
        try require(found, expected, name, at: start)
    }

    package func require(_ found: [Int], _ expected: [Int], _ name: String, at start: Int)
        throws(DlibArchiveError)
    {
        guard found == expected else {
            throw DlibArchiveError(.geometry(name, expected: expected, found: found), at: start)
        }
    }
}
