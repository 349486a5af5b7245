import MienFace

/// Traces of compression in one picture: borders of blocks, across which brightness changes more than
/// elsewhere.
struct PixelGrids {
    /// For blocks of 8 pixels, as JPEG's: the mean change across their borders divided by that
    /// elsewhere, less 1.
    let blocks: Double
    /// The largest of the same for blocks of 5 to 12 pixels, except 8.
    let other: Double

    init(of image: RGBImage) {
        let luma = image.luma, width = image.width
        var changes = [Double](repeating: 0, count: max(1, width - 1))
        for y in 0..<image.height {
            for x in 0..<width - 1 {
                changes[x] += Double(abs(Int(luma[y * width + x + 1]) - Int(luma[y * width + x])))
            }
        }
        func strength(_ period: Int) -> Double {
            let total = changes.reduce(0, +)
            var best = 0.0
            for phase in 0..<period {
                var sum = 0.0, count = 0.0
                for x in stride(from: phase, to: changes.count, by: period) {
                    sum += changes[x]
                    count += 1
                }
                let others = Double(changes.count) - count
                guard count > 0, others > 0, total > sum else { continue }
                best = max(best, sum / count / ((total - sum) / others) - 1)
            }
            return best
        }
        blocks = strength(8)
        other = (5...12).filter { $0 != 8 }.map(strength).max() ?? 0
    }
}
