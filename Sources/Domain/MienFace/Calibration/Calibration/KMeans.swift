internal import MienCore

/// Lloyd's k-means with k-means++ centers, as the starting point for a mixture.
///
/// Source: Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", 2007.
enum KMeans {
    typealias Point = [LowerTriangle.Block]

    /// - Returns: The cluster of each point, `0..<clusters`. Some clusters may stay empty.
    static func assign(
        _ points: [Point], clusters: Int, using generator: inout SeededGenerator,
        maxRounds: Int = 30
    ) -> [Int] {
        var centers = spreadOut(points, clusters, &generator)
        var assigned = [Int](repeating: -1, count: points.count)
        for _ in 0..<maxRounds {
            let next = points.map { nearest(to: $0, in: centers).index }
            if next == assigned { break }
            assigned = next
            move(&centers, to: points, assigned)
        }
        return assigned
    }

    /// Chooses centers among the points. The chance of each grows with the square of its distance
    /// to the centers already chosen.
    private static func spreadOut(
        _ points: [Point], _ count: Int, _ generator: inout SeededGenerator
    ) -> [Point] {
        var centers = [points[generator.index(below: points.count)]]
        var distances = points.map { distance($0, centers[0]) }
        while centers.count < count {
            var left = generator.uniform() * distances.reduce(0, +), chosen = points.count - 1
            for (i, d) in distances.enumerated() {
                left -= d
                if left < 0 {
                    chosen = i
                    break
                }
            }
            centers.append(points[chosen])
            for i in points.indices {
                distances[i] = min(distances[i], distance(points[i], points[chosen]))
            }
        }
        return centers
    }

    private static func move(_ centers: inout [Point], to points: [Point], _ assigned: [Int]) {
        var counts = [Double](repeating: 0, count: centers.count)
        var sums = centers.map { Point(repeating: .zero, count: $0.count) }
        for (point, cluster) in zip(points, assigned) {
            counts[cluster] += 1
            for i in point.indices { sums[cluster][i] += point[i] }
        }
        for k in centers.indices where counts[k] > 0 { centers[k] = sums[k].map { $0 / counts[k] } }
    }

    private static func nearest(to point: Point, in centers: [Point]) -> (
        index: Int, distance: Double
    ) {
        var best = (index: 0, distance: Double.infinity)
        for (k, center) in centers.enumerated() {
            let d = distance(point, center)
            if d < best.distance { best = (k, d) }
        }
        return best
    }

    private static func distance(_ a: Point, _ b: Point) -> Double {
        var sum = LowerTriangle.Block.zero
        for i in a.indices {
            let d = a[i] - b[i]
            sum += d * d
        }
        return sum.total
    }
}
