import Foundation
import MienFace

extension RGBImage {
    /// Returns the picture after JPEG's lossy steps, without its files: YCbCr, color at half the
    /// resolution, cosines of blocks of 8 × 8 pixels, and the standard tables (ITU-T T.81, Annex K).
    ///
    /// - Parameter quality: 1...100, as in libjpeg.
    public func blockCompressed(quality: Int) -> RGBImage {
        let scale = quality < 50 ? 5000 / quality : 200 - 2 * quality
        func table(_ base: [Int]) -> [Double] {
            base.map { Double(min(255, max(1, ($0 * scale + 50) / 100))) }
        }
        let bright = table(Self.brightnessTable), color = table(Self.colorTable)
        let wide = (width + 15) / 16 * 16, high = (height + 15) / 16 * 16
        var y = [Double](repeating: 0, count: wide * high), cb = y, cr = y
        for row in 0..<high {
            for column in 0..<wide {
                let i = 3 * (min(row, height - 1) * width + min(column, width - 1))
                let r = Double(pixels[i]), g = Double(pixels[i + 1]), b = Double(pixels[i + 2])
                y[row * wide + column] = 0.299 * r + 0.587 * g + 0.114 * b - 128
                cb[row * wide + column] = -0.168_736 * r - 0.331_264 * g + 0.5 * b
                cr[row * wide + column] = 0.5 * r - 0.418_688 * g - 0.081_312 * b
            }
        }
        Self.quantize(&y, wide, high, bright)
        let halves = [cb, cr].map { plane -> [Double] in
            var half = [Double](repeating: 0, count: wide * high / 4)
            for row in 0..<high / 2 {
                for column in 0..<wide / 2 {
                    let i = 2 * row * wide + 2 * column
                    half[row * wide / 2 + column] =
                        (plane[i] + plane[i + 1] + plane[i + wide] + plane[i + wide + 1]) / 4
                }
            }
            // Blocks at an edge are filled by the picture's sides of 16.
            Self.quantize(&half, wide / 2, high / 2, color)
            return half
        }
        var out = pixels
        for row in 0..<height {
            for column in 0..<width {
                let l = y[row * wide + column] + 128, k = row / 2 * wide / 2 + column / 2
                let (b, r) = (halves[0][k], halves[1][k])
                let i = 3 * (row * width + column)
                func level(_ v: Double) -> UInt8 { UInt8(min(255, max(0, v)) + 0.5 - 1e-9) }
                out[i] = level(l + 1.402 * r)
                out[i + 1] = level(l - 0.344_136 * b - 0.714_136 * r)
                out[i + 2] = level(l + 1.772 * b)
            }
        }
        return try! RGBImage(width: width, height: height, pixels: out)
    }

    /// Rounds the cosines of each block.
    private static func quantize(
        _ plane: inout [Double], _ wide: Int, _ high: Int, _ table: [Double]
    ) {
        var block = [Double](repeating: 0, count: 64), half = block
        for top in stride(from: 0, to: high, by: 8) {
            for left in stride(from: 0, to: wide, by: 8) {
                for i in 0..<64 { block[i] = plane[(top + i / 8) * wide + left + i % 8] }
                transform(&block, &half, forward: true)
                for i in 0..<64 { block[i] = (block[i] / table[i]).rounded() * table[i] }
                transform(&block, &half, forward: false)
                for i in 0..<64 { plane[(top + i / 8) * wide + left + i % 8] = block[i] }
            }
        }
    }

    /// Multiplies by the cosines from both sides.
    private static func transform(
        _ block: inout [Double], _ half: inout [Double], forward: Bool
    ) {
        for row in 0..<8 {
            for k in 0..<8 {
                var sum = 0.0
                for n in 0..<8 {
                    sum += block[row * 8 + n] * (forward ? cosines[k * 8 + n] : cosines[n * 8 + k])
                }
                half[row * 8 + k] = sum
            }
        }
        for column in 0..<8 {
            for k in 0..<8 {
                var sum = 0.0
                for n in 0..<8 {
                    sum +=
                        half[n * 8 + column] * (forward ? cosines[k * 8 + n] : cosines[n * 8 + k])
                }
                block[k * 8 + column] = sum
            }
        }
    }

    private static let cosines: [Double] = (0..<64).map { i in
        let k = Double(i / 8), n = Double(i % 8)
        return (k == 0 ? 0.125.squareRoot() : 0.5) * cos((2 * n + 1) * k * .pi / 16)
    }

    private static let brightnessTable = [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69,
        56, 14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81,
        104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ]
    private static let colorTable = [
        17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99,
        99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    ]
}
