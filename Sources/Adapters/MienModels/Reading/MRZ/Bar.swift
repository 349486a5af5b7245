/// A region that may be a line of text, in a turned working picture.
struct Bar {
    var left, right: Double
    /// The height of its middle at each end.
    var startY, endY: Double
    var thickness: Double
    /// The mean density of vertical edges.
    var energy: Double

    var slope: Double { (endY - startY) / max(1, right - left) }
    var length: Double { Vector(x: right - left, y: endY - startY).length }

    func y(at x: Double) -> Double { startY + slope * (x - left) }
}

extension Bar {
    /// The maximum number of bars that are kept, the longest.
    static let limit = 100

    /// The bars in a picture whose characters are about `pitch` pixels apart.
    static func all(in image: GrayImage, pitch: Double) -> [Bar] {
        let planes = BarPlanes.mask(image, pitch: pitch)
        let regions = Region.all(in: planes.mask, width: image.width, height: image.height)
        let bars = regions.compactMap {
            Bar($0, pitch: pitch, edges: planes.edges, width: image.width)
        }
        return Array(bars.sorted { $0.length > $1.length }.prefix(limit))
    }

    private init?(_ region: Region, pitch: Double, edges: [Float], width: Int) {
        let w = Double(region.right - region.left + 1), h = Double(region.bottom - region.top + 1)
        guard w >= 9 * pitch, Double(region.area) >= 4 * pitch * pitch, h <= 0.4 * w + 2 * pitch
        else { return nil }
        let columns = region.right - region.left + 1
        var counts = [Int](repeating: 0, count: columns), sums = counts
        var energy: Float = 0
        for run in region.runs {
            for x in run.start..<run.end {
                counts[x - region.left] += 1
                sums[x - region.left] += run.y
                energy += edges[run.y * width + x]
            }
        }
        let points = (0..<columns).filter { counts[$0] > 0 }.map {
            (x: Double($0), y: Double(sums[$0]) / Double(counts[$0]))
        }
        let rough = FittedLine(points)
        let near = points.filter { abs(rough($0.x) - $0.y) < 0.35 * pitch + 1 }
        guard near.count * 10 >= points.count * 6 else { return nil }
        let line = FittedLine(near)
        thickness = median(counts.filter { $0 > 0 }.map(Double.init))
        guard (0.3 * pitch...2.6 * pitch).contains(thickness) else { return nil }
        left = Double(region.left)
        right = Double(region.right)
        startY = line(0)
        endY = line(right - left)
        self.energy = Double(energy) / Double(region.area)
    }

    /// Joins bars that continue each other.
    static func joined(_ bars: [Bar], pitch: Double) -> [Bar] {
        var bars = bars.sorted { $0.left < $1.left }
        search: while true {
            for i in bars.indices {
                for j in bars.indices where i != j {
                    if let both = bars[i].joined(with: bars[j], pitch) {
                        bars = bars.indices.filter { $0 != i && $0 != j }.map { bars[$0] } + [both]
                        continue search
                    }
                }
            }
            return bars
        }
    }

    private func joined(with next: Bar, _ pitch: Double) -> Bar? {
        let gap = next.left - right
        guard next.left >= left, gap <= 6 * pitch, gap >= -3 * pitch,
            abs(endY + slope * gap - next.startY) <= 0.6 * pitch + 0.04 * max(gap, 0),
            abs(slope - next.slope) <= 0.08
        else { return nil }
        var both = self
        both.right = max(right, next.right)
        both.endY = next.right > right ? next.endY : endY
        let sum = length + next.length
        both.thickness = (thickness * length + next.thickness * next.length) / sum
        both.energy = (energy * length + next.energy * next.length) / sum
        return both
    }
}

/// Connected pixels of a mask.
private struct Region {
    struct Run {
        var y, start, end: Int
    }

    var left = Int.max, right = 0, top = Int.max, bottom = 0, area = 0
    var runs: [Run] = []

    private mutating func add(_ run: Run) {
        left = min(left, run.start)
        right = max(right, run.end - 1)
        top = min(top, run.y)
        bottom = max(bottom, run.y)
        area += run.end - run.start
        runs.append(run)
    }

    /// All regions; pixels that touch at a corner belong together.
    static func all(in mask: [UInt8], width: Int, height: Int) -> [Region] {
        var runs: [Run] = [], parent: [Int] = []
        func root(_ i: Int) -> Int {
            var i = i
            while parent[i] != i {
                parent[i] = parent[parent[i]]
                i = parent[i]
            }
            return i
        }
        var above = 0..<0
        for y in 0..<height {
            let first = runs.count
            var x = 0
            while x < width {
                if mask[y * width + x] == 0 {
                    x += 1
                    continue
                }
                let start = x
                while x < width, mask[y * width + x] != 0 { x += 1 }
                runs.append(Run(y: y, start: start, end: x))
                parent.append(runs.count - 1)
            }
            var k = above.lowerBound
            for i in first..<runs.count {
                while k < above.upperBound, runs[k].end < runs[i].start { k += 1 }
                var j = k
                while j < above.upperBound, runs[j].start <= runs[i].end {
                    let a = root(i), b = root(j)
                    if a != b { parent[max(a, b)] = min(a, b) }
                    j += 1
                }
            }
            above = first..<runs.count
        }
        var regions: [Int: Region] = [:]
        for (i, run) in runs.enumerated() { regions[root(i), default: Region()].add(run) }
        return regions.keys.sorted().compactMap { regions[$0] }
    }
}
