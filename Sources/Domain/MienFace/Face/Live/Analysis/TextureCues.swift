internal import Foundation

/// Cues in one frame to the medium that shows the face: a print or a screen. Cues are not proof;
/// see docs/measurements/liveness.md.
public struct TextureCues: Sendable, Hashable {
    /// Frequency content: how far, in decibels, the strongest peak of the face's fine texture rises
    /// above the middle of its ring in the spectrum. The grids of screens and prints produce sharp
    /// peaks; skin does not. `nil` for a face that is too small to measure.
    public let peak: Double?
    /// Fraction of the face, 0...1, that is blown out in all colors, such as a reflection from a
    /// screen or a glossy print.
    public let glare: Double
    /// Straight lines around the face: the mean brightness step along the third strongest of four,
    /// 0...255. The border of a sheet or a device has three or more such lines; so does a face in
    /// front of a window.
    public let border: Double

    public init(peak: Double?, glare: Double, border: Double) {
        (self.peak, self.glare, self.border) = (peak, glare, border)
    }
}

extension TextureCues {
    package init(of mesh: FaceMesh, in image: RGBImage) {
        let box = mesh.bounds
        self.init(
            peak: FineTexture.peak(of: mesh, in: image), glare: Self.glare(box, image),
            border: BorderLines(around: box, in: image).thirdStrongest)
    }

    /// A pixel is blown out when all three colors reach this value.
    private static let blownOut: UInt8 = 250

    private static func glare(_ box: Rectangle, _ image: RGBImage) -> Double {
        let columns = image.columns(box.x, box.x + box.width),
            rows = image.rows(box.y, box.y + box.height)
        guard !columns.isEmpty, !rows.isEmpty else { return 0 }
        var blown = 0
        for y in rows {
            for x in columns {
                let i = 3 * (y * image.width + x)
                if min(image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]) >= blownOut {
                    blown += 1
                }
            }
        }
        return Double(blown) / Double(columns.count * rows.count)
    }
}

extension RGBImage {
    fileprivate func columns(_ from: Double, _ to: Double) -> Range<Int> {
        Self.range(from, to, width)
    }
    fileprivate func rows(_ from: Double, _ to: Double) -> Range<Int> {
        Self.range(from, to, height)
    }

    private static func range(_ from: Double, _ to: Double, _ side: Int) -> Range<Int> {
        let a = Int(max(0, min(Double(side), from))), b = Int(max(0, min(Double(side), to)))
        return a..<max(a, b)
    }

    /// 0...255, an approximation of ``luma``.
    fileprivate func brightness(_ x: Int, _ y: Int) -> Double {
        let i = 3 * (y * width + x)
        return (Double(pixels[i]) + 2 * Double(pixels[i + 1]) + Double(pixels[i + 2])) / 4
    }
}

/// Brightness steps that run straight along the whole face, one for each of its four sides.
private struct BorderLines {
    let strengths: [Double]

    /// Searches the background up to one and a half face sizes away from the face.
    init(around box: Rectangle, in image: RGBImage) {
        let far = 1.5 * box.width, near = 0.08 * box.width
        let rows = image.rows(box.y - 0.2 * box.height, box.y + 1.2 * box.height)
        let columns = image.columns(box.x - 0.2 * box.width, box.x + 1.2 * box.width)
        func upright(_ from: Double, _ to: Double) -> Double {
            Self.strongest(image.columns(from, to), rows, image.width) {
                image.brightness($0 + 1, $1) - image.brightness($0 - 1, $1)
            }
        }
        func level(_ from: Double, _ to: Double) -> Double {
            Self.strongest(image.rows(from, to), columns, image.height) {
                image.brightness($1, $0 + 1) - image.brightness($1, $0 - 1)
            }
        }
        strengths = [
            upright(box.x - far, box.x - near),
            upright(box.x + box.width + near, box.x + box.width + far),
            level(box.y - far, box.y - near),
            level(box.y + box.height + near, box.y + box.height + far),
        ]
    }

    var thirdStrongest: Double { strengths.sorted(by: >)[2] }

    /// Returns the strongest line: the largest mean of the signed steps along a line. The signs
    /// make texture cancel out.
    private static func strongest(
        _ lines: Range<Int>, _ along: Range<Int>, _ side: Int, step: (Int, Int) -> Double
    ) -> Double {
        let positions = stride(from: along.lowerBound, to: along.upperBound, by: 2)
        var strongest = 0.0, count = 0.0
        for _ in positions { count += 1 }
        guard count >= 16 else { return 0 }
        for line in lines where line > 0 && line + 1 < side {
            var sum = 0.0
            for position in positions { sum += step(line, position) }
            strongest = max(strongest, abs(sum) / count)
        }
        return strongest
    }
}

/// The spectrum of a square of skin at the camera's own resolution. Scaling would remove the detail
/// being measured.
private enum FineTexture {
    private static let side = 64
    /// Cycles per square above which skin has little structure of its own.
    private static let fine = 12...31
    /// Approximate power in a bin caused by rounding to whole levels alone. Differences below it
    /// are noise.
    private static let floor = 144.0

    static func peak(of mesh: FaceMesh, in image: RGBImage) -> Double? {
        // One point on each cheek.
        let peaks = [50, 280].compactMap { peak(at: mesh.points[$0], in: image) }
        // A square wider than the face would include the background.
        guard mesh.bounds.width >= 1.2 * Double(side) else { return nil }
        return peaks.max()
    }

    private static func peak(at center: Point, in image: RGBImage) -> Double? {
        let left = Int(center.x.rounded()) - side / 2, top = Int(center.y.rounded()) - side / 2
        guard left >= 0, top >= 0, left + side <= image.width, top + side <= image.height else {
            return nil
        }
        var values = [Double](repeating: 0, count: side * side)
        for y in 0..<side {
            for x in 0..<side { values[y * side + x] = image.brightness(left + x, top + y) }
        }
        let mean = values.reduce(0, +) / Double(values.count)
        for y in 0..<side {
            for x in 0..<side {
                values[y * side + x] = (values[y * side + x] - mean) * window[x] * window[y]
            }
        }
        let power = PowerSpectrum.of(values, side: side)
        var rings: [[Double]] = Array(repeating: [], count: fine.upperBound + 1)
        // Half of the plane, because the other half is its mirror image. Skip the axes, where JPEG
        // blocks and picture edges lie.
        for v in 2...(side / 2) {
            for u in 2...(side - 2) {
                let x = u <= side / 2 ? u : u - side
                guard abs(x) >= 2 else { continue }
                let ring = Int(sqrt(Double(x * x + v * v)))
                if fine.contains(ring) { rings[ring].append(power[v * side + u]) }
            }
        }
        var peak = 0.0
        for ring in rings where !ring.isEmpty {
            peak = max(peak, (ring.max() ?? 0) / (ring.median + floor))
        }
        return 10 * log10(max(peak, 1e-9))
    }

    /// The Hann window.
    private static let window: [Double] = (0..<side).map {
        0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(side))
    }
}

/// Fast Fourier transform of a small square.
private enum PowerSpectrum {
    /// - Parameters:
    ///   - values: `side`² values in row-major order.
    ///   - side: A power of two.
    /// - Returns: The power at each pair of frequencies, starting at zero.
    static func of(_ values: [Double], side: Int) -> [Double] {
        var re = values, im = [Double](repeating: 0, count: values.count)
        let twiddles = (0..<side / 2).map { 2 * Double.pi * Double($0) / Double(side) }.map {
            (cos($0), -sin($0))
        }
        for row in 0..<side { transform(&re, &im, from: row * side, by: 1, side, twiddles) }
        for column in 0..<side { transform(&re, &im, from: column, by: side, side, twiddles) }
        return zip(re, im).map { $0 * $0 + $1 * $1 }
    }

    private static func transform(
        _ re: inout [Double], _ im: inout [Double], from start: Int, by step: Int, _ n: Int,
        _ twiddles: [(Double, Double)]
    ) {
        var j = 0
        for i in 1..<n {
            var bit = n >> 1
            while j & bit != 0 {
                j ^= bit
                bit >>= 1
            }
            j |= bit
            if i < j {
                re.swapAt(start + i * step, start + j * step)
                im.swapAt(start + i * step, start + j * step)
            }
        }
        var length = 2
        while length <= n {
            let half = length / 2, stride = n / length
            for block in Swift.stride(from: 0, to: n, by: length) {
                for k in 0..<half {
                    let (c, s) = twiddles[k * stride], a = start + (block + k) * step,
                        b = start + (block + k + half) * step
                    let x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c
                    (re[b], im[b]) = (re[a] - x, im[a] - y)
                    (re[a], im[a]) = (re[a] + x, im[a] + y)
                }
            }
            length *= 2
        }
    }
}
