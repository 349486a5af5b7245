internal import Foundation
public import MienPixels

/// Moves a face's points and takes the skin between them along: closes eyes, opens a mouth, turns a
/// head.
///
/// How far a pixel goes is the mean of what the points near it go, weighted by their distance.
/// Worked out on a grid, filled in linearly.
public struct MeshWarp: Sendable {
    private static let cells = 48
    private let area: Rectangle
    private let offsets: [Point]

    /// - Parameters:
    ///   - from: where the points lie on the result.
    ///   - to: where each is taken from, in the source.
    ///   - reach: how near a point has to be to count, in pixels.
    ///   - area: what moves at all; fades towards its edge.
    public init(from: [Point], to: [Point], reach: Double, area: Rectangle) {
        let n = Self.cells
        let moves = zip(from, to).map { (at: $0, by: $1 - $0) }
        self.area = area
        var offsets = [Point](repeating: Point(x: 0, y: 0), count: (n + 1) * (n + 1))
        for row in 0...n {
            for column in 0...n {
                let u = Double(column) / Double(n), v = Double(row) / Double(n)
                let p = Point(x: area.x + u * area.width, y: area.y + v * area.height)
                var sum = Point(x: 0, y: 0), weights = 1e-4
                for move in moves {
                    let d = p.distance(to: move.at) / reach
                    guard d < 4 else { continue }
                    let w = exp(-d * d)
                    sum = sum + move.by * w
                    weights += w
                }
                let edge = min(u, v, 1 - u, 1 - v) / 0.15
                offsets[row * (n + 1) + column] = sum * (min(1, edge) / weights)
            }
        }
        self.offsets = offsets
    }

    /// Where in the source a pixel of the result is taken from.
    public func callAsFunction(_ p: Point) -> Point {
        let n = Self.cells
        let u = (p.x - area.x) / area.width * Double(n),
            v = (p.y - area.y) / area.height * Double(n)
        guard u >= 0, v >= 0, u < Double(n), v < Double(n) else { return p }
        let column = Int(u), row = Int(v), du = u - Double(column), dv = v - Double(row)
        let i = row * (n + 1) + column
        let top = offsets[i] * (1 - du) + offsets[i + 1] * du,
            bottom = offsets[i + n + 1] * (1 - du) + offsets[i + n + 2] * du
        return p + top * (1 - dv) + bottom * dv
    }
}
