internal import Foundation
public import MienFace
public import MienPixels

/// What an actor shows, on a device held before the camera: a dark border, a grid of pixels, bands
/// that move. Made up; what real screens look like to real cameras differs from case to case.
public struct ShownOnScreen: LivenessActor {
    private var actor: any LivenessActor
    /// Pixels of the camera.
    private let bezel: Int, margin: Int
    private let pitch: Double
    /// Of brightness: part for the grid, levels for the bands.
    private let grid: Double, bands: Double

    /// - Parameters:
    ///   - bezel: width of the device's border; 0 for none in sight.
    ///   - pitch: distance of the screen's pixels, or of the beat between them and the camera's.
    public init(
        _ actor: some LivenessActor, bezel: Int = 14, margin: Int = 60, pitch: Double = 2.7,
        grid: Double = 0.12, bands: Double = 8
    ) {
        (self.actor, self.bezel, self.margin, self.pitch, self.grid, self.bands) = (
            actor, bezel, margin, pitch, grid, bands
        )
    }

    public mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        let picture = actor.image(asked: asked, at: time), around = bezel + margin
        let width = picture.width + 2 * around, height = picture.height + 2 * around
        var out = RGBImage(width: width, height: height, filledWith: RGBColour(150, 148, 145))
        for y in margin..<height - margin {
            let band = bands * cos(2 * .pi * (Double(y) / 60 - 3.1 * time))
            for x in margin..<width - margin {
                let px = x - around, py = y - around
                guard (0..<picture.width).contains(px), (0..<picture.height).contains(py) else {
                    out[x, y] = RGBColour(12, 12, 14)
                    continue
                }
                let wave = cos(2 * .pi * Double(x) / pitch) + cos(2 * .pi * Double(y) / pitch)
                let factor = 1 - grid * (1 - wave / 2), colour = picture[px, py]
                func seen(_ value: UInt8) -> UInt8 {
                    UInt8(max(0, min(255, Double(value) * factor + band)))
                }
                out[x, y] = RGBColour(seen(colour.red), seen(colour.green), seen(colour.blue))
            }
        }
        return out
    }
}
