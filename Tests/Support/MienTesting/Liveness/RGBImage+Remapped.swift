import Foundation
import MienCore
import MienFace

extension RGBImage {
    /// Takes each pixel of the result from the position that `source` returns, with linear
    /// interpolation, or from `background` when it is outside.
    public func remapped(
        width: Int, height: Int, background: RGBColor = .black, _ source: (Point) -> Point
    ) -> RGBImage {
        var out = [UInt8](repeating: 0, count: 3 * width * height)
        let empty = (background.red, background.green, background.blue)
        unsafe pixels.withUnsafeBufferPointer { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let p = source(Point(x: Double(x) + 0.5, y: Double(y) + 0.5)),
                        o = 3 * (y * width + x)
                    let fx = p.x - 0.5, fy = p.y - 0.5
                    guard fx >= -0.5, fy >= -0.5, fx <= Double(self.width) - 0.5,
                        fy <= Double(self.height) - 0.5
                    else {
                        (out[o], out[o + 1], out[o + 2]) = empty
                        continue
                    }
                    let x0 = max(0, Int(fx)), y0 = max(0, Int(fy)),
                        x1 = min(x0 + 1, self.width - 1), y1 = min(y0 + 1, self.height - 1)
                    let wx = max(0, fx - Double(x0)), wy = max(0, fy - Double(y0))
                    let a = 3 * (y0 * self.width + x0), b = 3 * (y0 * self.width + x1)
                    let c = 3 * (y1 * self.width + x0), d = 3 * (y1 * self.width + x1)
                    for k in 0..<3 {
                        let top =
                            unsafe Double(pixels[a + k]) * (1 - wx) + Double(pixels[b + k]) * wx
                        let bottom =
                            unsafe Double(pixels[c + k]) * (1 - wx) + Double(pixels[d + k]) * wx
                        out[o + k] = UInt8(min(255, max(0, top * (1 - wy) + bottom * wy + 0.5)))
                    }
                }
            }
        }
        return try! RGBImage(width: width, height: height, pixels: out)
    }

    /// Returns the picture with camera noise: a normal deviate of `deviation` levels is added to
    /// every value.
    public func withCameraNoise(_ deviation: Double, using generator: inout SeededGenerator)
        -> RGBImage
    {
        guard deviation > 0 else { return self }
        // Start at random positions in a table of deviates, because drawing one for each of a
        // million values would take most of the time.
        var out = pixels
        var i = 0
        while i < out.count {
            var at = Int(generator.next() & 2047)
            for k in i..<min(i + 512, out.count) {
                out[k] = UInt8(
                    min(
                        255,
                        max(
                            0, (Double(out[k]) + deviation * Self.deviates[at] + 0.5).rounded(.down)
                        )))
                at = (at + 1) & 4095
            }
            i += 512
        }
        return try! RGBImage(width: width, height: height, pixels: out)
    }

    private static let deviates: [Double] = {
        var generator = SeededGenerator(seed: 4)
        return (0..<4096).map { _ in generator.normal() }
    }()
}
