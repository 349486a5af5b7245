extension RGBImage {
    /// Returns the image at a smaller size. Each new pixel is the exact mean of the area it covers,
    /// including partial pixels at its edges.
    ///
    /// Sums whole rows as 16-bit numbers first. A processor adds eight or more of them at a time,
    /// so the cost is close to that of reading the picture once.
    /// - Precondition: Neither new side is larger than the old one.
    func shrunk(width newWidth: Int, height newHeight: Int) -> RGBImage {
        precondition(newWidth <= width && newHeight <= height, "the new sides must not be larger")
        let columns = AreaCover.all(of: width, by: newWidth),
            rows = AreaCover.all(of: height, by: newHeight)
        var out = [UInt8](repeating: 0, count: 3 * newWidth * newHeight)
        var sums = RowSums(count: 3 * width)
        let area = Float(width) / Float(newWidth) * (Float(height) / Float(newHeight))
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe out.withUnsafeMutableBufferPointer { target in
                for (y, rows) in rows.enumerated() {
                    unsafe sums.add(rows, of: source)
                    unsafe sums.mean(
                        over: columns, area: area, into: target.baseAddress! + 3 * newWidth * y)
                }
            }
        }
        return RGBImage(trustedWidth: newWidth, height: newHeight, pixels: out)
    }
}

/// The part of an axis that a new position covers: part of the first old position, all between, and
/// part of the last.
private struct AreaCover {
    let first: Int, last: Int
    /// Fractions of the old positions, 0...1. `lastPart` is 0 when the first is also the last.
    let firstPart: Float, lastPart: Float

    static func all(of old: Int, by new: Int) -> [AreaCover] {
        (0..<new).map { i in
            // In units of 1/new of an old position, so that edges are exact.
            let start = i * old, end = start + old
            let first = start / new, last = (end - 1) / new
            if first == last {
                return AreaCover(
                    first: first, last: last, firstPart: Float(old) / Float(new), lastPart: 0)
            }
            return AreaCover(
                first: first, last: last, firstPart: Float((first + 1) * new - start) / Float(new),
                lastPart: Float(end - last * new) / Float(new))
        }
    }
}

/// The sums, column by column, of the rows that one new row covers.
private struct RowSums {
    /// This many bytes still fit in a 16-bit sum.
    private static let maxRows = 257

    private var whole: [UInt16]
    private var sums: [Float]

    init(count: Int) {
        whole = Array(repeating: 0, count: count)
        sums = Array(repeating: 0, count: count)
    }

    mutating func add(_ rows: AreaCover, of source: UnsafeBufferPointer<UInt8>) {
        let count = sums.count
        unsafe sums.withUnsafeMutableBufferPointer { sums in
            unsafe whole.withUnsafeMutableBufferPointer { whole in
                let start = source.baseAddress!
                let first = unsafe start + count * rows.first
                let last = unsafe start + count * rows.last
                for i in 0..<count {
                    unsafe sums[i] =
                        rows.firstPart * Float(first[i]) + rows.lastPart * Float(last[i])
                }
                var row = rows.first + 1
                while row < rows.last {
                    let end = min(rows.last, row + Self.maxRows)
                    for i in 0..<count { unsafe whole[i] = 0 }
                    while row + 4 <= end {
                        let a = unsafe start + count * row
                        let b = unsafe a + count, c = unsafe b + count, d = unsafe c + count
                        for i in 0..<count {
                            unsafe whole[i] &+=
                                UInt16(a[i]) &+ UInt16(b[i]) &+ UInt16(c[i]) &+ UInt16(d[i])
                        }
                        row += 4
                    }
                    while row < end {
                        let a = unsafe start + count * row
                        for i in 0..<count { unsafe whole[i] &+= UInt16(a[i]) }
                        row += 1
                    }
                    for i in 0..<count { unsafe sums[i] += Float(whole[i]) }
                }
            }
        }
    }

    /// - Parameter area: The number of old pixels that one new pixel covers.
    func mean(over columns: [AreaCover], area: Float, into target: UnsafeMutablePointer<UInt8>) {
        let scale = 1 / area
        unsafe sums.withUnsafeBufferPointer { sums in
            for (x, cover) in columns.enumerated() {
                var i = 3 * cover.first
                var sum =
                    unsafe SIMD4<Float>(sums[i], sums[i + 1], sums[i + 2], 0) * cover.firstPart
                i += 3
                let last = 3 * cover.last
                while i < last {
                    unsafe sum += SIMD4(sums[i], sums[i + 1], sums[i + 2], 0)
                    i += 3
                }
                unsafe sum += SIMD4(sums[last], sums[last + 1], sums[last + 2], 0) * cover.lastPart
                // Add one half for rounding. Sums of floats may slightly exceed 255.
                let mean = (sum * scale + 0.5).clamped(
                    lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
                unsafe target[3 * x] = UInt8(mean[0])
                unsafe target[3 * x + 1] = UInt8(mean[1])
                unsafe target[3 * x + 2] = UInt8(mean[2])
            }
        }
    }
}
