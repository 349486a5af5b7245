internal import Foundation

/// A mapping between two pictures of a plane. It maps a flat picture in one view to the same flat
/// picture in another.
struct Homography: Sendable {
    /// In row-major order; the last element is 1.
    private let h: [Double]

    /// Finds the homography that maps `source` closest to `target`, by linear least squares on
    /// normalized points (Hartley 1997).
    ///
    /// - Returns: `nil` with fewer than five points, or when they do not determine a homography.
    init?(from source: [Point], to target: [Point]) {
        guard source.count == target.count, source.count >= 5,
            let (s, ns) = Self.normalized(source), let (t, nt) = Self.normalized(target)
        else {
            return nil
        }
        // Normal equations of 2n rows and eight unknowns.
        var m = [[Double]](repeating: [Double](repeating: 0, count: 9), count: 8)
        for (p, q) in zip(s, t) {
            let rows: [[Double]] = [
                [p.x, p.y, 1, 0, 0, 0, -q.x * p.x, -q.x * p.y, q.x],
                [0, 0, 0, p.x, p.y, 1, -q.y * p.x, -q.y * p.y, q.y],
            ]
            for row in rows { for i in 0..<8 { for j in 0..<9 { m[i][j] += row[i] * row[j] } } }
        }
        guard let solution = Self.solved(m) else { return nil }
        let middle = Self.product(solution + [1], Self.matrix(ns)),
            whole = Self.product(Self.matrix(nt.inverse), middle)
        guard abs(whole[8]) > 1e-12 else { return nil }
        h = whole.map { $0 / whole[8] }
    }

    func callAsFunction(_ p: Point) -> Point {
        let w = h[6] * p.x + h[7] * p.y + h[8]
        return Point(
            x: (h[0] * p.x + h[1] * p.y + h[2]) / w, y: (h[3] * p.x + h[4] * p.y + h[5]) / w)
    }

    /// Returns the root mean square distance between the mapped `source` and `target`, in pixels of
    /// `target`; `nil` when no homography fits.
    static func residual(from source: [Point], to target: [Point]) -> Double? {
        guard let map = Homography(from: source, to: target) else { return nil }
        let sum = zip(source, target).reduce(0) { sum, pair in
            let d = map(pair.0) - pair.1
            return sum + d.x * d.x + d.y * d.y
        }
        let rms = (sum / Double(source.count)).squareRoot()
        return rms.isFinite ? rms : nil
    }

    private static func normalized(_ points: [Point]) -> ([Point], AffineMap)? {
        let n = Double(points.count), center = points.reduce(Point(x: 0, y: 0), +) * (1 / n)
        let spread = points.reduce(0) { $0 + $1.distance(to: center) } / n
        guard spread > 1e-9, spread.isFinite else { return nil }
        let k = 2.0.squareRoot() / spread
        let map = AffineMap(a: k, b: 0, tx: -k * center.x, c: 0, d: k, ty: -k * center.y)
        return (points.map { map($0) }, map)
    }

    private static func matrix(_ m: AffineMap) -> [Double] {
        [m.a, m.b, m.tx, m.c, m.d, m.ty, 0, 0, 1]
    }

    private static func product(_ a: [Double], _ b: [Double]) -> [Double] {
        var out = [Double](repeating: 0, count: 9)
        for row in 0..<3 {
            for column in 0..<3 {
                for k in 0..<3 { out[3 * row + column] += a[3 * row + k] * b[3 * k + column] }
            }
        }
        return out
    }

    /// Gaussian elimination with pivoting on eight rows of nine.
    private static func solved(_ rows: [[Double]]) -> [Double]? {
        var m = rows
        let n = m.count
        for column in 0..<n {
            let pivot = (column..<n).max { abs(m[$0][column]) < abs(m[$1][column]) }!
            guard abs(m[pivot][column]) > 1e-10 else { return nil }
            m.swapAt(column, pivot)
            for row in 0..<n where row != column {
                let k = m[row][column] / m[column][column]
                guard k != 0 else { continue }
                for j in column...n { m[row][j] -= k * m[column][j] }
            }
        }
        return (0..<n).map { m[$0][n] / m[$0][$0] }
    }
}
