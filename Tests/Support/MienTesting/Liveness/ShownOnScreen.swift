import Foundation
import MienCore
import MienFace

/// An actor shown on a device that is held in front of the camera, with a dark border, a grid of
/// pixels, and moving bands. This is synthetic; the appearance of real screens varies with the
/// camera.
public struct ShownOnScreen: LivenessActor {
    private var actor: any LivenessActor
    /// In camera pixels.
    private let bezel: Int, margin: Int
    private let pitch: Double
    /// Brightness: a fraction for the grid, levels for the bands.
    private let grid: Double, bands: Double

    /// - Parameters:
    ///   - bezel: Width of the device's border; 0 if none is visible.
    ///   - pitch: Distance between the screen's pixels, or the beat between them and the camera's.
    public init(
        _ actor: some LivenessActor, bezel: Int = 14, margin: Int = 60, pitch: Double = 2.7,
        grid: Double = 0.12, bands: Double = 8
    ) {
        (self.actor, self.bezel, self.margin, self.pitch, self.grid, self.bands) = (
            actor, bezel, margin, pitch, grid, bands
        )
    }

    /// One of many devices: with or without a visible border, near or far, coarse or fine.
    public init(_ actor: some LivenessActor, variedBy seed: UInt64) {
        var generator = SeededGenerator(seed: 0x5C4E_E200 ^ seed)
        func number(_ range: ClosedRange<Double>) -> Double {
            Double.random(in: range, using: &generator)
        }
        self.init(
            actor, bezel: Bool.random(using: &generator) ? Int(number(8...24)) : 0,
            margin: Int(number(0...110)), pitch: number(2.1...5), grid: number(0.03...0.2),
            bands: number(1...14))
    }

    public mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        let picture = actor.image(asked: asked, at: time), around = bezel + margin
        let width = picture.width + 2 * around, height = picture.height + 2 * around
        var out = RGBImage(width: width, height: height, filledWith: RGBColor(150, 148, 145))
        for y in margin..<height - margin {
            let band = bands * cos(2 * .pi * (Double(y) / 60 - 3.1 * time))
            for x in margin..<width - margin {
                let px = x - around, py = y - around
                guard (0..<picture.width).contains(px), (0..<picture.height).contains(py) else {
                    out[x, y] = RGBColor(12, 12, 14)
                    continue
                }
                let wave = cos(2 * .pi * Double(x) / pitch) + cos(2 * .pi * Double(y) / pitch)
                let factor = 1 - grid * (1 - wave / 2), color = picture[px, py]
                func seen(_ value: UInt8) -> UInt8 {
                    UInt8(max(0, min(255, Double(value) * factor + band)))
                }
                out[x, y] = RGBColor(seen(color.red), seen(color.green), seen(color.blue))
            }
        }
        return out
    }
}
