internal import MienFace

/// Looks for outlines of documents in a picture: in all of it, then smoothed, then in parts of it.
struct CardSearch {
    private let image: RGBImage
    private let scale: Double

    init(_ image: RGBImage) {
        self.image = image
        scale = min(1, Self.workingSide / Double(max(image.width, image.height)))
    }

    /// The longer side of the picture in which edges are found.
    private static let workingSide = 512.0
    /// The minimum support of an outline; see `docs/measurements/documents.md`.
    static let minSupport = 0.58
    /// The minimum support in a part of the picture, and of a document beside another.
    private static let minPartSupport = 0.6

    /// The error of corners that are found, in pixels of the picture.
    var reach: Double { 2.5 / scale }

    struct Document {
        /// In pixels of the picture.
        var corners: [Point]
        var isCutOff: Bool
    }

    /// The largest document, and one beside it if there is one.
    func documents() -> [Document] {
        let small = reduced(x: 0, y: 0, width: image.width, height: image.height, scale)
        let map = EdgeMap(small)
        var found = Self.outlines(map)
        if found.isEmpty {
            // Grains of wood and threads of cloth have more edges than a card; blurred, they have
            // less.
            found = Self.outlines(EdgeMap(small.smoothed()))
        }
        if found.first?.isCutOff ?? false, let pair = Self.pair(map) { found = pair }
        if let best = found.first, found.count == 1, !best.isCutOff {
            // To find a second document, remove the edges of the first, so that the second one's
            // are among the strongest.
            let others = Self.outlines(map.without(best.corners))
            found += others.filter {
                !$0.isCutOff && $0.isApart(from: best) && $0.area > 0.3 * best.area
                    && $0.support >= max(Self.minPartSupport, 0.75 * best.support)
            }.prefix(1)
        }
        guard found.isEmpty else {
            return found.map { outline in
                Document(
                    corners: outline.corners.map { $0 * (1 / scale) }, isCutOff: outline.isCutOff)
            }
        }
        return smallDocument().map { [$0] } ?? []
    }

    /// A whole document in the middle of the picture, or in one of its quarters, each at twice the
    /// size.
    private func smallDocument() -> Document? {
        guard scale < 1 else { return nil }
        let w = image.width / 2, h = image.height / 2, twice = min(1, 2 * scale)
        for (x, y) in [(w / 2, h / 2), (0, 0), (w, 0), (0, h), (w, h)] {
            let part = reduced(x: x, y: y, width: w, height: h, twice)
            guard let outline = Self.whole(part) ?? Self.whole(part.smoothed()) else { continue }
            let corner = Point(x: Double(x), y: Double(y))
            return Document(
                corners: outline.corners.map { $0 * (1 / twice) + corner }, isCutOff: false)
        }
        return nil
    }

    /// The best outline of a whole document in a part of the picture.
    private static func whole(_ part: RGBImage) -> Outline? {
        outlines(EdgeMap(part)).first {
            !$0.isCutOff && $0.support >= minPartSupport && $0.area > 0.006
        }
    }

    private func reduced(x: Int, y: Int, width: Int, height: Int, _ scale: Double) -> RGBImage {
        let part =
            width == image.width && height == image.height
            ? image : image.reduced(by: 1, x: x, y: y, width: width, height: height)
        return part.resized(
            width: max(1, Int((Double(width) * scale).rounded())),
            height: max(1, Int((Double(height) * scale).rounded())))
    }

    /// The least area of documents beside each other that one was taken for that is cut off, as a share
    /// of the picture. Portraits and panels of a document are smaller.
    private static let minPairArea = 0.06

    /// Two whole documents beside each other, of similar size: edges of both look like a larger one
    /// that is cut off.
    private static func pair(_ map: EdgeMap) -> [Outline]? {
        func isWhole(_ outline: Outline) -> Bool {
            !outline.isCutOff && outline.support >= minPartSupport && outline.area > minPairArea
        }
        for first in allOutlines(map).filter(isWhole).prefix(3) {
            let second = allOutlines(map.without(first.corners)).first {
                isWhole($0) && $0.isApart(from: first) && $0.area > 0.5 * first.area
                    && $0.area < 2 * first.area && $0.support >= 0.75 * first.support
            }
            if let second { return [first, second] }
        }
        return nil
    }

    /// The best outline, and a second one that is as clear, if there is one.
    private static func outlines(_ map: EdgeMap) -> [Outline] {
        let outlines = allOutlines(map)
        guard let best = outlines.first else { return [] }
        let second = outlines.first {
            !$0.isCutOff && $0.isApart(from: best) && $0.support >= 0.8 * best.support
                && $0.area > 0.3 * best.area
        }
        return [best] + (second.map { [$0] } ?? [])
    }

    /// The outlines with enough edges, the best first.
    private static func allOutlines(_ map: EdgeMap) -> [Outline] {
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
        return outlines.sorted { $0.rank > $1.rank }
    }
}

extension EdgeMap {
    /// The map without the edges of a document.
    func without(_ corners: [Point]) -> EdgeMap {
        var map = self
        // The corners are clockwise, so that what is inside is to the right of each side.
        let sides = corners.indices.map { i in
            let a = corners[i], along = corners[(i + 1) % corners.count] - a
            return (a, along, along.length)
        }
        for y in 0..<height {
            for x in 0..<width where strength[y * width + x] > 0 {
                let p = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
                let isInside = sides.allSatisfy { a, along, length in
                    along.x * (p.y - a.y) - along.y * (p.x - a.x) > -4 * length
                }
                if isInside { map.remove(at: y * width + x) }
            }
        }
        return map
    }
}

extension RGBImage {
    /// Each pixel is the mean of the five by five around it. Beyond the borders, the outermost pixels
    /// repeat.
    fileprivate func smoothed() -> RGBImage {
        var out = self
        for c in 0..<3 {
            var rows = [Int](repeating: 0, count: width * height)
            for y in 0..<height {
                for x in 0..<width {
                    var sum = 0
                    for d in -2...2 {
                        sum += Int(pixels[3 * (y * width + min(max(x + d, 0), width - 1)) + c])
                    }
                    rows[y * width + x] = sum
                }
            }
            var bytes = out.pixels
            for y in 0..<height {
                for x in 0..<width {
                    var sum = 0
                    for d in -2...2 { sum += rows[min(max(y + d, 0), height - 1) * width + x] }
                    bytes[3 * (y * width + x) + c] = UInt8(sum / 25)
                }
            }
            // One byte for each color of each pixel.
            out = try! RGBImage(width: width, height: height, pixels: bytes)
        }
        return out
    }
}
