/// A position or direction in a picture, in pixels between pixel centers.
struct Vector: Sendable, Hashable {
    var x, y: Double

    static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y) }
    static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y) }
    static func * (a: Self, k: Double) -> Self { Self(x: a.x * k, y: a.y * k) }
    static func / (a: Self, k: Double) -> Self { Self(x: a.x / k, y: a.y / k) }

    func dot(_ other: Self) -> Double { x * other.x + y * other.y }
    var length: Double { dot(self).squareRoot() }
    /// The direction, of length 1.
    var unit: Self { self / max(length, 1e-9) }
    /// Turned by 90 degrees, from along a line to below it.
    var normal: Self { Self(x: -y, y: x) }
}

/// A line of text, from the start of its first character to the end of its last, in the middle of
/// its height.
struct TextLine: Sendable, Hashable {
    var start, end: Vector

    var direction: Vector { (end - start).unit }
    var length: Double { (end - start).length }
    var middle: Vector { (start + end) / 2 }
    var reversed: Self { Self(start: end, end: start) }

    static func + (a: Self, b: Vector) -> Self { Self(start: a.start + b, end: a.end + b) }
}

/// The straight line through points with the least squared error: `slope · x + offset`.
struct FittedLine {
    let slope, offset: Double

    init(_ points: [(x: Double, y: Double)]) {
        let n = Double(max(points.count, 1))
        let mx = points.reduce(0) { $0 + $1.x } / n, my = points.reduce(0) { $0 + $1.y } / n
        let xx = points.reduce(0) { $0 + ($1.x - mx) * ($1.x - mx) }
        let xy = points.reduce(0) { $0 + ($1.x - mx) * ($1.y - my) }
        slope = xx > 0 ? xy / xx : 0
        offset = my - slope * mx
    }

    func callAsFunction(_ x: Double) -> Double { slope * x + offset }
}

/// The middle value, or the mean of the two in the middle.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted(), n = sorted.count
    guard n > 0 else { return 0 }
    return n.isMultiple(of: 2) ? (sorted[n / 2 - 1] + sorted[n / 2]) / 2 : sorted[n / 2]
}
