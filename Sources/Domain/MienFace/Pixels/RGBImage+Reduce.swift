extension RGBImage {
    /// Returns the part of the image in columns `x..<x + width` and rows `y..<y + height`, with
    /// each block of `factor`×`factor` pixels averaged into one.
    ///
    /// Omits incomplete blocks at the part's right and bottom edges.
    /// - Precondition: `factor` is 1...256; the part lies inside the image and contains at least
    ///   one block.
    public func reduced(by factor: Int, x: Int, y: Int, width: Int, height: Int) -> RGBImage {
        precondition((1...256).contains(factor), "factor must be 1...256, not \(factor)")
        precondition(
            x >= 0 && y >= 0 && x + width <= self.width && y + height <= self.height,
            "the part must lie inside the image")
        let columns = width / factor, rows = height / factor
        precondition(columns >= 1 && rows >= 1, "the part must contain a block of \(factor) pixels")
        var out = [UInt8](repeating: 0, count: 3 * columns * rows)
        var sums = [UInt32](repeating: 0, count: 3 * columns * factor)
        let half = UInt32(factor * factor / 2)
        // Multiply instead of dividing by a constant: (sum × reciprocal) >> 40 is exact for every
        // sum of at most 256² bytes.
        let reciprocal = (UInt64(1) << 40) / UInt64(factor * factor) + 1
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe out.withUnsafeMutableBufferPointer { target in
                unsafe sums.withUnsafeMutableBufferPointer { sums in
                    let count = sums.count
                    for row in 0..<rows {
                        for k in 0..<factor {
                            let start =
                                unsafe source.baseAddress! + 3
                                * ((y + row * factor + k) * self.width + x)
                            if k == 0 {
                                for i in 0..<count { unsafe sums[i] = UInt32(start[i]) }
                            } else {
                                for i in 0..<count { unsafe sums[i] &+= UInt32(start[i]) }
                            }
                        }
                        for column in 0..<columns {
                            var (r, g, b) = (half, half, half)
                            var i = 3 * column * factor
                            for _ in 0..<factor {
                                unsafe r &+= sums[i]
                                unsafe g &+= sums[i + 1]
                                unsafe b &+= sums[i + 2]
                                i += 3
                            }
                            let o = 3 * (row * columns + column)
                            unsafe target[o] = UInt8(
                                truncatingIfNeeded: (UInt64(r) &* reciprocal) >> 40)
                            unsafe target[o + 1] = UInt8(
                                truncatingIfNeeded: (UInt64(g) &* reciprocal) >> 40)
                            unsafe target[o + 2] = UInt8(
                                truncatingIfNeeded: (UInt64(b) &* reciprocal) >> 40)
                        }
                    }
                }
            }
        }
        return RGBImage(trustedWidth: columns, height: rows, pixels: out)
    }

    /// Returns the image at another size. Shrinking averages the area that each new pixel covers;
    /// enlarging interpolates linearly.
    /// - Precondition: The new sides are in ``sideRange``.
    public func resized(width newWidth: Int, height newHeight: Int) -> RGBImage {
        precondition(
            Self.sideRange.contains(newWidth) && Self.sideRange.contains(newHeight),
            "sides \(newWidth)×\(newHeight) are out of range")
        let whole = min(width / newWidth, height / newHeight)
        if (2...256).contains(whole), (width, height) == (whole * newWidth, whole * newHeight) {
            return reduced(by: whole, x: 0, y: 0, width: width, height: height)
        }
        if width == newWidth, height == newHeight { return self }
        if newWidth <= width, newHeight <= height {
            return shrunk(width: newWidth, height: newHeight)
        }
        return weighted(
            AreaWeights(from: width, to: newWidth, covering: Double(width)),
            AreaWeights(from: height, to: newHeight, covering: Double(height)))
    }

    /// Applies a separable filter: along the rows first, then down the columns.
    private func weighted(_ xs: AreaWeights, _ ys: AreaWeights) -> RGBImage {
        let columns = xs.firsts.count, rows = ys.firsts.count
        var between = [Float](repeating: 0, count: 3 * columns * height)
        var out = [UInt8](repeating: 0, count: 3 * columns * rows)
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe between.withUnsafeMutableBufferPointer { between in
                for y in 0..<height {
                    let row = unsafe source.baseAddress! + 3 * y * width
                    for x in 0..<columns {
                        var (r, g, b) = (Float(0), Float(0), Float(0))
                        var i = 3 * xs.firsts[x]
                        for w in xs.weights[x] {
                            unsafe r += w * Float(row[i])
                            unsafe g += w * Float(row[i + 1])
                            unsafe b += w * Float(row[i + 2])
                            i += 3
                        }
                        let o = 3 * (y * columns + x)
                        unsafe between[o] = r
                        unsafe between[o + 1] = g
                        unsafe between[o + 2] = b
                    }
                }
                var line = [Float](repeating: 0, count: 3 * columns)
                for y in 0..<rows {
                    for i in 0..<line.count { line[i] = 0.5 }
                    for (k, w) in ys.weights[y].enumerated() {
                        let base = 3 * columns * (ys.firsts[y] + k)
                        for i in 0..<line.count { unsafe line[i] += w * between[base + i] }
                    }
                    let base = 3 * columns * y
                    for i in 0..<line.count { out[base + i] = UInt8(max(0, min(255, line[i]))) }
                }
            }
        }
        return RGBImage(trustedWidth: columns, height: rows, pixels: out)
    }

    /// Creates an image from pixels that this module made itself, without checks.
    init(trustedWidth width: Int, height: Int, pixels: [UInt8]) {
        assert(pixels.count == 3 * width * height)
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}

/// The weights of the old positions that each new position covers, along one axis.
private struct AreaWeights {
    var firsts: [Int] = []
    var weights: [[Float]] = []

    /// - Parameter extent: The length of the old axis in its own units. It is slightly more than
    ///   `old` when incomplete blocks were omitted at the edge.
    init(from old: Int, to new: Int, covering extent: Double) {
        let step = extent / Double(new)
        for i in 0..<new {
            if step >= 1 {
                let start = Double(i) * step, end = min(start + step, Double(old))
                let first = min(Int(start), old - 1),
                    last = max(first, min(Int(end.rounded(.up)), old) - 1)
                let covered = (first...last).map {
                    max(0, min(end, Double($0 + 1)) - max(start, Double($0)))
                }
                let sum = covered.reduce(0, +)
                firsts.append(first)
                weights.append(
                    sum > 0
                        ? covered.map { Float($0 / sum) } : [1] + covered.dropFirst().map { _ in 0 }
                )
            } else {
                let position = min(max((Double(i) + 0.5) * step - 0.5, 0), Double(old - 1))
                let first = min(Int(position), max(0, old - 2)),
                    part = Float(position - Double(first))
                firsts.append(first)
                weights.append(old == 1 ? [1] : [1 - part, part])
            }
        }
    }
}
