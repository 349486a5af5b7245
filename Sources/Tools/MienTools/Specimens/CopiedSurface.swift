internal import MienCore
internal import MienFace

/// The surface of a copied document, seen from near: toner, ink, or the pixels of a screen.
///
/// Positions are in millimeters of the original.
struct CopiedSurface {
    let size: Point
    /// The width of the paper, or of the screen, that is seen around the document.
    let margin: Double
    /// Whether colors are amounts of light, 0…1, instead of 0…255.
    let isScreen: Bool

    private let picture: RGBImage
    /// Pixels of ``picture`` in a millimeter.
    private let resolution: Double
    private let kind: SpecimenCopy
    private let paper: SIMD3<Float>
    private let style: Int
    /// Dots in a millimeter.
    private let frequency: Double
    private let seed: UInt64
    private let contrast, lift, toner: Float
    private let screen: Screen

    private struct Screen {
        /// Millimeters of the original for each pixel.
        var pitch: Double
        /// The lit share of a pixel's third, and of its height.
        var columns, rows: Double
        var back: Float
        var gain: Float
        var band: Float
        var bandLength, bandPhase: Double
    }

    init(
        _ kind: SpecimenCopy, _ original: RGBImage, width: Double,
        _ random: inout SeededGenerator
    ) {
        func within(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        let blur = within(1.2...2.2)
        // The scanner, or the screen, resolves less than the print.
        picture = original.resized(
            width: Int(Double(original.width) / blur), height: Int(Double(original.height) / blur))
        resolution = Double(picture.width) / width
        size = Point(x: width, y: Double(picture.height) / resolution)
        (self.kind, isScreen) = (kind, kind == .screen)
        margin =
            kind == .photocopy || kind == .screen
            ? within(8...30) : within(0...1) < 0.5 ? 0 : within(5...30)
        let white = Float(within(226...248))
        paper = SIMD3(white + Float(within(-4...4)), white, white + Float(within(-4...4)))
        style = Int.random(in: 0..<3, using: &random)
        frequency =
            kind == .photocopy
            ? within(85...133) / 25.4
            : kind == .halftone ? within(120...175) / 25.4 : (style == 0 ? 300 : 600) / 25.4
        seed = random.next()
        contrast = Float(within(1.1...1.7))
        (lift, toner) = (Float(within(0...30)), Float(within(25...50)))
        let range = [0.045...0.065, 0.09...0.12, 0.15...0.18, 0.23...0.28].randomElement(
            using: &random)!
        let pixel = within(range)
        screen = Screen(
            pitch: pixel / within(pixel < 0.07 ? 1...1.2 : 1...2.2), columns: within(0.7...0.92),
            rows: within(0.8...0.95),
            back: [0, 40, 255].randomElement(using: &random)!,
            gain: Float(within(0.8...1.05)), band: Float(within(0...0.05)),
            bandLength: within(10...40), bandPhase: within(0...1))
    }

    /// The color at a place, averaged over a square with sides of `reach`.
    func color(at p: Point, reach: Double) -> SIMD3<Float> {
        let isInside = p.x >= 0 && p.y >= 0 && p.x <= size.x && p.y <= size.y
        switch kind {
        case .screen: return light(p, reach, isInside)
        case .photocopy:
            guard isInside else { return paper }
            let color = picture.color(at: p * resolution)
            let gray = 0.3 * color.x + 0.59 * color.y + 0.11 * color.z
            let copied = min(max((gray - 128) * contrast + 128 + lift, 0), 255)
            var ink = 1 - copied / 255
            if style == 0 { ink = dots(ink, p, reach, turn: 0.125) }
            if style == 1 { ink = ink > noise(p, 23.6, 0) ? 1 : 0 }
            return paper * (1 - ink) + SIMD3(repeating: toner) * ink
        case .halftone, .inkjet:
            guard isInside else { return paper }
            return printed(picture.color(at: p * resolution) / 255, p, reach) * paper
        }
    }

    private static let inks: [SIMD3<Float>] = [
        SIMD3(0.12, 0.63, 0.82), SIMD3(0.78, 0.16, 0.47), SIMD3(0.96, 0.88, 0.16),
        SIMD3(0.14, 0.14, 0.15),
    ]
    /// The directions of the halftones, in full turns.
    private static let turns = [15.0 / 360, 75.0 / 360, 0, 0.125]

    private func printed(_ color: SIMD3<Float>, _ p: Point, _ reach: Double) -> SIMD3<Float> {
        let bright = min(max(color.x, max(color.y, color.z)), 1)
        let black = max(1 - bright - 0.15, 0)
        var out = SIMD3<Float>(repeating: 1)
        for k in 0..<4 {
            let amount = k == 3 ? black : min(max(1 - color[k] - black, 0), 1)
            let ink =
                kind == .halftone
                ? dots(amount, p, reach, turn: Self.turns[k])
                : amount > noise(p, frequency, UInt64(k)) ? 1 : 0
            out *= SIMD3(repeating: 1 - ink) + Self.inks[k] * ink
        }
        return out
    }

    /// The share of a square that dots of a halftone cover.
    private func dots(_ amount: Float, _ p: Point, _ reach: Double, turn: Double) -> Float {
        let co = Wave.cosine(turn), si = Wave.sine(turn)
        let x = (p.x * co + p.y * si) * frequency, y = (p.y * co - p.x * si) * frequency
        let limit = 0.5 + 0.25 * Float(Wave.cosine(x) + Wave.cosine(y))
        let width = Float(max(1.6 * frequency * reach, 0.05))
        return min(max((amount - limit) / width + 0.5, 0), 1)
    }

    /// 0..<1, the same within each cell of a grid.
    private func noise(_ p: Point, _ cells: Double, _ layer: UInt64) -> Float {
        var x = seed &+ layer &* 0x9E37_79B9_7F4A_7C15
        x ^= UInt64(bitPattern: Int64(p.x * cells)) &* 0xBF58_476D_1CE4_E5B9
        x ^= UInt64(bitPattern: Int64(p.y * cells)) &* 0x94D0_49BB_1331_11EB
        x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
        x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
        return Float((x ^ (x >> 31)) >> 40) / Float(1 << 24)
    }

    /// The light of a screen whose pixels are red, green, and blue stripes.
    private func light(_ p: Point, _ reach: Double, _ isInside: Bool) -> SIMD3<Float> {
        let u = p.x / screen.pitch, v = p.y / screen.pitch, r = reach / screen.pitch
        let place = Point(
            x: (u.rounded(.down) + 0.5) * screen.pitch, y: (v.rounded(.down) + 0.5) * screen.pitch)
        let color =
            isInside ? picture.color(at: place * resolution) : SIMD3(repeating: screen.back)
        let row = Self.lit(v, r, screen.rows)
        let band =
            1 + screen.band * Float(Wave.sine(p.y / screen.bandLength + screen.bandPhase))
        var out = SIMD3<Float>()
        for c in 0..<3 {
            let column = Self.lit(u - Double(c) / 3, r, screen.columns / 3)
            out[c] = Wave.power(color[c] / 255, 2.2) * Float(3 * row * column) * band * screen.gain
        }
        return out
    }

    /// The share of a length around a position that is lit, if the beginning of each unit is.
    private static func lit(_ position: Double, _ reach: Double, _ share: Double) -> Double {
        func sum(_ t: Double) -> Double {
            let whole = t.rounded(.down)
            return whole * share + min(t - whole, share)
        }
        let half = max(reach, 1e-3) / 2
        return (sum(position + half) - sum(position - half)) / (2 * half)
    }
}
