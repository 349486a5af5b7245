internal import Foundation

extension Canvas {
    /// Draws a filled circle.
    public mutating func dot(
        _ centre: Point, radius: Double, _ colour: RGBColour, opacity: Double = 1
    ) {
        let box = Rectangle(centre: centre, width: 2 * radius + 2, height: 2 * radius + 2)
        fill(box, colour, opacity: opacity) { radius + 0.5 - $0.distance(to: centre) }
    }

    /// Draws the outline of a circle, half of its width inside and half outside `radius`.
    public mutating func circle(
        _ centre: Point, radius: Double, _ colour: RGBColour, width: Double = 1, opacity: Double = 1
    ) {
        let side = 2 * radius + width + 2
        fill(Rectangle(centre: centre, width: side, height: side), colour, opacity: opacity) {
            width / 2 + 0.5 - abs($0.distance(to: centre) - radius)
        }
    }

    /// Draws the outline of a rectangle, half of its width inside and half outside.
    public mutating func rectangle(
        _ r: Rectangle, _ colour: RGBColour, width: Double = 1, opacity: Double = 1
    ) {
        let outer = Self.grown(r, by: width / 2), inner = Self.grown(r, by: -width / 2)
        fill(outer, colour, opacity: opacity) {
            Self.share(of: $0, in: outer) - Self.share(of: $0, in: inner)
        }
    }

    /// Draws a filled rectangle. Blends pixels that it covers partly.
    public mutating func filledRectangle(_ r: Rectangle, _ colour: RGBColour, opacity: Double = 1) {
        fill(r, colour, opacity: opacity) { Self.share(of: $0, in: r) }
    }

    private static func grown(_ r: Rectangle, by margin: Double) -> Rectangle {
        Rectangle(
            centre: r.centre, width: max(0, r.width + 2 * margin),
            height: max(0, r.height + 2 * margin))
    }

    /// Returns the fraction of the pixel around `centre` that lies in `r`, 0…1.
    private static func share(of centre: Point, in r: Rectangle) -> Double {
        r.intersection(Rectangle(centre: centre, width: 1, height: 1)).area
    }
}
