internal import MienFace

/// The mean spectrum of squares of a picture within a document, in which regular patterns are peaks:
/// of a screen's pixels, of their interference with the camera's, and of halftones.
///
/// Text and security print have no single frequency. JPEG compresses blocks of 8×8 pixels, so the
/// multiples of an eighth in both directions do not count, nor what is exactly upright or level.
struct PatternSpectrum {
    private static let size = FourierTransform.size
    /// The greatest number of squares.
    private static let squares = 24
    /// The least number; a smaller document is not measured.
    private static let least = 8

    /// Brightness, and the difference of green from the other colors.
    private var brightness, color: [Float]

    /// - Returns: `nil` for a document that is too small in the picture.
    init?(_ image: RGBImage, within corners: [Point]) {
        let places = Self.places(image, corners)
        guard places.count >= Self.least else { return nil }
        let n = Self.size
        (brightness, color) = ([Float](repeating: 0, count: n * n), [])
        color = brightness
        let transform = FourierTransform()
        let bell = (0..<n).map { k in
            Float(0.5 - 0.5 * (2 * Double.pi * (Double(k) + 0.5) / Double(n)).cosine)
        }
        let used = Self.used
        for place in places {
            // Two real pictures as one complex one.
            var (re, im) = Self.square(image, place.x, place.y)
            Self.flatten(&re, bell)
            Self.flatten(&im, bell)
            transform.apply(&re, &im)
            var bright = [Float](repeating: 0, count: n * n), tint = bright
            var sum: Float = 0, count: Float = 0
            for y in 0..<n {
                for x in 0..<n {
                    let i = y * n + x, j = (n - y) % n * n + (n - x) % n
                    let a = (re[i] + re[j]) / 2, b = (im[i] - im[j]) / 2
                    let c = (im[i] + im[j]) / 2, d = (re[j] - re[i]) / 2
                    bright[i] = a * a + b * b + 1
                    tint[i] = c * c + d * d + 1
                    if used[i] {
                        sum += tint[i]
                        count += 1
                    }
                }
            }
            // Colors differ much between text and paper, so each square counts the same.
            let scale = count / max(sum, 1)
            for i in 0..<n * n {
                brightness[i] += bright[i]
                color[i] += tint[i] * scale
            }
        }
    }

    var brightnessPeak: Double { Self.peak(brightness) }
    var colorPeak: Double { Self.peak(color) }

    /// Places of squares within the document, evenly distributed.
    private static func places(_ image: RGBImage, _ corners: [Point]) -> [(x: Int, y: Int)] {
        let margin = 6.0, n = Double(size)
        func isInside(_ p: Point) -> Bool {
            corners.indices.allSatisfy { i in
                let along = corners[(i + 1) % corners.count] - corners[i], to = p - corners[i]
                return along.x * to.y - along.y * to.x > margin * along.length
            }
        }
        var all: [(x: Int, y: Int)] = []
        for y in stride(from: 0, through: image.height - size, by: size / 2) {
            for x in stride(from: 0, through: image.width - size, by: size / 2) {
                let p = Point(x: Double(x), y: Double(y))
                if [(0.0, 0.0), (n, 0), (0, n), (n, n)].allSatisfy({
                    isInside(p + Point(x: $0.0, y: $0.1))
                }) {
                    all.append((x, y))
                }
            }
        }
        guard all.count > squares else { return all }
        return (0..<squares).map { all[$0 * (all.count - 1) / (squares - 1)] }
    }

    private static func square(_ image: RGBImage, _ left: Int, _ top: Int) -> ([Float], [Float]) {
        let n = size
        var bright = [Float](repeating: 0, count: n * n), tint = bright
        unsafe image.pixels.withUnsafeBufferPointer { pixels in
            for y in 0..<n {
                for x in 0..<n {
                    let i = 3 * ((top + y) * image.width + left + x)
                    let (r, g, b) = unsafe (
                        Float(pixels[i]), Float(pixels[i + 1]), Float(pixels[i + 2])
                    )
                    bright[y * n + x] = 0.3 * r + 0.59 * g + 0.11 * b
                    tint[y * n + x] = g - 0.5 * (r + b)
                }
            }
        }
        return (bright, tint)
    }

    /// Subtracts the mean of the nine by nine pixels around each, and fades out at the edges.
    private static func flatten(_ values: inout [Float], _ bell: [Float]) {
        let n = size, reach = 4
        var rows = values
        for y in 0..<n {
            var sum: Float = 0
            for d in -reach...reach { sum += values[y * n + min(max(d, 0), n - 1)] }
            for x in 0..<n {
                rows[y * n + x] = sum
                sum += values[y * n + min(x + reach + 1, n - 1)]
                sum -= values[y * n + max(x - reach, 0)]
            }
        }
        let weight = 1 / Float((2 * reach + 1) * (2 * reach + 1))
        for x in 0..<n {
            var sum: Float = 0
            for d in -reach...reach { sum += rows[min(max(d, 0), n - 1) * n + x] }
            for y in 0..<n {
                values[y * n + x] = (values[y * n + x] - sum * weight) * bell[x] * bell[y]
                sum += rows[min(y + reach + 1, n - 1) * n + x]
                sum -= rows[max(y - reach, 0) * n + x]
            }
        }
    }

    /// The frequencies that count, half of the plane.
    private static let used: [Bool] = {
        let n = size
        func frequency(_ k: Int) -> Double { Double(k < n / 2 ? k : k - n) / Double(n) }
        func isEighth(_ f: Double) -> Bool { abs(8 * f - (8 * f).rounded()) < 0.13 }
        return (0..<n * n).map { i in
            let fx = frequency(i % n), fy = frequency(i / n)
            let radius = (fx * fx + fy * fy).squareRoot()
            return radius > 0.06 && radius < 0.5 && fx > 0 && abs(fx) > 0.012 && abs(fy) > 0.012
                && !(isEighth(fx) && isEighth(fy))
        }
    }()

    /// How far the highest peak is above the median around it, a logarithm.
    private static func peak(_ spectrum: [Float]) -> Double {
        let n = size, mask = n - 1
        var smooth = [Float](repeating: 0, count: n * n)
        for y in 0..<n {
            for x in 0..<n {
                var sum: Float = 0
                for dy in -1...1 {
                    for dx in -1...1 { sum += spectrum[(y + dy) & mask * n + (x + dx) & mask] }
                }
                smooth[y * n + x] = sum
            }
        }
        var best = 0.0
        for y in 0..<n {
            for x in 0..<n where used[y * n + x] {
                let value = smooth[y * n + x]
                func near(_ dx: Int, _ dy: Int) -> Float {
                    smooth[(y + dy) & mask * n + (x + dx) & mask]
                }
                // Only local maxima.
                guard value >= near(-1, 0), value >= near(1, 0), value >= near(0, -1),
                    value >= near(0, 1)
                else { continue }
                var around: [Float] = []
                around.reserveCapacity(121)
                for dy in -5...5 { for dx in -5...5 { around.append(near(dx, dy)) } }
                around.sort()
                best = max(best, Double(value / max(around[60], 1e-9)).logarithm)
            }
        }
        return best
    }
}
