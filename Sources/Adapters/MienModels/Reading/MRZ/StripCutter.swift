/// Strips of single lines, cut from a picture and from its smaller versions.
struct StripCutter {
    /// Pixels per character, and rows, of a strip.
    static let pitch = 16, rows = 24
    /// Characters before and after the line.
    static let margin = 1.5

    /// The picture, half of it, a quarter …; made when needed.
    private var levels: [GrayImage]

    init(_ image: GrayImage) { levels = [image] }

    private mutating func level(_ number: Int) -> GrayImage {
        while levels.count <= number, let last = levels.last { levels.append(last.halved()) }
        return levels[number]
    }

    private var maxLevel: Int {
        var side = max(levels[0].width, levels[0].height), count = 0
        while side > 300, count < 4 { (side, count) = ((side + 1) / 2, count + 1) }
        return count
    }

    /// A strip around a line.
    /// - Parameters:
    ///   - pitch: The distance between characters in the picture.
    ///   - columns: The strip's width, and where it begins: `margin` characters before the line.
    ///   - stretch: How much more of the picture's height a row shows than a column of its width.
    mutating func strip(
        _ line: TextLine, pitch: Double, columns: Int, rows: Int, margin: Double,
        stretch: Double = 1
    ) -> GrayImage {
        let scale = pitch / Double(Self.pitch), u = line.direction, v = u.normal
        let wanted = scale > 1.27 ? Int((scale.logarithmBase2 + 0.35).rounded(.down)) : 0
        let number = min(max(wanted, 0), maxLevel)
        let f = 1 / Double(1 << number)
        let origin =
            line.start - u * (margin * pitch) + u * (scale * 0.5)
            + v * ((0.5 - Double(rows) / 2) * scale * stretch)
        return level(number).sampled(
            SamplingMap(
                xx: u.x * scale * f, xy: v.x * scale * stretch * f, x: (origin.x + 0.5) * f - 0.5,
                yx: u.y * scale * f, yy: v.y * scale * stretch * f, y: (origin.y + 0.5) * f - 0.5),
            width: columns, height: rows, cubic: true)
    }

    /// The line moved to the middle of its characters, by where the vertical edges are in four
    /// parts of it.
    mutating func centered(_ line: TextLine, pitch: Double) -> TextLine {
        let columns = max(8, Int((line.length / pitch * Double(Self.pitch) / 2).rounded(.up)) * 2)
        let height = 2 * Self.rows, parts = 4
        let edges = Self.edges(
            strip(line, pitch: pitch, columns: min(columns, 4096), rows: height, margin: 0))
        let width = min(columns, 4096)
        let positions = (0..<parts).map { part -> (x: Double, y: Double) in
            let range = width * part / parts..<width * (part + 1) / parts
            let profile = (0..<height).map { row in
                range.reduce(0) { $0 + Double(edges[row * width + $1]) }
                    / Double(max(range.count, 1))
            }
            return (
                (Double(part) + 0.5) / Double(parts), Self.middle(of: profile) - Double(Self.rows)
            )
        }
        // Theil and Sen's line.
        var slopes: [Double] = []
        for i in 0..<parts {
            for j in i + 1..<parts {
                slopes.append((positions[j].y - positions[i].y) / (positions[j].x - positions[i].x))
            }
        }
        let slope = median(slopes)
        let offset = median(positions.map { $0.y - slope * $0.x })
        let v = line.direction.normal, scale = pitch / Double(Self.pitch)
        return TextLine(
            start: line.start + v * (offset * scale), end: line.end + v * ((offset + slope) * scale)
        )
    }

    /// The absolute horizontal gradient after a light blur.
    private static func edges(_ strip: GrayImage) -> [Float] {
        let w = strip.width, h = strip.height, p = strip.pixels
        func at(_ x: Int, _ y: Int) -> Int {
            // Mirrored at the borders, without repeating the outermost pixel.
            let x = x < 0 ? -x : x >= w ? 2 * w - 2 - x : x,
                y = y < 0 ? -y : y >= h ? 2 * h - 2 - y : y
            return y * w + x
        }
        var across = [Float](repeating: 0, count: w * h), out = across
        // Blur [1 2 1] and gradient [−1 0 1] along the rows are one filter [−1 −2 0 2 1].
        for y in 0..<h {
            for x in 0..<w {
                let a = Float(p[at(x + 2, y)]) - Float(p[at(x - 2, y)])
                let b = Float(p[at(x + 1, y)]) - Float(p[at(x - 1, y)])
                across[y * w + x] = (a + 2 * b) / 4
            }
        }
        // Blur [1 2 1] twice down the columns is [1 4 6 4 1].
        for y in 0..<h {
            for x in 0..<w {
                let outer = across[at(x, y - 2)] + across[at(x, y + 2)]
                let inner = across[at(x, y - 1)] + across[at(x, y + 1)]
                out[y * w + x] = abs(outer + 4 * inner + 6 * across[y * w + x]) / 4
            }
        }
        return out
    }

    /// The middle of the 12 to 18 rows that have the most edges compared with their neighbors.
    private static func middle(of raw: [Double]) -> Double {
        let count = raw.count
        let profile = (0..<count).map { i in
            ((i > 0 ? raw[i - 1] : 0) + raw[i] + (i + 1 < count ? raw[i + 1] : 0)) / 3
        }
        var sums = [0.0]
        for value in profile { sums.append((sums.last ?? 0) + value) }
        let peak = profile.max() ?? 0
        var best = (quality: -Double.infinity, middle: Double(count) / 2)
        for rows in [12, 14, 16, 18] {
            for y in 8...(count - 8 - rows) {
                let inside = (sums[y + rows] - sums[y]) / Double(rows)
                let outside =
                    (sums[y] - sums[y - 4] + sums[y + rows + 4] - sums[y + rows]) / 8
                let middle = Double(y) + Double(rows) / 2
                let quality = inside - outside - 0.02 * peak * abs(middle - Double(count) / 2)
                if quality > best.quality { best = (quality, middle) }
            }
        }
        return best.middle
    }
}

extension GrayImage {
    /// The brightness relative to that of the paper (the 90th percentile), in units of the contrast
    /// to the ink (the 3rd).
    var normalizedStrip: [Float] {
        var histogram = [Int](repeating: 0, count: 256)
        for pixel in pixels { histogram[Int(pixel)] += 1 }
        func percentile(_ part: Double) -> Float {
            let position = part * Double(pixels.count - 1), below = Int(position)
            var counts = 0, low: Int?, high = 255
            for value in 0..<256 {
                counts += histogram[value]
                if low == nil, counts > below { low = value }
                if counts > below + 1 {
                    high = value
                    break
                }
            }
            let a = Double(low ?? 255)
            return Float(a + (Double(high) - a) * (position - Double(below)))
        }
        let low = percentile(0.03), high = percentile(0.9), range = max(high - low, 12)
        return pixels.map { (Float($0) - high) / range }
    }
}
