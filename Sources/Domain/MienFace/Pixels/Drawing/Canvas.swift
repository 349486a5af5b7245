internal import Foundation

/// An image to draw on: antialiased lines, shapes, and small text.
///
/// Coordinates are those of ``Point``: a pixel's center lies at (column + ½, row + ½). Drawing is
/// clipped to the image.
public struct Canvas: Sendable {
    public private(set) var image: RGBImage

    public init(_ image: RGBImage) { self.image = image }

    public init(width: Int, height: Int, background: RGBColor = .white) {
        image = RGBImage(width: width, height: height, filledWith: background)
    }

    /// Blends `color` over the pixel in column `x` of row `y`.
    /// - Parameter opacity: 0 leaves the pixel unchanged; 1 replaces it.
    mutating func blend(_ x: Int, _ y: Int, _ color: RGBColor, opacity: Double) {
        guard opacity > 0, x >= 0, y >= 0, x < image.width, y < image.height else { return }
        let k = min(opacity, 1), i = 3 * (y * image.width + x)
        func mixed(_ old: UInt8, _ new: UInt8) -> UInt8 {
            UInt8((Double(old) * (1 - k) + Double(new) * k).rounded())
        }
        image.pixels[i] = mixed(image.pixels[i], color.red)
        image.pixels[i + 1] = mixed(image.pixels[i + 1], color.green)
        image.pixels[i + 2] = mixed(image.pixels[i + 2], color.blue)
    }

    /// Blends every pixel of the box around `area` with the opacity that `coverage` returns for its
    /// center, 0…1.
    mutating func fill(
        _ area: Rectangle, _ color: RGBColor, opacity: Double, coverage: (Point) -> Double
    ) {
        let finite = [area.x, area.y, area.width, area.height].allSatisfy(\.isFinite)
        guard finite, opacity > 0 else { return }
        let seen = area.intersection(image.bounds)
        guard seen.width > 0 || seen.height > 0 else { return }
        let columns =
            Int(
                seen.x.rounded(.down))..<max(
                Int((seen.x + seen.width).rounded(.up)), Int(seen.x.rounded(.down)))
        let rows =
            Int(
                seen.y.rounded(.down))..<max(
                Int((seen.y + seen.height).rounded(.up)), Int(seen.y.rounded(.down)))
        for y in rows {
            for x in columns {
                blend(
                    x, y, color,
                    opacity: opacity * coverage(Point(x: Double(x) + 0.5, y: Double(y) + 0.5)))
            }
        }
    }
}
