internal import Foundation

extension Canvas {
    /// Draws a straight line with round ends, `width` pixels wide.
    public mutating func line(
        from a: Point, to b: Point, _ color: RGBColor, width: Double = 1, opacity: Double = 1
    ) {
        let reach = width / 2 + 1
        let box = Rectangle(
            x: min(a.x, b.x) - reach, y: min(a.y, b.y) - reach, width: abs(a.x - b.x) + 2 * reach,
            height: abs(a.y - b.y) + 2 * reach)
        fill(box, color, opacity: opacity) { p in width / 2 + 0.5 - Self.distance(p, a, b) }
    }

    /// Draws lines from point to point. `dash` gives the lengths of mark and gap in pixels,
    /// continued from one line to the next. Without it, lines are solid.
    public mutating func polyline(
        _ points: [Point], _ color: RGBColor, width: Double = 1, opacity: Double = 1,
        dash: (mark: Double, gap: Double)? = nil
    ) {
        guard let dash, dash.mark > 0, dash.gap > 0 else {
            for (a, b) in zip(points, points.dropFirst()) {
                line(from: a, to: b, color, width: width, opacity: opacity)
            }
            return
        }
        var distance = 0.0
        for (a, b) in zip(points, points.dropFirst()) {
            let length = a.distance(to: b)
            var at = 0.0
            while at < length {
                let phase = (distance + at).truncatingRemainder(dividingBy: dash.mark + dash.gap)
                let isMark = phase < dash.mark
                let end = min(
                    length,
                    at + max(isMark ? dash.mark - phase : dash.mark + dash.gap - phase, 0.01))
                if isMark {
                    line(
                        from: a + (b - a) * (at / length), to: a + (b - a) * (end / length), color,
                        width: width, opacity: opacity)
                }
                at = end
            }
            distance += length
        }
    }

    /// Draws a line with an arrowhead at `b`. The head takes up a third of the line, but at most 12
    /// line widths.
    public mutating func arrow(
        from a: Point, to b: Point, _ color: RGBColor, width: Double = 2, opacity: Double = 1
    ) {
        line(from: a, to: b, color, width: width, opacity: opacity)
        let length = a.distance(to: b)
        guard length > 0 else { return }
        let back = (a - b) * (min(length / 3, 12 * width) / length),
            side = Point(x: -back.y, y: back.x) * 0.5
        line(from: b, to: b + back + side, color, width: width, opacity: opacity)
        line(from: b, to: b + back - side, color, width: width, opacity: opacity)
    }

    private static func distance(_ p: Point, _ a: Point, _ b: Point) -> Double {
        let along = b - a, square = along.x * along.x + along.y * along.y
        guard square > 0 else { return p.distance(to: a) }
        let t = ((p.x - a.x) * along.x + (p.y - a.y) * along.y) / square
        return p.distance(to: a + along * min(max(t, 0), 1))
    }
}
