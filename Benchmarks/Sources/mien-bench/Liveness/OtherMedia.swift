import Foundation
import MienCore
import MienFace
import MienMedia
import MienTesting

/// A second camera's pictures of what an actor shows: another gamma, a softer lens, noise, and JPEG.
struct Rephotographed: LivenessActor {
    private var actor: any LivenessActor
    private let gamma: [UInt8], scale: Double, quality: Int, noise: Double
    private var generator: SeededGenerator

    init(_ actor: some LivenessActor, variedBy seed: UInt64) {
        var generator = SeededGenerator(seed: 0x7A4E ^ seed)
        self.actor = actor
        let exponent = 0.7 + 0.7 * generator.uniform()
        gamma = (0..<256).map { UInt8(255 * pow(Double($0) / 255, exponent)) }
        scale = 0.6 + 0.35 * generator.uniform()
        quality = 40 + Int(50 * generator.uniform())
        noise = 1 + 2 * generator.uniform()
        self.generator = generator
    }

    mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        let image = actor.image(asked: asked, at: time)
        let small = image.resized(
            width: Int(Double(image.width) * scale), height: Int(Double(image.height) * scale))
        let toned = try! RGBImage(
            width: small.width, height: small.height, pixels: small.pixels.map { gamma[Int($0)] })
        let large = toned.enlarged(toWidth: image.width, height: image.height).withCameraNoise(
            noise, using: &generator)
        return try! ImageDecoder.decode(JPEGEncoder.encode(large, quality: quality))
    }
}

/// A printed mask over a head: a halftone, pale colors, and a mouth that does not open.
struct PrintedMask: LivenessActor {
    private var actor: any LivenessActor
    private let pitch: Double, depth: Double

    init(_ actor: some LivenessActor, variedBy seed: UInt64) {
        var generator = SeededGenerator(seed: 0x3A5C ^ seed)
        self.actor = actor
        pitch = 2 + 2 * generator.uniform()
        depth = 0.04 + 0.12 * generator.uniform()
    }

    mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        var image = actor.image(asked: asked == .openMouth ? nil : asked, at: time)
        let step = 2 * Double.pi / pitch / 2.0.squareRoot()
        for y in 0..<image.height {
            for x in 0..<image.width {
                let wave = cos(step * Double(x + y)) + cos(step * Double(x - y))
                let dot = 1 - depth * (0.5 + 0.25 * wave), color = image[x, y]
                func printed(_ value: UInt8) -> UInt8 {
                    UInt8(max(0, min(255, (40 + 0.75 * Double(value)) * dot)))
                }
                image[x, y] = RGBColor(
                    printed(color.red), printed(color.green), printed(color.blue))
            }
        }
        return image
    }
}

/// An actor in pictures of more lines, with the noise of a camera.
struct Enlarged: LivenessActor {
    private var actor: any LivenessActor
    private let lines: Int
    private var generator: SeededGenerator

    init(_ actor: some LivenessActor, lines: Int, seed: UInt64) {
        (self.actor, self.lines) = (actor, lines)
        generator = SeededGenerator(seed: seed)
    }

    mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        let image = actor.image(asked: asked, at: time)
        return image.enlarged(toWidth: image.width * lines / image.height, height: lines)
            .withCameraNoise(1.5, using: &generator)
    }
}

extension RGBImage {
    fileprivate func enlarged(toWidth newWidth: Int, height newHeight: Int) -> RGBImage {
        let x = Double(width) / Double(newWidth), y = Double(height) / Double(newHeight)
        return remapped(width: newWidth, height: newHeight) { Point(x: $0.x * x, y: $0.y * y) }
    }
}
