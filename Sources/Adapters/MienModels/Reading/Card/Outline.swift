internal import MienFace

/// Four lines that may be the outline of a card.
struct Outline {
    /// Clockwise.
    let corners: [Point]
    /// Whether part of the card is outside of the picture.
    let isCutOff: Bool
    /// The share of its sides that have an edge, less what continues beyond its corners.
    let support: Double
    /// The support, weighted by size.
    let rank: Double
    let area: Double

    /// - Parameter sides: Two lines, and two across them.
    init?(_ map: EdgeMap, _ a: EdgeLine, _ b: EdgeLine, across c: EdgeLine, _ d: EdgeLine) {
        guard let p = a.crossing(c), let q = a.crossing(d), let r = b.crossing(d),
            let s = b.crossing(c)
        else { return nil }
        let sides = [a, d, b, c], points = [p, q, r, s]
        let borders = sides.filter(\.isBorder).count
        guard borders <= 1 else { return nil }
        let w = Double(map.width), h = Double(map.height)
        let outside = points.filter { $0.x < -2 || $0.y < -2 || $0.x > w + 2 || $0.y > h + 2 }
        guard
            outside.allSatisfy({
                $0.x > -0.4 * w && $0.y > -0.4 * h && $0.x < 1.4 * w && $0.y < 1.4 * h
            }), outside.count <= 2
        else { return nil }
        isCutOff = borders > 0 || !outside.isEmpty
        let signed = Self.area(points), share = abs(signed) / (w * h)
        guard share > 0.003 else { return nil }
        corners = signed > 0 ? points : points.reversed()
        guard Self.isConvex(corners) else { return nil }
        area = share
        let lengths = (0..<4).map { points[$0].distance(to: points[($0 + 1) % 4]) }
        let long = (lengths[0] + lengths[2]) / 2, short = (lengths[1] + lengths[3]) / 2
        let aspect = max(long, short) / max(min(long, short), 1)
        guard isCutOff ? aspect < 3 : (1.22...1.95).contains(aspect) else { return nil }
        guard min(lengths[0], lengths[2]) > 0.6 * max(lengths[0], lengths[2]) || isCutOff,
            min(lengths[1], lengths[3]) > 0.6 * max(lengths[1], lengths[3]) || isCutOff
        else { return nil }

        var sum = 0.0, least = 1.0, beyond = 0.0, seen = 0.0
        for (k, side) in sides.enumerated() where !side.isBorder {
            let start = points[k], end = points[(k + 1) % 4]
            guard let found = Self.support(map, side, start, end, 0.05, 0.95, atLeast: 0.25) else {
                return nil
            }
            sum += found
            least = min(least, found)
            if least < 0.3 { return nil }
            for (from, to) in [(-0.16, -0.03), (1.03, 1.16)] {
                guard let more = Self.support(map, side, start, end, from, to, atLeast: 0.5) else {
                    continue
                }
                beyond += more
                seen += 1
            }
        }
        let mean = sum / Double(4 - borders)
        support =
            0.5 * mean + 0.5 * least - (seen > 0 ? 0.35 * beyond / seen : 0)
            - (isCutOff ? 0.18 : 0)
        rank = support * Self.power(share)
    }

    /// The area to the power of an eighth: a card is larger than the boxes on it.
    private static func power(_ area: Double) -> Double {
        area.squareRoot().squareRoot().squareRoot()
    }

    /// The share of points between two shares of a side that have an edge along the side.
    /// - Returns: `nil` when less than `atLeast` of them are in the picture.
    private static func support(
        _ map: EdgeMap, _ line: EdgeLine, _ start: Point, _ end: Point, _ from: Double,
        _ to: Double, atLeast: Double
    ) -> Double? {
        let length = start.distance(to: end) * (to - from)
        let count = max(4, Int(length / 5))
        var inside = 0, rising: Float = 0, falling: Float = 0
        for k in 0..<count {
            let t = from + (to - from) * (Double(k) + 0.5) / Double(count)
            let p = start + (end - start) * t
            guard p.x >= 1, p.y >= 1, p.x < Double(map.width - 1), p.y < Double(map.height - 1)
            else { continue }
            inside += 1
            let edge = map.edge(near: p, across: line.angle)
            if edge > 0 { rising += edge } else { falling -= edge }
        }
        guard Double(inside) >= atLeast * Double(count), inside > 0 else { return nil }
        // A card is lighter than what it lies on, or darker, and seldom both along one side.
        let most = max(rising, falling), least = min(rising, falling)
        return Double(most + 0.5 * least) / Double(inside)
    }

    private static func area(_ p: [Point]) -> Double {
        p.indices.reduce(0) { sum, i in
            let a = p[i], b = p[(i + 1) % p.count]
            return sum + (a.x * b.y - a.y * b.x) / 2
        }
    }

    private static func isConvex(_ p: [Point]) -> Bool {
        p.indices.allSatisfy { i in
            let a = p[(i + 1) % 4] - p[i], b = p[(i + 2) % 4] - p[(i + 1) % 4]
            return a.x * b.y - a.y * b.x > 0
        }
    }

    private func contains(_ p: Point) -> Bool {
        corners.indices.allSatisfy { i in
            let a = corners[(i + 1) % 4] - corners[i], b = p - corners[i]
            return a.x * b.y - a.y * b.x > 0
        }
    }

    private var center: Point {
        corners.reduce(Point(x: 0, y: 0)) { $0 + $1 } * 0.25
    }

    /// Whether the outlines share no place.
    func isApart(from other: Self) -> Bool {
        !contains(other.center) && !other.contains(center)
            && !corners.contains(where: other.contains) && !other.corners.contains(where: contains)
    }
}
