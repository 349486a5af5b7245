import Foundation
import MienCore
import MienFace
import MienMedia

/// A photo as a camera sees it on a document: small, printed, laminated, and compressed.
struct PrintedPortrait {
    /// The part of the document around the portrait.
    let view: RGBImage

    /// - Parameters:
    ///   - photo: A picture of 250×250 with the face in the middle, such as LFW's.
    ///   - random: Chooses the size and how strong each degradation is.
    init(_ photo: RGBImage, _ random: inout SeededGenerator) {
        // The format of portraits, 35×45, around the face.
        let crop = photo.reduced(
            by: 1, x: photo.width * 22 / 100, y: photo.height * 12 / 100,
            width: photo.width * 56 / 100, height: photo.height * 72 / 100)
        let width = Int.random(in: 110...330, using: &random)
        var portrait = Plane(crop.resized(width: width, height: width * 9 / 7))
        if Bool.random(using: &random) { portrait.gray() }
        portrait.tone(
            contrast: .random(in: 0.6...1, using: &random),
            lift: .random(in: 0...45, using: &random))
        portrait.halftone(
            pitch: .random(in: 2.2...4.5, using: &random),
            strength: .random(in: 0.05...0.3, using: &random))
        var page = Plane(width: width * 5 / 2, height: width * 9 / 7 + width / 2, gray: 222)
        page.place(portrait, x: width / 4, y: width / 4)
        page.lines(
            spacing: .random(in: 7...18, using: &random), depth: .random(in: 4...22, using: &random)
        )
        page.reflection(
            at: .random(in: 0...1, using: &random), .random(in: 0...1, using: &random),
            strength: .random(in: 0...90, using: &random))
        page.blur(.random(in: 0.35...1.2, using: &random))
        page.noise(.random(in: 1...5, using: &random), &random)
        let jpeg = JPEGEncoder.encode(
            page.image, quality: Int.random(in: 45...90, using: &random))
        view = (try? ImageDecoder.decode(jpeg)) ?? page.image
    }
}

/// Pixels with room for values that are not bytes.
private struct Plane {
    let width, height: Int
    private var values: [SIMD3<Float>]

    init(width: Int, height: Int, gray: Float) {
        (self.width, self.height) = (width, height)
        values = [SIMD3<Float>](repeating: SIMD3(repeating: gray), count: width * height)
    }

    init(_ image: RGBImage) {
        (width, height) = (image.width, image.height)
        values = (0..<width * height).map { (i: Int) -> SIMD3<Float> in
            let red = Float(image.pixels[3 * i]), green = Float(image.pixels[3 * i + 1])
            return SIMD3(red, green, Float(image.pixels[3 * i + 2]))
        }
    }

    mutating func gray() {
        for i in values.indices {
            let weighted = values[i] * SIMD3(0.3, 0.59, 0.11)
            values[i] = SIMD3(repeating: weighted.sum())
        }
    }

    mutating func tone(contrast: Float, lift: Float) {
        let offset = SIMD3<Float>(repeating: 128 * (1 - contrast) + lift / 2)
        for i in values.indices { values[i] = values[i] * contrast + offset }
    }

    /// Dots of a printing screen at 45°.
    mutating func halftone(pitch: Float, strength: Float) {
        for y in 0..<height {
            for x in 0..<width {
                let u = Float(x + y) / pitch, v = Float(x - y) / pitch
                let screen = sinf(u * 4.44) * sinf(v * 4.44) * strength * 512
                let i = y * width + x
                let tone: SIMD3<Float> = values[i] / 255
                let rest: SIMD3<Float> = SIMD3(repeating: 1) - tone
                // Strongest in the middle tones.
                values[i] += tone * rest * screen
            }
        }
    }

    mutating func place(_ other: Plane, x left: Int, y top: Int) {
        for y in 0..<other.height {
            for x in 0..<other.width {
                values[(top + y) * width + left + x] = other.values[y * other.width + x]
            }
        }
    }

    /// Fine wavy lines over everything, as in security print.
    mutating func lines(spacing: Float, depth: Float) {
        for y in 0..<height {
            for x in 0..<width {
                let phase = (Float(y) + 6 * sinf(Float(x) / 40)) / spacing
                let distance = abs(phase - phase.rounded()) * spacing
                if distance < 1 {
                    values[y * width + x] -= SIMD3(repeating: depth * (1 - distance))
                }
            }
        }
    }

    /// Light on the laminate, brightest at a point.
    mutating func reflection(at u: Float, _ v: Float, strength: Float) {
        let cx = u * Float(width), cy = v * Float(height), size = 0.35 * Float(width)
        for y in 0..<height {
            for x in 0..<width {
                let dx = (Float(x) - cx) / size, dy = (Float(y) - cy) / size
                let light = strength * expf(-(dx * dx + dy * dy))
                values[y * width + x] += SIMD3(repeating: light)
            }
        }
    }

    mutating func blur(_ sigma: Float) {
        let radius = max(1, Int((sigma * 3).rounded(.up)))
        var kernel = (-radius...radius).map { expf(-Float($0 * $0) / (2 * sigma * sigma)) }
        let sum = kernel.reduce(0, +)
        kernel = kernel.map { $0 / sum }
        for isRow in [true, false] {
            let old = values
            for y in 0..<height {
                for x in 0..<width {
                    var total = SIMD3<Float>.zero
                    for k in -radius...radius {
                        let i =
                            isRow
                            ? y * width + min(max(x + k, 0), width - 1)
                            : min(max(y + k, 0), height - 1) * width + x
                        total += old[i] * kernel[k + radius]
                    }
                    values[y * width + x] = total
                }
            }
        }
    }

    mutating func noise(_ deviation: Double, _ random: inout SeededGenerator) {
        for i in values.indices {
            values[i] += SIMD3(repeating: Float(random.normal() * deviation))
        }
    }

    var image: RGBImage {
        var bytes = [UInt8](repeating: 0, count: 3 * width * height)
        for (i, value) in values.enumerated() {
            for c in 0..<3 { bytes[3 * i + c] = UInt8(max(0, min(255, value[c] + 0.5))) }
        }
        // One byte for each color of each pixel.
        return try! RGBImage(width: width, height: height, pixels: bytes)
    }
}
