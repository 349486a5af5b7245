import MienFace

/// Draws a face's upper lids down in the color of the skin above the eye, with the dark line of the
/// lashes at their edge.
public struct ClosedEyes: Sendable {
    private struct Eye: Sendable {
        let map: AffineMap
        /// The positions of the lids below the line between the corners, at equal steps along the
        /// eye from corner to corner.
        let upper: [Double], lower: [Double]
        let length: Double
    }

    private let eyes: [Eye]
    private let amount: Double

    /// - Parameter amount: 0 leaves the eyes unchanged; 1 closes them.
    public init(of mesh: FaceMesh, by amount: Double) {
        self.amount = min(1, max(0, amount))
        eyes = Self.contours.map { contour in
            let a = mesh.points[contour.corners.0], b = mesh.points[contour.corners.1],
                across = b - a, length = max(across.length, 1e-6)
            let (c, s) = (across.x / length, across.y / length)
            let map = AffineMap(
                a: c, b: s, tx: -c * a.x - s * a.y, c: -s, d: c, ty: s * a.x - c * a.y)
            func curve(_ numbers: [Int]) -> [Double] {
                let points =
                    [Point(x: 0, y: 0)]
                    + numbers.map { map(mesh.points[$0]) }.sorted { $0.x < $1.x } + [
                        Point(x: length, y: 0)
                    ]
                return (0...32).map { step in
                    let x = length * Double(step) / 32
                    let k =
                        points.indices.dropFirst().first { points[$0].x >= x } ?? points.count - 1
                    let p = points[k - 1], q = points[k]
                    return p.y + (q.y - p.y) * (q.x > p.x ? (x - p.x) / (q.x - p.x) : 0)
                }
            }
            let upper = curve(contour.upper), lower = curve(contour.lower)
            // The mesh's contour lies slightly inside the eye.
            let more = 0.06 * length
            return Eye(
                map: map, upper: upper.map { $0 - more }, lower: lower.map { $0 + more },
                length: length)
        }
    }

    /// Returns the picture with the lids at their new positions.
    public func drawn(on image: RGBImage) -> RGBImage {
        guard amount > 0 else { return image }
        var out = image
        for eye in eyes {
            let back = eye.map.inverse
            let corners = [(-0.1, -0.8), (1.1, -0.8), (-0.1, 0.8), (1.1, 0.8)].map {
                back(Point(x: $0.0 * eye.length, y: $0.1 * eye.length))
            }
            let xs = corners.map(\.x), ys = corners.map(\.y)
            let columns = max(0, Int(xs.min()!))..<max(1, min(image.width, Int(xs.max()!) + 1))
            let rows = max(0, Int(ys.min()!))..<max(1, min(image.height, Int(ys.max()!) + 1))
            guard columns.lowerBound < columns.upperBound, rows.lowerBound < rows.upperBound else {
                continue
            }
            for y in rows {
                for x in columns {
                    let q = eye.map(Point(x: Double(x) + 0.5, y: Double(y) + 0.5)),
                        step = q.x / eye.length * 32
                    guard step > 0, step < 32 else { continue }
                    let i = Int(step), part = step - Double(i)
                    let top = eye.upper[i] + (eye.upper[i + 1] - eye.upper[i]) * part,
                        bottom = eye.lower[i] + (eye.lower[i + 1] - eye.lower[i]) * part
                    let lid = top + amount * (bottom - top)
                    guard q.y > top, q.y < lid + 0.03 * eye.length else { continue }
                    // Use the skin just above the eye, in the same column.
                    let over = back(Point(x: q.x, y: top - 0.06 * eye.length))
                    let skin = image[
                        min(max(Int(over.x), 0), image.width - 1),
                        min(max(Int(over.y), 0), image.height - 1)]
                    let k = abs(q.y - lid) < max(0.03 * eye.length, 0.6) ? 0.4 : 1
                    out[x, y] = RGBColor(
                        UInt8(k * Double(skin.red)), UInt8(k * Double(skin.green)),
                        UInt8(k * Double(skin.blue)))
                }
            }
        }
        return out
    }

    private static let contours: [(corners: (Int, Int), upper: [Int], lower: [Int])] = [
        ((33, 133), [246, 161, 160, 159, 158, 157, 173], [7, 163, 144, 145, 153, 154, 155]),
        ((362, 263), [398, 384, 385, 386, 387, 388, 466], [382, 381, 380, 374, 373, 390, 249]),
    ]
}
