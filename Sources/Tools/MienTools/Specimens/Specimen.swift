public import MienCore
public import MienDocument
public import MienFace

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
        /// The front of an American or Canadian driver license.
        case license
        /// Its back, with a PDF417 symbol.
        case licenseBack = "license_back"
        /// The front of an identity card, with printed text only.
        case td1Front = "td1_front"
        /// A visa of the size of a passport's page.
        case visaA = "visa_a"
        /// A smaller visa.
        case visaB = "visa_b"
        /// France's identity card of 1994–2021.
        case frenchCard = "french_card"

        /// Millimeters.
        var size: (width: Double, height: Double) {
            switch self {
            case .td1, .td1Front, .license, .licenseBack: (85.6, 54)
            case .td2, .visaB, .frenchCard: (105, 74)
            case .td3: (125, 88)
            case .visaA: (120, 80)
            }
        }

        /// The format of its machine-readable zone.
        public var zoneFormat: MRZFormat? {
            switch self {
            case .td1: .td1
            case .td2: .td2
            case .td3: .td3
            case .visaA: .visaA
            case .visaB: .visaB
            case .frenchCard: .frenchCard
            case .license, .licenseBack, .td1Front: nil
            }
        }

        public var isLicense: Bool { self == .license || self == .licenseBack }

        public var hasPortrait: Bool { self != .td1 && self != .licenseBack }
    }

    /// Pixels per millimeter, 300 to the inch.
    static let resolution = 300 / 25.4

    public let kind: Kind
    /// With a number by the issuer's rules.
    public internal(set) var person: SpecimenPerson
    public let issuer: SpecimenIssuer
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
    ///     as `D<<`. The document has the person's number.
    ///   - authority: An issuer whose rules the numbers follow, instead of `issuer`; for licenses, by
    ///     default, Florida.
    ///   - altered: Changes the lines of the zone before they are drawn.
    public init(
        _ kind: Kind, _ person: SpecimenPerson, portrait: RGBImage? = nil, hasGhost: Bool = false,
        issuer: String = "UTO", by authority: SpecimenIssuer? = nil,
        altered: (([String]) -> [String])? = nil, _ random: inout SeededGenerator
    ) {
        precondition(issuer.utf8.count == 3, "an issuer has three characters")
        (self.kind, self.person) = (kind, person)
        self.issuer =
            authority ?? (kind.isLicense ? .florida : SpecimenIssuer(state: issuer))
        self.hasGhost = hasGhost && portrait != nil
        image = Self.paper(kind, &random)
        drawPortrait(portrait, &random)
        setNumbers(byRules: authority != nil, &random)
        if let altered, let lines = zone { zone = altered(lines) }
        switch kind {
        case .td1: drawTD1()
        case .td1Front: drawTD1Front()
        case .td2, .td3: drawPage()
        case .visaA, .visaB: drawVisa()
        case .frenchCard: drawFrenchCard()
        case .license: drawLicense()
        case .licenseBack: drawLicenseBack()
        }
    }

    /// The text of a specimen without its picture, which takes much longer.
    public static func text(
        _ kind: Kind, _ person: SpecimenPerson, issuer: SpecimenIssuer,
        _ random: inout SeededGenerator
    ) -> (zone: [String]?, barcode: [UInt8]?) {
        var blank = Specimen(kind, person, issuer)
        blank.setNumbers(byRules: true, &random)
        return (blank.zone, blank.barcode)
    }

    private init(_ kind: Kind, _ person: SpecimenPerson, _ issuer: SpecimenIssuer) {
        (self.kind, self.person, self.issuer, hasGhost) = (kind, person, issuer, false)
        image = RGBImage(width: 1, height: 1, filledWith: .white)
    }

    private mutating func setNumbers(byRules: Bool, _ random: inout SeededGenerator) {
        if kind.isLicense {
            // Both sides of a card have the number of the person.
            if !issuer.accepts(cardNumber: person.number), let number = issuer.number(nil, &random)
            {
                person.number = number
            }
            if kind == .licenseBack { barcode = cardText() }
        } else if kind == .frenchCard {
            setFrenchNumber(&random)
        } else if let format = kind.zoneFormat {
            if byRules { setZone(format, &random) } else { zone = zoneLines(format) }
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

    /// The document's width in millimeters.
    public var width: Double { kind.size.width }

    /// Where the portrait is, in pixels.
    public var portraitArea: Rectangle? {
        let mm = Self.resolution
        return switch kind {
        case .td2, .visaB, .frenchCard:
            Rectangle(x: 5 * mm, y: 14 * mm, width: 25 * mm, height: 32 * mm)
        case .td3: Rectangle(x: 5 * mm, y: 14 * mm, width: 35 * mm, height: 45 * mm)
        case .visaA: Rectangle(x: 5 * mm, y: 14 * mm, width: 30 * mm, height: 39 * mm)
        case .license, .td1Front:
            Rectangle(x: 4 * mm, y: 13 * mm, width: 24 * mm, height: 31 * mm)
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
