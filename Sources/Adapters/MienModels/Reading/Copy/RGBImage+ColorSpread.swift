internal import MienFace

extension RGBImage {
    /// How much the color differs across a document, whatever the light; see `CopyMeasurements`.
    ///
    /// The picture is the upright document, about 480 pixels wide.
    var colorSpread: Double? {
        // Blocks of 8×8 pixels, in which noise and the print's texture cancel out. Without the
        // outermost, which may be the table's.
        let side = 8, columns = width / side, rows = height / side
        var reds: [Double] = [], blues: [Double] = []
        guard columns > 4, rows > 4 else { return nil }
        for row in 1..<rows - 1 {
            for column in 1..<columns - 1 {
                var sums = SIMD3<Int>()
                for y in row * side..<(row + 1) * side {
                    for x in column * side..<(column + 1) * side {
                        let i = 3 * (y * width + x)
                        sums = sums &+ SIMD3(Int(pixels[i]), Int(pixels[i + 1]), Int(pixels[i + 2]))
                    }
                }
                let mean = (0..<3).map { Double(sums[$0]) / Double(side * side) }
                guard mean.min() ?? 0 > 25, mean.max() ?? 255 < 252 else { continue }
                reds.append((mean[0] / mean[1]).logarithm)
                blues.append((mean[2] / mean[1]).logarithm)
            }
        }
        guard reds.count >= 100 else { return nil }
        let red = median(reds), blue = median(blues)
        let sum = zip(reds, blues).reduce(0) { sum, pair in
            let (r, b) = (pair.0 - red, pair.1 - blue)
            return sum + r * r + b * b
        }
        return (sum / Double(reds.count)).squareRoot()
    }
}
