import Foundation
import MienFace

/// Moves a face's points together with the skin between them: closes eyes, opens a mouth, turns a
/// head.
///
/// Each pixel moves by the mean of nearby points' movements, weighted by distance. The movements
/// are computed on a grid and interpolated linearly.
public struct MeshWarp: Sendable {
    private static let cells = 48
    private let area: Rectangle
    private let offsets: [Point]

    /// - Parameters:
    ///   - from: The points' positions in the result.
    ///   - to: The positions in the source from which they are taken.
    ///   - reach: The maximum distance at which a point has an effect, in pixels.
    ///   - area: The area that moves. The effect fades toward its edge.
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

    /// Returns the source position for a pixel of the result.
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
