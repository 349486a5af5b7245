/// Two or three lines that may be a machine-readable zone, in the picture's own pixels.
struct ZoneCandidate {
    var lines: [TextLine]
    /// The distance between neighboring lines.
    var spacing: Double
    var score: Double

    /// The longer side of the working picture.
    static let workingSide = 700.0

    /// Finds candidates, the best first.
    /// - Parameter angles: By which the picture is turned, in degrees.
    static func all(in working: GrayImage, scale: Double, angles: [Double]) -> [ZoneCandidate] {
        var found: [ZoneCandidate] = []
        for angle in angles {
            let (image, map) = working.turned(degrees: angle)
            for pitch in [4.5, 6.5, 9, 12.5] {
                let bars = Bar.joined(Bar.all(in: image, pitch: pitch), pitch: pitch)
                found += groups(of: bars, pitch: pitch).map {
                    ZoneCandidate($0.lines, $0.spacing, $0.score, map, scale)
                }
            }
        }
        return withoutDuplicates(found.sorted { $0.score > $1.score })
    }

    private init(
        _ bars: [Bar], _ spacing: Double, _ score: Double, _ map: SamplingMap, _ scale: Double
    ) {
        func original(_ x: Double, _ y: Double) -> Vector {
            Vector(x: map.xx * x + map.xy * y + map.x, y: map.yx * x + map.yy * y + map.y) / scale
        }
        lines = bars.map {
            TextLine(start: original($0.left, $0.startY), end: original($0.right, $0.endY))
        }
        self.spacing = spacing / scale
        self.score = score - 0.5 * abs(bars.reduce(0) { $0 + $1.slope } / Double(bars.count))
    }

    private static func groups(of bars: [Bar], pitch: Double) -> [(
        lines: [Bar], spacing: Double, score: Double
    )] {
        let bars = bars.filter { $0.length > 13 * pitch }
        var out: [(lines: [Bar], spacing: Double, score: Double)] = []
        for (i, a) in bars.enumerated() {
            for (j, b) in bars.enumerated() where i != j {
                let middle = (max(a.left, b.left) + min(a.right, b.right)) / 2
                let overlap = min(a.right, b.right) - max(a.left, b.left)
                let longer = max(a.length, b.length)
                let upright = 1 / (1 + a.slope * a.slope).squareRoot()
                let spacing = (b.y(at: middle) - a.y(at: middle)) * upright
                guard overlap >= 0.6 * longer, spacing > 0.028 * longer, spacing < 0.095 * longer,
                    abs(a.slope - b.slope) <= 0.05
                else { continue }
                var lines = [a, b]
                for (k, c) in bars.enumerated() where k != i && k != j {
                    let next = (c.y(at: middle) - b.y(at: middle)) * upright
                    let shared = min(b.right, c.right) - max(b.left, c.left)
                    if shared > 0.55 * longer, next > 0.8 * spacing, next < 1.25 * spacing {
                        lines = [a, b, c]
                    }
                }
                let energy = lines.reduce(0) { $0 + $1.energy } / Double(lines.count)
                let score =
                    overlap / longer + (lines.count == 3 ? 0.3 : 0)
                    - abs(a.left - b.left) / longer + 0.5 * min(1, longer / 450)
                    + 0.002 * min(100, energy)
                out.append((lines, spacing, score))
            }
        }
        return out
    }

    private static func withoutDuplicates(_ sorted: [ZoneCandidate]) -> [ZoneCandidate] {
        var kept: [ZoneCandidate] = []
        for candidate in sorted {
            let middle = candidate.middle, length = candidate.lines[0].length
            let isKnown = kept.contains {
                ($0.middle - middle).length < 0.7 * candidate.spacing
                    && abs(length - $0.lines[0].length) < 0.15 * length
                    && $0.lines.count >= candidate.lines.count
            }
            if !isKnown { kept.append(candidate) }
        }
        return kept
    }

    private var middle: Vector {
        lines.reduce(Vector(x: 0, y: 0)) { $0 + $1.middle } / Double(lines.count)
    }

    /// The lines in the direction of the longest, extended to equal beginnings and ends.
    var aligned: [TextLine] {
        guard let longest = lines.max(by: { $0.length < $1.length }) else { return [] }
        let u = longest.direction
        func along(_ p: Vector) -> Double { (p - longest.start).dot(u) }
        let low = lines.map { along($0.start) }.min() ?? 0
        let high = lines.map { along($0.end) }.max() ?? 0
        return lines.map { line in
            let w = line.direction
            return TextLine(
                start: line.start + w * (low - along(line.start)),
                end: line.end + w * (high - along(line.end)))
        }
    }
}
