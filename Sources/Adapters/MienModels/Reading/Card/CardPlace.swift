internal import MienDocument
public import MienFace

/// Where documents are in a picture.
public struct CardPlace: Sendable {
    /// The corners of the largest document in pixels, clockwise from the start of a longer side,
    /// so that the document is upright or upside down between the first two; `nil` without one.
    public let corners: [Point]?
    /// Whether part of the document is outside of the picture.
    public let isCutOff: Bool
    /// 0, 1, or 2 for more than one.
    public let count: Int
    /// The corners of a second document, as ``corners``.
    let second: [Point]?

    /// Finds cards and pages by their edges, in any direction. A document that fills the picture,
    /// such as a scan, has no edges and is not found; see ``init(filling:)``.
    public init(in image: RGBImage) {
        let search = CardSearch(image)
        let found = search.documents()
        guard let best = found.first else {
            (corners, isCutOff, count, second) = (nil, false, 0, nil)
            return
        }
        corners = Self.fromLongSide(
            best.isCutOff
                ? best.corners : EdgeRefinement(image).corners(best.corners, reach: search.reach))
        isCutOff = best.isCutOff
        count = found.count
        second = found.count > 1 ? Self.fromLongSide(found[1].corners) : nil
    }

    /// One document whose corners are known; see ``corners``.
    public init(corners: [Point]) {
        self.corners = corners
        (isCutOff, count, second) = (false, 1, nil)
    }

    /// Whether the zone is on the document, or on the second one.
    func holds(_ zone: ZoneReading) -> Bool {
        guard let line = zone.lines.first else { return true }
        let start = Point(x: line.start.x, y: line.start.y),
            end = Point(x: line.end.x, y: line.end.y)
        return [corners, second].compactMap { $0 }.contains { corners in
            Self.contains(corners, start * 0.9 + end * 0.1)
                && Self.contains(corners, start * 0.1 + end * 0.9)
        }
    }

    /// Whether a point is within clockwise corners.
    static func contains(_ corners: [Point], _ p: Point) -> Bool {
        corners.indices.allSatisfy { i in
            let along = corners[(i + 1) % corners.count] - corners[i], to = p - corners[i]
            return along.x * to.y - along.y * to.x > 0
        }
    }

    /// A document that fills the picture.
    public init(filling image: RGBImage) {
        let w = Double(image.width), h = Double(image.height)
        corners = Self.fromLongSide([
            Point(x: 0, y: 0), Point(x: w, y: 0), Point(x: w, y: h), Point(x: 0, y: h),
        ])
        (isCutOff, count, second) = (false, 1, nil)
    }

    /// The document around a machine-readable zone, whose place on it the standard prescribes.
    ///
    /// - Returns: `nil` unless the document is in the picture, up to a few percent of its width.
    init?(around zone: ZoneReading, in image: RGBImage) {
        guard let frame = ZoneFrame(zone) else { return nil }
        let w = Double(image.width), h = Double(image.height)
        let reach = 0.06 * frame.corners[0].distance(to: frame.corners[1])
        guard
            frame.corners.allSatisfy({
                $0.x > -reach && $0.y > -reach && $0.x < w + reach && $0.y < h + reach
            })
        else { return nil }
        corners = Self.fromLongSide(
            frame.corners.map { Point(x: min(max($0.x, 0), w), y: min(max($0.y, 0), h)) })
        (isCutOff, count, second) = (false, 1, nil)
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
