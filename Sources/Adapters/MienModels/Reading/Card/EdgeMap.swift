internal import MienFace

/// The edges of a small picture: thin, and with their directions.
struct EdgeMap {
    let width, height: Int
    /// How fast the brightest change is, per pixel, at pixels where it is greater than at both
    /// neighbors across the edge; 0 elsewhere.
    private(set) var strength: [Float]
    /// The direction across the edge in degrees, 0…179: 0 is from left to right.
    private(set) var angle: [UInt8]
    /// Whether the picture becomes darker in that direction.
    private(set) var isFalling: [Bool]

    /// The change that counts as an edge, of a picture whose light parts have the brightness 200.
    private static let limit: Float = 2.2

    init(_ image: RGBImage) {
        let w = image.width, h = image.height
        (width, height) = (w, h)
        strength = [Float](repeating: 0, count: w * h)
        angle = [UInt8](repeating: 0, count: w * h)
        isFalling = [Bool](repeating: false, count: w * h)
        guard w >= 3, h >= 3 else { return }
        let sorted = image.luma.sorted(), light = Float(sorted[sorted.count * 95 / 100])
        let gain = 200 / max(light, 12) / 8
        var dx = [Float](repeating: 0, count: w * h), dy = dx, all = dx
        for y in 1..<h - 1 {
            for x in 1..<w - 1 {
                func at(_ x: Int, _ y: Int, _ c: Int) -> Float {
                    Float(image.pixels[3 * (y * w + x) + c])
                }
                // The color that changes most.
                for c in 0..<3 {
                    let a = at(x + 1, y - 1, c) - at(x - 1, y + 1, c)
                    let b = at(x + 1, y + 1, c) - at(x - 1, y - 1, c)
                    let gx = a + b + 2 * (at(x + 1, y, c) - at(x - 1, y, c))
                    let gy = b - a + 2 * (at(x, y + 1, c) - at(x, y - 1, c))
                    let sum = (gx * gx + gy * gy).squareRoot() * gain
                    let i = y * w + x
                    if sum > all[i] { (all[i], dx[i], dy[i]) = (sum, gx * gain, gy * gain) }
                }
            }
        }
        for y in 1..<h - 1 {
            for x in 1..<w - 1 {
                let i = y * w + x
                guard all[i] >= Self.limit else { continue }
                // The neighbors across the edge, to the nearest of eight directions.
                let flat = abs(dx[i]) * 0.41
                let step =
                    abs(dy[i]) < flat
                    ? 1 : abs(dx[i]) < abs(dy[i]) * 0.41 ? w : dx[i] * dy[i] > 0 ? w + 1 : w - 1
                guard all[i] >= all[i - step], all[i] > all[i + step] else { continue }
                strength[i] = all[i]
                let degrees = Double(dy[i]).degrees(over: Double(dx[i])) + 360
                let turn = degrees.truncatingRemainder(dividingBy: 360)
                angle[i] = UInt8(turn.truncatingRemainder(dividingBy: 180))
                isFalling[i] = turn >= 180
            }
        }
    }

    mutating func remove(at index: Int) { strength[index] = 0 }

    /// A change of this size, or a greater one, is as clear as an edge can be.
    private static let clear: Float = 7

    /// How clear the edge is that is within a pixel and a half of a point and has a direction:
    /// 0…1, negative where the picture becomes darker across it.
    func edge(near p: Point, across degrees: Double) -> Float {
        let column = Int(p.x), row = Int(p.y)
        var best: Float = 0
        for y in max(0, row - 1)...min(height - 1, max(row + 1, 0)) {
            for x in max(0, column - 1)...min(width - 1, max(column + 1, 0)) {
                let i = y * width + x
                guard strength[i] > abs(best) else { continue }
                let difference = abs(Double(angle[i]) - degrees)
                if difference <= 14 {
                    best = isFalling[i] ? -strength[i] : strength[i]
                } else if difference >= 166 {
                    // Almost the same direction, named by its opposite.
                    best = isFalling[i] ? strength[i] : -strength[i]
                }
            }
        }
        return max(-1, min(1, best / Self.clear))
    }
}

/// A straight line: the points p with p · normal = distance.
struct EdgeLine {
    var normal: Point
    var distance: Double
    /// In degrees, 0..<180.
    var angle: Double
    /// How much of an edge it has.
    var votes: Float
    /// Whether it is a side of the picture instead of an edge in it.
    var isBorder = false

    func dot(_ p: Point) -> Double { p.x * normal.x + p.y * normal.y }

    /// `nil` for nearly parallel lines.
    func crossing(_ other: Self) -> Point? {
        let det = normal.x * other.normal.y - normal.y * other.normal.x
        guard abs(det) > 0.2 else { return nil }
        return Point(
            x: (distance * other.normal.y - other.distance * normal.y) / det,
            y: (normal.x * other.distance - other.normal.x * distance) / det)
    }
}

extension EdgeMap {
    /// The lines with the most edges (Hough's transform, in which every edge votes only for lines
    /// in its own direction), and the four sides of the picture.
    func lines(_ count: Int = 48) -> [EdgeLine] {
        let reach = Int((Double(width * width + height * height)).squareRoot()) + 2
        let bins = 2 * reach + 1
        let cosines = (0..<180).map { Float((Double($0) * .pi / 180).cosine) }
        let sines = (0..<180).map { Float((Double($0) * .pi / 180).sine) }
        var votes = [Float](repeating: 0, count: 180 * bins)
        for y in 0..<height {
            for x in 0..<width {
                let i = y * width + x
                guard strength[i] > 0 else { continue }
                // Squared, so that a texture does not outvote a card.
                let weight = min(strength[i] * strength[i] * 0.25, 16)
                for turn in -3...3 {
                    let degrees = (Int(angle[i]) + turn + 180) % 180
                    let d =
                        (Float(x) + 0.5) * cosines[degrees] + (Float(y) + 0.5) * sines[degrees]
                    votes[degrees * bins + reach + Int(d.rounded())] += weight
                }
            }
        }
        var lines: [EdgeLine] = []
        var smooth = votes
        for i in 1..<votes.count - 1 {
            smooth[i] = votes[i] + 0.6 * (votes[i - 1] + votes[i + 1])
        }
        let least = Float(min(width, height)) * 0.2
        // The peaks, the greatest first; each removes its surroundings.
        var peaks: [(votes: Float, index: Int)] = []
        for degrees in 0..<180 {
            for d in 1..<bins - 1 {
                let i = degrees * bins + d
                if smooth[i] > least, smooth[i] >= smooth[i - 1], smooth[i] > smooth[i + 1] {
                    peaks.append((smooth[i], i))
                }
            }
        }
        peaks.sort { $0.votes > $1.votes }
        for peak in peaks.prefix(6000) {
            let degrees = peak.index / bins, d = Double(peak.index % bins - reach)
            let isKnown = lines.contains { line in
                let turn = abs(line.angle - Double(degrees))
                return turn <= 4 && abs(line.distance - d) <= 6
                    || turn >= 176 && abs(line.distance + d) <= 6
            }
            if isKnown { continue }
            lines.append(
                EdgeLine(
                    normal: Point(x: Double(cosines[degrees]), y: Double(sines[degrees])),
                    distance: d, angle: Double(degrees), votes: peak.votes))
            if lines.count == count { break }
        }
        let strongest = lines.first?.votes ?? 0
        for (x, y, d) in [
            (1.0, 0.0, 0.0), (1, 0, Double(width)), (0, 1, 0), (0, 1, Double(height)),
        ] {
            lines.append(
                EdgeLine(
                    normal: Point(x: x, y: y), distance: d, angle: y * 90, votes: strongest,
                    isBorder: true))
        }
        return lines
    }
}
