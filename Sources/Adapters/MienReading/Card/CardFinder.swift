internal import MienDocument
public import MienPixels

/// Where documents are in a picture.
public struct CardPlace: Sendable {
    /// The corners of the largest document in pixels, clockwise from the start of a longer side,
    /// so that the document is upright or upside down between the first two; `nil` without one.
    public let corners: [Point]?
    /// Whether part of the document is outside of the picture.
    public let isCutOff: Bool
    /// 0, 1, or 2 for more than one.
    public let count: Int

    /// Finds cards and pages by their edges, in any direction. A document that fills the picture,
    /// such as a scan, has no edges and is not found.
    public init(in image: RGBImage) {
        let scale = min(1, Self.workingSide / Double(max(image.width, image.height)))
        let small = image.resized(
            width: max(1, Int((Double(image.width) * scale).rounded())),
            height: max(1, Int((Double(image.height) * scale).rounded())))
        let found = Self.outlines(EdgeMap(small))
        guard let best = found.first else {
            (corners, isCutOff, count) = (nil, false, 0)
            return
        }
        let points = best.corners.map { Point(x: $0.x / scale, y: $0.y / scale) }
        corners = Self.fromLongSide(
            best.isCutOff ? points : EdgeRefinement(image).corners(points, reach: 2.5 / scale))
        isCutOff = best.isCutOff
        count = found.count
    }

    /// The longer side of the picture in which edges are found.
    private static let workingSide = 512.0
    /// The minimum support of an outline; see `docs/measurements/documents.md`.
    static let minSupport = 0.58

    /// The best outline, and a second one that is as clear, if there is one.
    private static func outlines(_ map: EdgeMap) -> [Outline] {
        guard map.width >= 32, map.height >= 32 else { return [] }
        let lines = map.lines()
        let side = Double(min(map.width, map.height))
        let center = Point(x: Double(map.width) / 2, y: Double(map.height) / 2)
        var pairs: [(a: EdgeLine, b: EdgeLine, votes: Float, angle: Double)] = []
        for (i, a) in lines.enumerated() {
            for b in lines[(i + 1)...] where !(a.isBorder && b.isBorder) {
                let turn = abs(a.angle - b.angle), isFlipped = turn > 90
                let limit = a.isBorder || b.isBorder ? 32.0 : 18.0
                guard min(turn, 180 - turn) < limit else { continue }
                // The distances of both lines from the picture's center, in the same direction.
                let first = a.distance - a.dot(center), second = b.distance - b.dot(center)
                guard abs(first - (isFlipped ? -second : second)) > 0.05 * side else { continue }
                let mean = isFlipped ? (a.angle + b.angle + 180) / 2 : (a.angle + b.angle) / 2
                pairs.append((a, b, a.votes + b.votes, mean))
            }
        }
        pairs.sort { $0.votes > $1.votes }
        var outlines: [Outline] = []
        let tried = pairs.prefix(320)
        for (i, p) in tried.enumerated() {
            for q in tried[(i + 1)...] {
                let turn = abs(p.angle - q.angle).truncatingRemainder(dividingBy: 180)
                guard (62.0...118).contains(turn),
                    let outline = Outline(map, p.a, p.b, across: q.a, q.b),
                    outline.support >= Self.minSupport
                else { continue }
                outlines.append(outline)
            }
        }
        outlines.sort { $0.rank > $1.rank }
        guard let best = outlines.first else { return [] }
        let second = outlines.first {
            !$0.isCutOff && $0.isApart(from: best) && $0.support >= 0.8 * best.support
                && $0.area > 0.3 * best.area
        }
        return [best] + (second.map { [$0] } ?? [])
    }

    /// Begins with the start of the longer side that is nearer to the picture's top.
    private static func fromLongSide(_ corners: [Point]) -> [Point] {
        let sides = (0..<4).map { corners[$0].distance(to: corners[($0 + 1) % 4]) }
        let first = sides[0] + sides[2] >= sides[1] + sides[3] ? 0 : 1
        let middles = [first, first + 2].map { k in
            (corners[k % 4].y + corners[(k + 1) % 4].y) / 2
        }
        let start = middles[0] <= middles[1] ? first : first + 2
        return (0..<4).map { corners[(start + $0) % 4] }
    }
}

/// Moves the sides of an outline to the strongest edges nearby, in the picture's own pixels.
private struct EdgeRefinement {
    private let image: RGBImage

    init(_ image: RGBImage) { self.image = image }

    func corners(_ rough: [Point], reach: Double) -> [Point] {
        let lines = (0..<4).map { line(rough[$0], rough[($0 + 1) % 4], reach: reach) }
        let found = (0..<4).map { k in lines[(k + 3) % 4].crossing(lines[k]) }
        let corners = found.compactMap { $0 }
        guard corners.count == 4,
            zip(corners, rough).allSatisfy({ $0.distance(to: $1) < 4 * reach })
        else { return rough }
        return corners
    }

    private func line(_ a: Point, _ b: Point, reach: Double) -> EdgeLine {
        let along = (b - a) * (1 / max(a.distance(to: b), 1e-9))
        let across = Point(x: -along.y, y: along.x)
        let step = max(0.5, reach / 8), count = 48
        var points: [(x: Double, y: Double)] = []
        for k in 0..<count {
            let t = 0.07 + 0.86 * Double(k) / Double(count - 1)
            let p = a + (b - a) * t
            var best = (change: Float(4), offset: Double?.none)
            var offset = -reach
            while offset <= reach {
                let one = image.color(at: p + across * (offset - step))
                let other = image.color(at: p + across * (offset + step))
                let difference = one - other
                let change = (difference * difference).sum().squareRoot()
                if change > best.change { best = (change, offset) }
                offset += step / 2
            }
            if let offset = best.offset { points.append((t, offset)) }
        }
        guard points.count >= count / 4 else { return Self.through(a, b) }
        // Twice: the points near the median of the distances, then those near the fitted line.
        let middle = median(points.map(\.y))
        var near = points.filter { abs($0.y - middle) < 0.6 * reach }
        var fit = FittedLine(near)
        near = near.filter { abs(fit($0.x) - $0.y) < max(0.15 * reach, 1) }
        if near.count >= count / 4 { fit = FittedLine(near) }
        return Self.through(a + across * fit(0), b + across * fit(1))
    }

    private static func through(_ a: Point, _ b: Point) -> EdgeLine {
        let along = (b - a) * (1 / max(a.distance(to: b), 1e-9))
        let normal = Point(x: -along.y, y: along.x)
        return EdgeLine(
            normal: normal, distance: a.x * normal.x + a.y * normal.y, angle: 0, votes: 0)
    }
}
