internal import MienFace

/// A font of outlines made of straight lines: OCR-B, or a sans serif.
struct OutlineFont: Sendable {
    struct Glyph {
        /// In thousandths of the font's size.
        var advance: Double
        /// In thousandths of the font's size, y up.
        var contours: [[Point]]
    }

    static let ocrB = OutlineFont("ocrb"), sans = OutlineFont("sans")

    private let glyphs: [Character: Glyph]

    private init(_ name: String) {
        var glyphs: [Character: Glyph] = [:]
        for line in SpecimensFiles.outlines.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 3)
            guard parts.count == 4, parts[0] == name, let code = UInt32(parts[1]),
                let scalar = Unicode.Scalar(code), let advance = Double(parts[2])
            else { continue }
            let contours = parts[3].split(separator: "/").map { contour in
                contour.split(separator: " ").compactMap { point -> Point? in
                    let numbers = point.split(separator: ",").compactMap { Double($0) }
                    return numbers.count == 2 ? Point(x: numbers[0], y: numbers[1]) : nil
                }
            }
            glyphs[Character(scalar)] = Glyph(advance: advance, contours: contours)
        }
        self.glyphs = glyphs
    }

    /// The width of text in pixels. Letters that the font does not have are spaces.
    func width(of text: String, size: Double) -> Double {
        text.reduce(0) { $0 + (glyphs[$1]?.advance ?? 320) } * size / 1000
    }

    /// Draws text whose baseline begins at a point.
    /// - Parameter pitch: The distance between characters in pixels; `nil` for the font's own.
    func draw(
        _ text: String, at origin: Point, size: Double, pitch: Double? = nil, ink: RGBColor,
        on image: inout RGBImage
    ) {
        let scale = size / 1000
        var x = origin.x
        for character in text {
            if let glyph = glyphs[character] {
                let contours = glyph.contours.map { contour in
                    contour.map { Point(x: x + $0.x * scale, y: origin.y - $0.y * scale) }
                }
                Coverage(contours)?.blend(ink, on: &image)
            }
            x += pitch ?? (glyphs[character]?.advance ?? 320) * scale
        }
    }
}

/// The share of each pixel that closed contours cover, exactly.
private struct Coverage {
    private let left, top, width, height: Int
    private var areas: [Float]

    init?(_ contours: [[Point]]) {
        let points = contours.joined()
        guard let first = points.first else { return nil }
        var low = first, high = first
        for p in points {
            low = Point(x: min(low.x, p.x), y: min(low.y, p.y))
            high = Point(x: max(high.x, p.x), y: max(high.y, p.y))
        }
        left = Int(low.x.rounded(.down))
        top = Int(low.y.rounded(.down))
        width = Int(high.x.rounded(.up)) - left + 2
        height = Int(high.y.rounded(.up)) - top + 1
        areas = [Float](repeating: 0, count: width * height)
        for contour in contours {
            for (p, q) in zip(contour, contour.dropFirst() + contour.prefix(1)) { add(p, q) }
        }
    }

    /// Adds the signed area to the right of a line, as differences along the rows.
    private mutating func add(_ p: Point, _ q: Point) {
        guard p.y != q.y else { return }
        let sign: Double = p.y < q.y ? 1 : -1
        let (a, b) = p.y < q.y ? (p, q) : (q, p)
        let slope = (b.x - a.x) / (b.y - a.y)
        for row in max(0, Int(a.y) - top)..<min(height, Int(b.y.rounded(.up)) - top) {
            let y0 = max(a.y, Double(top + row)), y1 = min(b.y, Double(top + row + 1))
            guard y1 > y0 else { continue }
            let xs = [a.x + (y0 - a.y) * slope, a.x + (y1 - a.y) * slope].map { $0 - Double(left) }
            let from = min(xs[0], xs[1]), to = max(xs[0], xs[1]), amount = sign * (y1 - y0)
            let last = min(Int(to), width - 2)
            for column in Int(from)...max(Int(from), last) {
                // The part of the line over this column, and its mean distance to the right edge.
                let x0 = max(from, Double(column)), x1 = min(to, Double(column + 1))
                let share = to > from ? max(0, x1 - x0) / (to - from) : 1
                let covered = Double(column + 1) - (to > from ? (x0 + x1) / 2 : from)
                areas[row * width + column] += Float(amount * share * covered)
                areas[row * width + column + 1] += Float(amount * share * (1 - covered))
            }
        }
    }

    func blend(_ ink: RGBColor, on image: inout RGBImage) {
        for row in 0..<height {
            var sum: Float = 0
            for column in 0..<width {
                sum += areas[row * width + column]
                let x = left + column, y = top + row, share = min(abs(sum), 1)
                guard share > 0.002, x >= 0, y >= 0, x < image.width, y < image.height else {
                    continue
                }
                let old = image[x, y]
                func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 {
                    UInt8(Float(a) + (Float(b) - Float(a)) * share + 0.5)
                }
                image[x, y] = RGBColor(
                    mixed(old.red, ink.red), mixed(old.green, ink.green), mixed(old.blue, ink.blue))
            }
        }
    }
}
