internal import MienCore
internal import MienFace

/// A photo in the making: a background, specimens on it, light, blur, and noise.
struct Painter {
    let width, height: Int
    var pixels: [SIMD3<Float>]

    /// Begins with a background: a plain table, wood, cloth, or sheets of paper with text.
    init(width: Int, height: Int, _ random: inout SeededGenerator) {
        (self.width, self.height) = (width, height)
        let base = SIMD3<Float>((0..<3).map { _ in .random(in: 25...185, using: &random) })
        pixels = [SIMD3<Float>](repeating: base, count: width * height)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: break
        case 1: addWood(&random)
        case 2: addCloth(&random)
        default: addClutter(&random)
        }
        // Uneven light.
        let slope = SIMD2<Float>(
            .random(in: -0.25...0.25, using: &random), .random(in: -0.25...0.25, using: &random))
        for y in 0..<height {
            for x in 0..<width {
                let light =
                    1 + slope.x * (Float(x) / Float(width) - 0.5)
                    + slope.y * (Float(y) / Float(height) - 0.5)
                pixels[y * width + x] *= light
            }
        }
    }

    /// Long grains, darker and lighter.
    private mutating func addWood(_ random: inout SeededGenerator) {
        let bend = Float.random(in: 0.001...0.006, using: &random)
        let grains = (0..<600).map { _ in Float.random(in: -26...12, using: &random) }
        for y in 0..<height {
            for x in 0..<width {
                let at = (Float(y) + 18 * Wave.sine(Float(x) * bend * 0.2)) * 0.16
                let k = Int(at), t = at - Float(k)
                let grain = grains[abs(k) % 600] * (1 - t) + grains[abs(k + 1) % 600] * t
                pixels[y * width + x] += SIMD3(grain, grain * 0.9, grain * 0.7)
            }
        }
    }

    /// Threads in two directions.
    private mutating func addCloth(_ random: inout SeededGenerator) {
        let a = Float.random(in: 5...16, using: &random),
            b = Float.random(in: 5...16, using: &random)
        let depth = Float.random(in: 4...16, using: &random)
        for y in 0..<height {
            for x in 0..<width {
                let value =
                    depth * (Wave.sine(Float(x) / a) + Wave.sine((Float(y) + 0.2 * Float(x)) / b))
                pixels[y * width + x] += SIMD3(repeating: value)
            }
        }
    }

    /// Rectangles and lines in any direction: papers, a keyboard, the edge of a table.
    private mutating func addClutter(_ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 2...6, using: &random) {
            let turn = Double.random(in: 0..<1, using: &random)
            let along = Point(x: Wave.cosine(turn), y: Wave.sine(turn))
            let offset = Double.random(in: 0.05...0.95, using: &random)
            let at = along.x * Double(width) * offset + along.y * Double(height) * offset
            let tint = SIMD3<Float>((0..<3).map { _ in .random(in: -45...45, using: &random) })
            // A half plane, or a stripe.
            let size = Bool.random(using: &random) ? 1e6 : Double.random(in: 3...60, using: &random)
            for y in 0..<height {
                for x in 0..<width {
                    let d = along.x * Double(x) + along.y * Double(y) - at
                    if d > 0, d < size { pixels[y * width + x] += tint }
                }
            }
        }
    }

    /// Paints a picture into a quadrilateral, with a thin shadow beside it.
    /// - Parameter corners: Of the picture's top left, top right, bottom right, and bottom left.
    mutating func paint(_ picture: RGBImage, _ corners: [Point]) {
        let w = Double(picture.width), h = Double(picture.height)
        let rectangle = [
            Point(x: 0, y: 0), Point(x: w, y: 0), Point(x: w, y: h), Point(x: 0, y: h),
        ]
        guard let back = PerspectiveMap(from: corners, to: rectangle) else { return }
        let scale = w / corners[0].distance(to: corners[1])
        let factor = max(1, Int(scale))
        let source =
            factor == 1
            ? picture
            : picture.reduced(by: factor, x: 0, y: 0, width: picture.width, height: picture.height)
        let k = 1 / Double(factor), radius = 0.03 * h
        /// Whether a point of the card is within its rounded corners.
        func contains(_ p: Point) -> Bool {
            guard p.x > 0, p.y > 0, p.x < w, p.y < h else { return false }
            let dx = max(radius - p.x, p.x - (w - radius), 0),
                dy = max(radius - p.y, p.y - (h - radius), 0)
            return dx * dx + dy * dy < radius * radius
        }
        let box = bounds(corners, margin: 8)
        for y in box.rows {
            for x in box.columns {
                var sum = SIMD3<Float>.zero, inside: Float = 0, shadow: Float = 0
                for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                    let p = back(Point(x: Double(x) + dx, y: Double(y) + dy))
                    if contains(p) {
                        sum += source.color(at: p * k)
                        inside += 0.25
                    } else if contains(back(Point(x: Double(x) + dx - 3, y: Double(y) + dy - 4))) {
                        shadow += 0.25
                    }
                }
                let i = y * width + x
                pixels[i] = pixels[i] * (1 - inside) * (1 - 0.35 * shadow) + sum * 0.25
            }
        }
    }

    /// Paints a copy of a document, with what is around it.
    /// - Parameter corners: Of the document.
    mutating func paint(_ copy: CopiedSurface, _ corners: [Point]) {
        let w = copy.size.x, h = copy.size.y, m = copy.margin
        func rectangle(_ m: Double) -> [Point] {
            [
                Point(x: -m, y: -m), Point(x: w + m, y: -m), Point(x: w + m, y: h + m),
                Point(x: -m, y: h + m),
            ]
        }
        guard let back = PerspectiveMap(from: corners, to: rectangle(0)),
            let there = PerspectiveMap(from: rectangle(0), to: corners)
        else { return }
        let reach = w / corners[0].distance(to: corners[1]) / 3
        let box = bounds(rectangle(m).map { there($0) }, margin: 2)
        let third = 1.0 / 3
        for y in box.rows {
            for x in box.columns {
                var sum = SIMD3<Float>.zero, inside: Float = 0
                for row in 0..<3 {
                    for column in 0..<3 {
                        let p = back(
                            Point(
                                x: Double(x) + third * (Double(column) + 0.5),
                                y: Double(y) + third * (Double(row) + 0.5)))
                        guard p.x > -m, p.y > -m, p.x < w + m, p.y < h + m else { continue }
                        sum += copy.color(at: p, reach: reach)
                        inside += 1
                    }
                }
                guard inside > 0 else { continue }
                var color = sum / inside
                if copy.isScreen {
                    for c in 0..<3 { color[c] = 6 + 255 * Wave.power(min(color[c], 1.2), 1 / 2.2) }
                }
                let i = y * width + x
                pixels[i] = (pixels[i] * (9 - inside) + color * inside) / 9
            }
        }
    }

    func bounds(_ points: [Point], margin: Double) -> (
        columns: Range<Int>, rows: Range<Int>
    ) {
        func range(_ values: [Double], _ limit: Int) -> Range<Int> {
            let low = max(0, Int((values.min() ?? 0) - margin)),
                high = min(limit, Int((values.max() ?? 0) + margin))
            return low..<max(low, high)
        }
        return (range(points.map(\.x), width), range(points.map(\.y), height))
    }

    /// A lamp's reflection: an ellipse that is white in its middle.
    mutating func addGlare(on corners: [Point], _ random: inout SeededGenerator) {
        let u = Double.random(in: 0.25...0.75, using: &random),
            v = Double.random(in: 0.25...0.75, using: &random)
        let top = corners[0] + (corners[1] - corners[0]) * u
        let bottom = corners[3] + (corners[2] - corners[3]) * u
        let center = top + (bottom - top) * v
        let size = corners[0].distance(to: corners[1]) * .random(in: 0.11...0.2, using: &random)
        let stretch = Double.random(in: 0.6...1, using: &random)
        for y in 0..<height {
            for x in 0..<width {
                let dx = (Double(x) - center.x) / size,
                    dy = (Double(y) - center.y) / (size * stretch)
                let strength = Wave.exponential(-Float(dx * dx + dy * dy) * 1.6) * 520
                if strength > 1 { pixels[y * width + x] += SIMD3(repeating: strength) }
            }
        }
    }

    /// - Parameters:
    ///   - brightness: A factor.
    ///   - blur: The deviation in pixels.
    ///   - noise: The deviation of the brightness.
    mutating func finish(
        brightness: Double, blur: Double, noise: Double, _ random: inout SeededGenerator
    ) {
        let radius = max(1, Int((blur * 3).rounded(.up)))
        var kernel = (-radius...radius).map {
            Wave.exponential(-Float($0 * $0) / Float(2 * blur * blur))
        }
        let sum = kernel.reduce(0, +)
        kernel = kernel.map { $0 / sum }
        pixels = blurred(kernel, along: 1, count: width, lines: height, step: width)
        pixels = blurred(kernel, along: width, count: height, lines: width, step: 1)
        for i in pixels.indices {
            let n = Float(random.normal() * noise), m = Float(random.normal() * noise * 0.5)
            pixels[i] = pixels[i] * Float(brightness) + SIMD3(n + m, n, n - m)
        }
    }

    private func blurred(
        _ kernel: [Float], along stride: Int, count: Int, lines: Int, step: Int
    ) -> [SIMD3<Float>] {
        let radius = kernel.count / 2
        var out = pixels
        for line in 0..<lines {
            let start = line * step
            for i in 0..<count {
                var sum = SIMD3<Float>.zero
                for k in -radius...radius {
                    sum +=
                        pixels[start + min(max(i + k, 0), count - 1) * stride] * kernel[k + radius]
                }
                out[start + i * stride] = sum
            }
        }
        return out
    }

    var image: RGBImage {
        var bytes = [UInt8](repeating: 0, count: 3 * width * height)
        for (i, color) in pixels.enumerated() {
            for c in 0..<3 { bytes[3 * i + c] = UInt8(max(0, min(255, color[c] + 0.5))) }
        }
        // One byte for each color of each pixel.
        return try! RGBImage(width: width, height: height, pixels: bytes)
    }
}
