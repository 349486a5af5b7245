internal import Foundation

extension Canvas {
    /// Draws a filled circle.
    public mutating func dot(
        _ center: Point, radius: Double, _ color: RGBColor, opacity: Double = 1
    ) {
        let box = Rectangle(center: center, width: 2 * radius + 2, height: 2 * radius + 2)
        fill(box, color, opacity: opacity) { radius + 0.5 - $0.distance(to: center) }
    }

    /// Draws the outline of a circle, half of its width inside and half outside `radius`.
    public mutating func circle(
        _ center: Point, radius: Double, _ color: RGBColor, width: Double = 1, opacity: Double = 1
    ) {
        let side = 2 * radius + width + 2
        fill(Rectangle(center: center, width: side, height: side), color, opacity: opacity) {
            width / 2 + 0.5 - abs($0.distance(to: center) - radius)
        }
    }

    /// Draws the outline of a rectangle, half of its width inside and half outside.
    public mutating func rectangle(
        _ r: Rectangle, _ color: RGBColor, width: Double = 1, opacity: Double = 1
    ) {
        let outer = Self.grown(r, by: width / 2), inner = Self.grown(r, by: -width / 2)
        fill(outer, color, opacity: opacity) {
            Self.share(of: $0, in: outer) - Self.share(of: $0, in: inner)
        }
    }

    /// Draws a filled rectangle. Blends pixels that it covers partly.
    public mutating func filledRectangle(_ r: Rectangle, _ color: RGBColor, opacity: Double = 1) {
        fill(r, color, opacity: opacity) { Self.share(of: $0, in: r) }
    }

    private static func grown(_ r: Rectangle, by margin: Double) -> Rectangle {
        Rectangle(
            center: r.center, width: max(0, r.width + 2 * margin),
            height: max(0, r.height + 2 * margin))
    }

    /// Returns the fraction of the pixel around `center` that lies in `r`, 0…1.
    private static func share(of center: Point, in r: Rectangle) -> Double {
        r.intersection(Rectangle(center: center, width: 1, height: 1)).area
    }
}
