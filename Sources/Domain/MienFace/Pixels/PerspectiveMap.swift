/// A map of the plane that keeps straight lines straight:
/// (x, y) → (a·x + b·y + c, d·x + e·y + f) / (g·x + h·y + 1).
public struct PerspectiveMap: Sendable, Hashable {
    private let a, b, c, d, e, f, g, h: Double

    /// Returns the map that takes four points to four others, both in the same order around a
    /// quadrilateral.
    /// - Returns: `nil` if three points of either side lie on a line.
    /// - Precondition: Both sides have four points.
    public init?(from source: [Point], to target: [Point]) {
        precondition(source.count == 4 && target.count == 4, "a map takes four points to four")
        // Eight equations for eight coefficients, solved by elimination with pivots.
        var rows: [[Double]] = []
        for (p, q) in zip(source, target) {
            rows.append([p.x, p.y, 1, 0, 0, 0, -p.x * q.x, -p.y * q.x, q.x])
            rows.append([0, 0, 0, p.x, p.y, 1, -p.x * q.y, -p.y * q.y, q.y])
        }
        let scale = source.reduce(1) { max($0, abs($1.x), abs($1.y)) }
        for k in 0..<8 {
            let pivot = (k..<8).max { abs(rows[$0][k]) < abs(rows[$1][k]) } ?? k
            guard abs(rows[pivot][k]) > 1e-9 * scale else { return nil }
            rows.swapAt(k, pivot)
            let row = rows[k].map { $0 / rows[k][k] }
            rows[k] = row
            for i in 0..<8 where i != k && rows[i][k] != 0 {
                let factor = rows[i][k]
                for j in k..<9 { rows[i][j] -= factor * row[j] }
            }
        }
        let x = rows.map { $0[8] }
        guard x.allSatisfy(\.isFinite) else { return nil }
        (a, b, c, d, e, f, g, h) = (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
    }

    public func callAsFunction(_ p: Point) -> Point {
        let w = g * p.x + h * p.y + 1
        return Point(x: (a * p.x + b * p.y + c) / w, y: (d * p.x + e * p.y + f) / w)
    }
}

extension RGBImage {
    /// Returns a quadrilateral of the image as an upright rectangle.
    ///
    /// Interpolates linearly between pixel centers. When the rectangle is less than half as large,
    /// whole blocks are averaged first. Outside the image, its outermost pixels repeat.
    /// - Parameter corners: Top left, top right, bottom right, bottom left of the rectangle, in
    ///   pixels of this image.
    /// - Returns: `nil` if three corners lie on a line.
    /// - Precondition: There are four corners, and the sides are in ``sideRange``.
    public func rectified(_ corners: [Point], width outWidth: Int, height outHeight: Int)
        -> RGBImage?
    {
        precondition(
            Self.sideRange.contains(outWidth) && Self.sideRange.contains(outHeight),
            "sides \(outWidth)×\(outHeight) are out of range")
        let across = max(corners[0].distance(to: corners[1]), corners[3].distance(to: corners[2]))
        let factor = Int(min(across / Double(outWidth), 16, Double(min(width, height)) / 2))
        if factor >= 2 {
            let part = reduced(by: factor, x: 0, y: 0, width: width, height: height)
            return part.rectified(
                corners.map { $0 * (1 / Double(factor)) }, width: outWidth, height: outHeight)
        }
        let rectangle = [
            Point(x: 0, y: 0), Point(x: Double(outWidth), y: 0),
            Point(x: Double(outWidth), y: Double(outHeight)), Point(x: 0, y: Double(outHeight)),
        ]
        guard let back = PerspectiveMap(from: rectangle, to: corners) else { return nil }
        var out = [UInt8](repeating: 0, count: 3 * outWidth * outHeight)
        var o = 0
        for y in 0..<outHeight {
            for x in 0..<outWidth {
                let color = color(at: back(Point(x: Double(x) + 0.5, y: Double(y) + 0.5)))
                out[o] = UInt8(color.x + 0.5)
                out[o + 1] = UInt8(color.y + 0.5)
                out[o + 2] = UInt8(color.z + 0.5)
                o += 3
            }
        }
        return RGBImage(trustedWidth: outWidth, height: outHeight, pixels: out)
    }

    /// The color at a point, red, green, and blue 0…255, interpolated linearly between pixel
    /// centers. Outside the image, its outermost pixels repeat.
    public func color(at p: Point) -> SIMD3<Float> {
        // NaN compares with nothing, so it must not reach the conversion to an integer.
        let x = p.x.isNaN ? 0 : min(max(p.x - 0.5, 0), Double(width - 1))
        let y = p.y.isNaN ? 0 : min(max(p.y - 0.5, 0), Double(height - 1))
        let x0 = Int(x), y0 = Int(y), x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1)
        let fx = Float(x - Double(x0)), fy = Float(y - Double(y0))
        func pixel(_ x: Int, _ y: Int) -> SIMD3<Float> {
            let i = 3 * (y * width + x)
            return SIMD3(Float(pixels[i]), Float(pixels[i + 1]), Float(pixels[i + 2]))
        }
        let top = pixel(x0, y0) * (1 - fx) + pixel(x1, y0) * fx
        let bottom = pixel(x0, y1) * (1 - fx) + pixel(x1, y1) * fx
        return top * (1 - fy) + bottom * fy
    }
}
