public import MienCore
internal import MienDocument
public import MienPixels

/// A drawn document of an invented person, without a face: a silhouette is in the portrait's place
/// unless a portrait is given.
public struct Specimen: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// The back of an identity card, with a zone of three lines.
        case td1
        /// The front of a larger identity card, with a zone of two lines.
        case td2
        /// The data page of a passport.
        case td3
        /// The front of an American driver license.
        case license
        /// Its back, with a PDF417 symbol.
        case licenseBack = "license_back"

        /// Millimeters.
        var size: (width: Double, height: Double) {
            switch self {
            case .td1, .license, .licenseBack: (85.6, 54)
            case .td2: (105, 74)
            case .td3: (125, 88)
            }
        }

        public var hasPortrait: Bool { self == .td2 || self == .td3 || self == .license }
    }

    /// Pixels per millimeter, 300 to the inch.
    static let resolution = 300 / 25.4

    public let kind: Kind
    public let person: SpecimenPerson
    /// The issuer in the zone: three characters, with fillers.
    let issuer: String
    /// Whether a small, pale copy of the portrait is drawn as well.
    let hasGhost: Bool
    public internal(set) var image: RGBImage
    /// The lines of the machine-readable zone.
    public internal(set) var zone: [String]?
    /// The text of the PDF417 symbol.
    public internal(set) var barcode: [UInt8]?

    /// - Parameters:
    ///   - portrait: What to draw in the portrait's place.
    ///   - hasGhost: Whether a small, pale copy of the portrait is drawn as well.
    ///   - issuer: The issuer in the machine-readable zone: Utopia, or another with fillers, such
    ///     as `D<<`.
    ///   - altered: Changes the lines of the zone before they are drawn.
    public init(
        _ kind: Kind, _ person: SpecimenPerson, portrait: RGBImage? = nil, hasGhost: Bool = false,
        issuer: String = "UTO", altered: (([String]) -> [String])? = nil,
        _ random: inout SeededGenerator
    ) {
        precondition(issuer.utf8.count == 3, "an issuer has three characters")
        (self.kind, self.person, self.issuer) = (kind, person, issuer)
        self.hasGhost = hasGhost && portrait != nil
        image = Self.paper(kind, &random)
        drawPortrait(portrait, &random)
        switch kind {
        case .td1: drawTD1(altered)
        case .td2: drawPage(.td2, altered)
        case .td3: drawPage(.td3, altered)
        case .license: drawLicense(&random)
        case .licenseBack: drawLicenseBack(&random)
        }
    }

    /// Fine wavy lines in two colors on a gradient, as on security paper.
    private static func paper(_ kind: Kind, _ random: inout SeededGenerator) -> RGBImage {
        let width = Int((kind.size.width * resolution).rounded()),
            height = Int((kind.size.height * resolution).rounded())
        func tint(_ range: ClosedRange<Float>) -> SIMD3<Float> {
            SIMD3((0..<3).map { _ in Float.random(in: range, using: &random) })
        }
        let left = tint(195...240), right = tint(195...240), line = tint(-34 ... -10)
        let waves = (0..<2).map { _ in
            (
                period: Float.random(in: 60...220, using: &random),
                amplitude: Float.random(in: 5...20, using: &random),
                spacing: Float.random(in: 9...22, using: &random)
            )
        }
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        var shifts = [[Float]](repeating: [Float](repeating: 0, count: width), count: 2)
        for (k, wave) in waves.enumerated() {
            for x in 0..<width {
                shifts[k][x] = wave.amplitude * Wave.sine(Float(x) / wave.period)
            }
        }
        for y in 0..<height {
            for x in 0..<width {
                let t = Float(x) / Float(width)
                var color = left * (1 - t) + right * t
                for (k, wave) in waves.enumerated() {
                    let phase = (Float(y) + shifts[k][x]) / wave.spacing
                    let distance = abs(phase - phase.rounded()) * wave.spacing
                    if distance < 1.2 { color += line * (k == 0 ? 1 : 0.6) * (1.2 - distance) }
                }
                for c in 0..<3 {
                    pixels[3 * (y * width + x) + c] = UInt8(max(0, min(255, color[c])))
                }
            }
        }
        // One byte for each color of each pixel.
        return try! RGBImage(width: width, height: height, pixels: pixels)
    }

    /// Where the portrait is, in pixels.
    public var portraitArea: Rectangle? {
        let mm = Self.resolution
        return switch kind {
        case .td2: Rectangle(x: 5 * mm, y: 14 * mm, width: 25 * mm, height: 32 * mm)
        case .td3: Rectangle(x: 5 * mm, y: 14 * mm, width: 35 * mm, height: 45 * mm)
        case .license: Rectangle(x: 4 * mm, y: 13 * mm, width: 24 * mm, height: 31 * mm)
        case .td1, .licenseBack: nil
        }
    }

    private mutating func drawPortrait(_ portrait: RGBImage?, _ random: inout SeededGenerator) {
        guard let area = portraitArea else { return }
        if let portrait {
            let picture = portrait.resized(width: Int(area.width), height: Int(area.height))
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    image[x + Int(area.x), y + Int(area.y)] = picture[x, y]
                }
            }
            if hasGhost { drawGhost(picture) }
            return
        }
        let light = UInt8.random(in: 205...235, using: &random)
        let dark = UInt8.random(in: 60...110, using: &random)
        var canvas = Canvas(image)
        canvas.filledRectangle(area, RGBColor(light, light, light))
        image = canvas.image
        let head = Point(x: area.center.x, y: area.y + area.height * 0.42)
        for y in Int(area.y)..<Int(area.y + area.height) {
            for x in Int(area.x)..<Int(area.x + area.width) {
                let p = Point(x: Double(x), y: Double(y)) - head
                let inHead = (p.x / (0.26 * area.width), p.y / (0.27 * area.height))
                let shoulders = (
                    p.x / (0.44 * area.width), (p.y - 0.62 * area.height) / (0.33 * area.height)
                )
                if inHead.0 * inHead.0 + inHead.1 * inHead.1 < 1
                    || shoulders.0 * shoulders.0 + shoulders.1 * shoulders.1 < 1
                {
                    image[x, y] = RGBColor(dark, dark, dark)
                }
            }
        }
    }

    /// Draws the portrait in a third of its size near the right edge, almost as light as the paper.
    private mutating func drawGhost(_ portrait: RGBImage) {
        let ghost = portrait.resized(width: portrait.width / 3, height: portrait.height / 3)
        let left = image.width - ghost.width - Int(4 * Self.resolution)
        let top = Int(Double(image.height) * 0.48)
        for y in 0..<min(ghost.height, image.height - top) {
            for x in 0..<ghost.width {
                let paper = image[left + x, top + y], ink = ghost[x, y]
                func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 {
                    UInt8((Int(a) * 11 + Int(b) * 9) / 20)
                }
                image[left + x, top + y] = RGBColor(
                    mixed(paper.red, ink.red), mixed(paper.green, ink.green),
                    mixed(paper.blue, ink.blue))
            }
        }
    }
}
