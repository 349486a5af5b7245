public import MienCore
public import MienFace
internal import MienMedia

/// A drawn photo of specimens that lie on something.
public struct SpecimenScene: Sendable {
    /// The content of a photo, or its fault.
    public enum Subject: String, Sendable, CaseIterable {
        /// A card or page that can be read.
        case good
        /// Only the background.
        case nothing
        case several
        /// One or two corners are outside of the photo.
        case cut
        case small
        case blurred
        case dark
        case glare
    }

    public let subject: Subject
    public let image: RGBImage
    /// The corners of the specimen in pixels, those of its text's top left, top right, bottom
    /// right, and bottom left; `nil` without one.
    public let corners: [Point]?

    /// A photo of a copy of a document.
    /// - Parameters:
    ///   - document: A picture of all of the document.
    ///   - millimeters: The document's width.
    public init(
        _ copy: SpecimenCopy, of document: RGBImage, millimeters: Double, width: Int = 1600,
        height: Int = 1200, _ random: inout SeededGenerator
    ) {
        subject = .good
        var scene = Painter(width: width, height: height, &random)
        let surface = CopiedSurface(copy, document, width: millimeters, &random)
        let placed = Self.place(document, width, height, &random)
        scene.paint(surface, placed)
        (image, corners) = (Self.photo(&scene, .good, &random), placed)
    }

    /// A photo of a document itself, as ``init(_:of:millimeters:width:height:_:)`` takes it of a
    /// copy.
    public init(
        of document: RGBImage, width: Int = 1600, height: Int = 1200,
        _ random: inout SeededGenerator
    ) {
        subject = .good
        var scene = Painter(width: width, height: height, &random)
        let placed = Self.place(document, width, height, &random)
        scene.paint(document, placed)
        (image, corners) = (Self.photo(&scene, .good, &random), placed)
    }

    /// A place for a document in the middle of the photo, at any of the usual angles.
    private static func place(
        _ document: RGBImage, _ width: Int, _ height: Int, _ random: inout SeededGenerator
    ) -> [Point] {
        let placement = Placement(
            document, fill: .random(in: 0.55...0.85, using: &random), at: Point(x: 0.5, y: 0.5),
            degrees: Double([0, 0, 0, 90, 180, 270].randomElement(using: &random) ?? 0)
                + .random(in: -25...25, using: &random))
        return inside(placement.corners(width, height, &random), width, height)
    }

    public init(
        _ subject: Subject, _ specimen: Specimen, width: Int = 1600, height: Int = 1200,
        _ random: inout SeededGenerator
    ) {
        self.subject = subject
        var scene = Painter(width: width, height: height, &random)
        var placed: [Point]?
        switch subject {
        case .nothing: break
        case .several:
            for side in [0.25, 0.75] {
                let corners = Placement(
                    specimen.image, fill: .random(in: 0.36...0.42, using: &random),
                    at: Point(x: side, y: .random(in: 0.4...0.6, using: &random)),
                    degrees: 90 + .random(in: -8...8, using: &random)
                ).corners(width, height, &random)
                scene.paint(specimen.image, corners)
                placed = placed ?? corners
            }
        default:
            let fill: ClosedRange<Double> = subject == .small ? 0.10...0.16 : 0.55...0.85
            let shift =
                subject == .cut ? 0.5 : 0.5 + Double.random(in: -0.03...0.03, using: &random)
            let placement = Placement(
                specimen.image, fill: .random(in: fill, using: &random),
                at: Point(x: shift, y: 0.5),
                degrees: Double([0, 0, 0, 90, 180, 270].randomElement(using: &random) ?? 0)
                    + .random(in: -25...25, using: &random))
            var corners = placement.corners(width, height, &random)
            if subject == .cut {
                // Beyond the nearest side by a tenth to a quarter of the specimen's width.
                let reach =
                    corners[0].distance(to: corners[1]) * .random(in: 0.12...0.25, using: &random)
                let right = corners.map(\.x).max() ?? 0
                corners = corners.map { Point(x: $0.x + Double(width) + reach - right, y: $0.y) }
            } else {
                corners = Self.inside(corners, width, height)
            }
            scene.paint(specimen.image, corners)
            placed = corners
        }
        if subject == .glare, let placed { scene.addGlare(on: placed, &random) }
        (image, corners) = (Self.photo(&scene, subject, &random), placed)
    }

    /// The finished photo: with light, blur, noise, and JPEG artifacts.
    private static func photo(
        _ scene: inout Painter, _ subject: Subject, _ random: inout SeededGenerator
    ) -> RGBImage {
        scene.finish(
            brightness: subject == .dark
                ? .random(in: 0.08...0.2, using: &random)
                : .random(in: 0.75...1.05, using: &random),
            blur: subject == .blurred
                ? .random(in: 4...7, using: &random) : .random(in: 0.3...0.9, using: &random),
            noise: .random(in: 1...4, using: &random), &random)
        let jpeg = JPEGEncoder.encode(
            scene.image, quality: Int.random(in: 55...92, using: &random))
        return (try? ImageDecoder.decode(jpeg)) ?? scene.image
    }
}

extension SpecimenScene {
    /// The corners moved so that all of them are in the photo.
    private static func inside(_ corners: [Point], _ width: Int, _ height: Int) -> [Point] {
        func shift(_ values: [Double], _ limit: Int) -> Double {
            let low = values.min() ?? 0, high = values.max() ?? 0, margin = 6.0
            let end = Double(limit) - margin
            return low < margin ? margin - low : high > end ? max(end - high, margin - low) : 0
        }
        let dx = shift(corners.map(\.x), width), dy = shift(corners.map(\.y), height)
        return corners.map { Point(x: $0.x + dx, y: $0.y + dy) }
    }
}

/// Where a specimen lies.
private struct Placement {
    /// The share of the photo's shorter side, in the direction of the specimen's longer side.
    var fill: Double
    /// In shares of the photo.
    var center: Point
    var degrees: Double
    let aspect: Double

    init(_ document: RGBImage, fill: Double, at center: Point, degrees: Double) {
        (self.fill, self.center, self.degrees) = (fill, center, degrees)
        aspect = Double(document.width) / Double(document.height)
    }

    /// The corners, moved by up to 4 % of the width each, as perspective does.
    func corners(_ width: Int, _ height: Int, _ random: inout SeededGenerator) -> [Point] {
        let turn = degrees / 360, co = Wave.cosine(turn), si = Wave.sine(turn)
        // The largest card that the photo holds at this angle.
        let boxWidth = abs(co) * aspect + abs(si), boxHeight = abs(si) * aspect + abs(co)
        let limit = min(Double(width) / boxWidth, Double(height) / boxHeight) * 0.94
        let h = limit * fill / 0.85 * 0.98, w = h * aspect
        let middle = Point(x: center.x * Double(width), y: center.y * Double(height))
        return [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map { x, y in
            let jitter = Point(
                x: .random(in: -0.03...0.03, using: &random),
                y: .random(in: -0.03...0.03, using: &random))
            let p = Point(x: (x + jitter.x) * w, y: (y + jitter.y) * h)
            return middle + Point(x: p.x * co - p.y * si, y: p.x * si + p.y * co)
        }
    }
}
