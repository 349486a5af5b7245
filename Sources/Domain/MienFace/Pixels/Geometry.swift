internal import Foundation

/// A point or vector in pixels: `x` to the right, `y` down. A pixel's center lies at (column + ½,
/// row + ½).
public struct Point: Sendable, Hashable, Codable {
    public var x, y: Double

    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    public static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y) }
    public static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y) }
    public static func * (a: Self, k: Double) -> Self { Self(x: a.x * k, y: a.y * k) }

    /// Euclidean length.
    public var length: Double { (x * x + y * y).squareRoot() }

    public func distance(to other: Self) -> Double { (self - other).length }
}

/// An axis-aligned rectangle in pixels.
public struct Rectangle: Sendable, Hashable, Codable {
    public var x, y, width, height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    public init(center: Point, width: Double, height: Double) {
        self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    public var center: Point { Point(x: x + width / 2, y: y + height / 2) }
    public var area: Double { max(0, width) * max(0, height) }

    /// Returns the common part, which has no area when the rectangles do not overlap.
    public func intersection(_ other: Self) -> Self {
        let left = max(x, other.x), top = max(y, other.y)
        let right = min(x + width, other.x + other.width),
            bottom = min(y + height, other.y + other.height)
        return Self(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    /// Returns the area of the intersection divided by the area of the union, 0...1.
    public func overlap(_ other: Self) -> Double {
        let common = intersection(other).area, union = area + other.area - common
        return union > 0 ? common / union : 0
    }
}

/// A map of the plane: (x, y) → (a·x + b·y + tx, c·x + d·y + ty).
public struct AffineMap: Sendable, Hashable {
    public var a, b, tx, c, d, ty: Double

    public init(a: Double, b: Double, tx: Double, c: Double, d: Double, ty: Double) {
        (self.a, self.b, self.tx, self.c, self.d, self.ty) = (a, b, tx, c, d, ty)
    }

    public static let identity = AffineMap(a: 1, b: 0, tx: 0, c: 0, d: 1, ty: 0)

    public func callAsFunction(_ p: Point) -> Point {
        Point(x: a * p.x + b * p.y + tx, y: c * p.x + d * p.y + ty)
    }

    public var determinant: Double { a * d - b * c }

    /// The factor by which lengths grow, computed as the square root of the change in area.
    public var scale: Double { abs(determinant).squareRoot() }

    /// The inverse map.
    /// - Precondition: ``determinant`` is not 0.
    public var inverse: AffineMap {
        let k = 1 / determinant
        precondition(k.isFinite, "a map that flattens the plane has no inverse")
        return AffineMap(
            a: d * k, b: -b * k, tx: (b * ty - d * tx) * k, c: -c * k, d: a * k,
            ty: (c * tx - a * ty) * k)
    }

    /// Returns the map that applies `self`, then `next`.
    public func then(_ next: AffineMap) -> AffineMap {
        AffineMap(
            a: next.a * a + next.b * c, b: next.a * b + next.b * d,
            tx: next.a * tx + next.b * ty + next.tx,
            c: next.c * a + next.d * c, d: next.c * b + next.d * d,
            ty: next.c * tx + next.d * ty + next.ty)
    }

    /// Returns the map that crops the upright square of `size` pixels around `center`, rotated by
    /// `angle` radians (clockwise on screen), to a `side`×`side` image.
    public static func crop(center: Point, size: Double, angle: Double, side: Int) -> AffineMap {
        let k = Double(side) / size, (s, co) = (sin(angle) * k, cos(angle) * k)
        let half = Double(side) / 2
        return AffineMap(
            a: co, b: s, tx: half - co * center.x - s * center.y, c: -s, d: co,
            ty: half + s * center.x - co * center.y)
    }

    /// Returns the similarity (rotation, scale, shift; no mirroring) that maps `source` closest to
    /// `target` in the least-squares sense.
    ///
    /// Closed form of Umeyama (1991) in two dimensions.
    /// - Returns: `nil` with fewer than two points, or when the best map has no inverse, because
    ///   points on either side coincide or are mirror images of each other.
    public static func similarity(from source: [Point], to target: [Point]) -> AffineMap? {
        precondition(
            source.count == target.count, "source and target must have equally many points")
        guard source.count >= 2 else { return nil }
        let n = Double(source.count)
        let ms = source.reduce(Point(x: 0, y: 0), +) * (1 / n),
            mt = target.reduce(Point(x: 0, y: 0), +) * (1 / n)
        var dot = 0.0, cross = 0.0, spread = 0.0
        for (p, q) in zip(source, target) {
            let s = p - ms, t = q - mt
            dot += s.x * t.x + s.y * t.y
            cross += s.x * t.y - s.y * t.x
            spread += s.x * s.x + s.y * s.y
        }
        guard spread > 0 else { return nil }
        let (k, h) = (dot / spread, cross / spread)
        guard (1 / (k * k + h * h)).isFinite else { return nil }
        return AffineMap(
            a: k, b: -h, tx: mt.x - k * ms.x + h * ms.y, c: h, d: k, ty: mt.y - h * ms.x - k * ms.y)
    }
}
