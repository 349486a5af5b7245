import Foundation
import MienCore
import MienFace
import MienMedia

/// A synthetic photo of a published specimen: turned, in perspective, or small, with uneven light,
/// blur, noise, and JPEG artifacts.
struct ZonePhoto {
    enum Style: String, CaseIterable {
        /// At any angle.
        case turned
        /// In perspective, near a quarter turn.
        case perspective
        /// Small, near a quarter turn.
        case small
    }

    static let width = 1600, height = 1200
    let image: RGBImage

    init(_ style: Style, of document: RGBImage, _ random: inout SeededGenerator) {
        let w = Double(document.width), h = Double(document.height)
        let quarter = Double([0, 90, 180, 270].randomElement(using: &random) ?? 0)
        let degrees: Double, jitter: Double, fill: Double
        switch style {
        case .turned:
            (degrees, jitter) = (.random(in: 0..<360, using: &random), 0)
            fill = .random(in: 0.6...0.9, using: &random)
        case .perspective:
            (degrees, jitter) = (quarter + 6 * random.normal(), 0.05)
            fill = .random(in: 0.55...0.95, using: &random)
        case .small:
            (degrees, jitter) = (quarter + 3 * random.normal(), 0.02)
            fill = .random(in: 0.35...0.8, using: &random)
        }
        let angle = degrees * .pi / 180, co = cos(angle), si = sin(angle)
        let boxWidth = w * abs(co) + h * abs(si), boxHeight = w * abs(si) + h * abs(co)
        let scale =
            fill * min(Double(Self.width) / boxWidth, Double(Self.height) / boxHeight)
        let middle = Point(
            x: Double(Self.width) / 2
                + 0.4 * .random(in: -1...1, using: &random)
                * (Double(Self.width) - boxWidth * scale),
            y: Double(Self.height) / 2
                + 0.4 * .random(in: -1...1, using: &random)
                * (Double(Self.height) - boxHeight * scale))
        let reach = jitter * w * scale
        let rectangle = [
            Point(x: 0, y: 0), Point(x: w, y: 0), Point(x: w, y: h), Point(x: 0, y: h),
        ]
        let corners = rectangle.map { corner in
            let p = (corner - Point(x: w / 2, y: h / 2)) * scale
            return middle + Point(x: p.x * co - p.y * si, y: p.x * si + p.y * co)
                + Point(
                    x: .random(in: -reach...reach, using: &random),
                    y: .random(in: -reach...reach, using: &random))
        }
        image = Self.photo(of: document, at: corners, rectangle, scale, &random)
    }

    private static func photo(
        of document: RGBImage, at corners: [Point], _ rectangle: [Point], _ scale: Double,
        _ random: inout SeededGenerator
    ) -> RGBImage {
        // Larger pictures are averaged before they are sampled.
        let factor = max(1, Int(1 / scale))
        let source =
            factor == 1
            ? document
            : document.reduced(
                by: factor, x: 0, y: 0, width: document.width, height: document.height)
        let spots = (0..<12 * 16).map { _ in random.normal() * 20 }
        let base = Double.random(in: 40...190, using: &random)
        let slope = Double.random(in: 0...0.3, using: &random)
        let direction = Double.random(in: 0..<2 * .pi, using: &random)
        var pixels = [Float](repeating: 0, count: width * height)
        // Every four corners here are those of a quadrilateral.
        let back = PerspectiveMap(from: corners, to: rectangle)!
        let inner = rectangle[2], k = 1 / Double(factor)
        for y in 0..<height {
            for x in 0..<width {
                let u = 15 * Double(x) / Double(width), v = 11 * Double(y) / Double(height)
                let column = Int(u), row = Int(v), fu = u - Double(column), fv = v - Double(row)
                let top = spots[row * 16 + column] * (1 - fu) + spots[row * 16 + column + 1] * fu
                let bottom =
                    spots[(row + 1) * 16 + column] * (1 - fu) + spots[(row + 1) * 16 + column + 1]
                    * fu
                let table = Float(base + top * (1 - fv) + bottom * fv)
                var sum: Float = 0
                for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                    let p = back(Point(x: Double(x) + dx, y: Double(y) + dy))
                    if p.x >= 0, p.y >= 0, p.x <= inner.x, p.y <= inner.y {
                        let color = source.color(at: p * k)
                        sum += 0.299 * color.x + 0.587 * color.y + 0.114 * color.z
                    } else {
                        sum += table
                    }
                }
                let light =
                    1 + slope
                    * ((Double(x) / Double(width) - 0.5) * cos(direction)
                        + (Double(y) / Double(height) - 0.5) * sin(direction))
                pixels[y * width + x] = sum / 4 * Float(light)
            }
        }
        pixels = blurred(pixels, deviation: .random(in: 0.3...1.6, using: &random))
        let noise = Double.random(in: 0...8, using: &random)
        var bytes = [UInt8](repeating: 0, count: 3 * width * height)
        for i in pixels.indices {
            let value = UInt8(max(0, min(255, pixels[i] + Float(noise * random.normal()) + 0.5)))
            for c in 0..<3 { bytes[3 * i + c] = value }
        }
        let photo = try! RGBImage(width: width, height: height, pixels: bytes)
        let jpeg = JPEGEncoder.encode(photo, quality: Int.random(in: 35...94, using: &random))
        return (try? ImageDecoder.decode(jpeg)) ?? photo
    }

    private static func blurred(_ pixels: [Float], deviation: Double) -> [Float] {
        let radius = max(1, Int((3 * deviation).rounded(.up)))
        var kernel = (-radius...radius).map {
            Float(exp(-Double($0 * $0) / (2 * deviation * deviation)))
        }
        let sum = kernel.reduce(0, +)
        kernel = kernel.map { $0 / sum }
        var out = pixels
        for step in [1, width] {
            let count = step == 1 ? width : height
            let source = out
            for i in source.indices {
                let place = step == 1 ? i % width : i / width
                var value: Float = 0
                for k in -radius...radius {
                    let at = min(max(place + k, 0), count - 1)
                    value += source[i + (at - place) * step] * kernel[k + radius]
                }
                out[i] = value
            }
        }
        return out
    }
}
