extension DETPlot {
    /// Draws the plot.
    ///
    /// - Parameters:
    ///   - width: At least 480.
    ///   - height: At least 400.
    public func draw(width: Int = 900, height: Int = 760) -> RGBImage {
        precondition(width >= 480 && height >= 400, "the plot must be at least 480 × 400 pixels")
        let frame = Rectangle(
            x: 92, y: 64, width: Double(width) - 92 - 36, height: Double(height) - 64 - 84)
        var canvas = Canvas(width: width, height: height)
        drawGrid(on: &canvas, frame)
        for curve in curves { draw(curve, on: &canvas, frame) }
        canvas.rectangle(frame, Self.ink, width: 1.5)
        drawLegend(on: &canvas, frame)
        canvas.text(title, x: Int(frame.x), y: 16, Self.ink, scale: 2)
        canvas.text("false non-match rate, %", x: 12, y: 46, Self.ink)
        let label = "false match rate, %"
        canvas.text(
            label, x: Int(frame.x + frame.width) - Canvas.size(of: label).width,
            y: Int(frame.y + frame.height) + 30, Self.ink)
        canvas.text(
            "broken: fewer than 30 impostor pairs", x: Int(frame.x),
            y: Int(frame.y + frame.height) + 30, Self.faint)
        return canvas.image
    }

    private static let ink = RGBColor(40, 44, 52), faint = RGBColor(120, 126, 138),
        grid = RGBColor(226, 229, 235)

    private func drawGrid(on canvas: inout Canvas, _ frame: Rectangle) {
        for tick in Self.ticks {
            let x = Self.across(tick.rate, frame), y = Self.down(tick.rate, frame)
            let size = Canvas.size(of: tick.label)
            if Self.falseMatchRange.contains(tick.rate) {
                let isMinor = tick.rate == 2e-3 || tick.rate == 5e-3 || tick.rate == 2e-2
                canvas.line(
                    from: Point(x: x, y: frame.y), to: Point(x: x, y: frame.y + frame.height),
                    Self.grid)
                if !isMinor {
                    canvas.text(
                        tick.label, x: Int(x) - size.width / 2, y: Int(frame.y + frame.height) + 10,
                        Self.ink)
                }
            }
            if Self.falseNonMatchRange.contains(tick.rate) {
                canvas.line(
                    from: Point(x: frame.x, y: y), to: Point(x: frame.x + frame.width, y: y),
                    Self.grid)
                canvas.text(
                    tick.label, x: Int(frame.x) - 10 - size.width, y: Int(y) - size.height / 2,
                    Self.ink)
            }
        }
    }

    private func draw(_ curve: Curve, on canvas: inout Canvas, _ frame: Rectangle) {
        let supported = curve.points.filter {
            Double($0.falseMatches) >= VerificationEvaluation.minSupport
        }
        let weak = curve.points.filter {
            Double($0.falseMatches) < VerificationEvaluation.minSupport && $0.falseMatches > 0
        }
        canvas.polyline(
            visible(weak + supported.prefix(1)).map { Self.position(of: $0, in: frame) },
            curve.color,
            width: 2, dash: (7, 6))
        canvas.polyline(
            visible(supported).map { Self.position(of: $0, in: frame) }, curve.color, width: 2.5)
    }

    private func drawLegend(on canvas: inout Canvas, _ frame: Rectangle) {
        let widest = curves.map { Canvas.size(of: $0.name, scale: 2).width }.max() ?? 0
        let x = frame.x + frame.width - Double(widest) - 64
        let box = Rectangle(
            x: x - 12, y: frame.y + 14, width: Double(widest) + 64,
            height: Double(26 * curves.count) + 14)
        canvas.filledRectangle(box, .white, opacity: 0.9)
        canvas.rectangle(box, Self.grid)
        for (i, curve) in curves.enumerated() {
            let y = Int(frame.y) + 26 + 26 * i
            canvas.line(
                from: Point(x: x, y: Double(y) + 8), to: Point(x: x + 28, y: Double(y) + 8),
                curve.color, width: 2.5)
            canvas.text(curve.name, x: Int(x) + 40, y: y, Self.ink, scale: 2)
        }
    }

    private func visible(_ points: [ErrorRates.Point]) -> [ErrorRates.Point] {
        points.filter {
            Self.falseMatchRange.contains($0.falseMatchRate)
                && Self.falseNonMatchRange.contains(1 - $0.trueAcceptRate)
        }
    }

    private static func position(of p: ErrorRates.Point, in frame: Rectangle) -> Point {
        Point(x: across(p.falseMatchRate, frame), y: down(1 - p.trueAcceptRate, frame))
    }

    private static func across(_ rate: Double, _ frame: Rectangle) -> Double {
        frame.x + frame.width * position(rate, falseMatchRange)
    }

    private static func down(_ rate: Double, _ frame: Rectangle) -> Double {
        frame.y + frame.height * (1 - position(rate, falseNonMatchRange))
    }

    /// Returns 0 at the lower end of `range` and 1 at the upper, by normal deviates.
    private static func position(_ rate: Double, _ range: ClosedRange<Double>) -> Double {
        let low = NormalDeviate.quantile(range.lowerBound),
            high = NormalDeviate.quantile(range.upperBound)
        return (NormalDeviate.quantile(rate) - low) / (high - low)
    }
}
