internal import Foundation
internal import MienFace

/// Where light is added to a document, in each of several pictures of it.
///
/// A mirror-like surface adds light, so that black print and white paper become brighter by the same
/// amount. Another lamp, a shadow, or the camera's exposure multiplies both. A blurred picture makes
/// black brighter and white darker.
struct ReflectionMap {
    /// For each picture, the share of the document on which light is added, 0…1.
    let shares: [Double]

    /// The least added light, as a share of the paper's brightness.
    private static let least: Float = 0.08
    /// The side of a window, and the distance between windows, in pixels.
    fileprivate static let side = 24, step = 8

    /// - Parameter cards: Pictures of the same size, in which the print is in the same places.
    init(_ cards: [RGBImage]) {
        guard let first = cards.first, cards.count >= 2 else {
            shares = cards.map { _ in 0 }
            return
        }
        let width = first.width, height = first.height
        let light = cards.map(LinearLight.init)
        let gains = Self.gains(light, width, height)
        // Most pictures show a place without a reflection, so a low rank of its brightness is that
        // of the print.
        let count = cards.count, rank = (count - 1) * 35 / 100
        var print = [[Float]](repeating: [Float](repeating: 0, count: width * height), count: 3)
        var values = [Float](repeating: 0, count: count)
        for channel in 0..<3 {
            for i in 0..<width * height {
                for k in 0..<count { values[k] = light[k].channels[channel][i] / gains[k][i] }
                values.sort()
                print[channel][i] = values[rank]
            }
        }
        let windows = (0..<3).map { Windows(print[$0], width, height) }
        shares = light.indices.map { k in
            var added = Set<Int>(), known = Set<Int>()
            for (channel, window) in windows.enumerated() {
                for (index, place) in window.places.enumerated() where place.isClear {
                    known.insert(index)
                    if place.isLit(
                        light[k].channels[channel], gains[k], by: Self.least * window.paper)
                    {
                        added.insert(index)
                    }
                }
            }
            return known.isEmpty ? 0 : Double(added.count) / Double(known.count)
        }
    }

    /// For each picture, the light that falls on each pixel compared with the other pictures: a plane
    /// in logarithms, which reflections on a part of the document hardly change.
    private static func gains(_ light: [LinearLight], _ width: Int, _ height: Int) -> [[Float]] {
        let columns = width / step, rows = height / step
        let cells = light.map { $0.cells(step) }
        var reference = [Double](repeating: 0, count: columns * rows)
        let logs = cells.map { cells in
            let middle = median(cells)
            return cells.map { ($0 / max(middle, 1e-4)).logarithm }
        }
        for i in reference.indices { reference[i] = median(logs.map { $0[i] }) }
        return cells.map { cells in
            let ratios = cells.indices.map { cells[$0].logarithm - reference[$0] }
            var plane = (a: 0.0, b: 0.0, c: median(ratios))
            for _ in 0..<6 {
                // Least squares, in which far values count little.
                var m = [Double](repeating: 0, count: 9), v = [0.0, 0, 0]
                for row in 0..<rows {
                    for column in 0..<columns {
                        let p = [
                            Double(column) / Double(columns) - 0.5,
                            Double(row) / Double(rows) - 0.5,
                            1,
                        ]
                        let ratio = ratios[row * columns + column]
                        let rest = ratio - plane.a * p[0] - plane.b * p[1] - plane.c
                        let weight = 1 / (1 + (rest / 0.06) * (rest / 0.06))
                        for i in 0..<3 {
                            v[i] += weight * p[i] * ratio
                            for j in 0..<3 { m[3 * i + j] += weight * p[i] * p[j] }
                        }
                    }
                }
                guard let solved = solve(m, v) else { break }
                plane = (solved[0], solved[1], solved[2])
            }
            var gains = [Float](repeating: 1, count: width * height)
            for y in 0..<height {
                for x in 0..<width {
                    let exponent =
                        plane.a * ((Double(x) + 0.5) / Double(width) - 0.5)
                        + plane.b * ((Double(y) + 0.5) / Double(height) - 0.5) + plane.c
                    gains[y * width + x] = Float(max(exponent, -6)).exponential
                }
            }
            return gains
        }
    }

    /// Solves three linear equations.
    private static func solve(_ m: [Double], _ v: [Double]) -> [Double]? {
        func determinant(_ m: [Double]) -> Double {
            m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2]
                * (m[3] * m[7] - m[4] * m[6])
        }
        let all = determinant(m)
        guard abs(all) > 1e-12 else { return nil }
        return (0..<3).map { column in
            var replaced = m
            for row in 0..<3 { replaced[3 * row + column] = v[row] }
            return determinant(replaced) / all
        }
    }
}

/// Amounts of light instead of the numbers that cameras write, 0…1, blurred a little against noise.
private struct LinearLight {
    let channels: [[Float]]
    private let width, height: Int

    private static let table = (0..<256).map { Float(pow(Double($0) / 255, 2.2)) }

    init(_ image: RGBImage) {
        (width, height) = (image.width, image.height)
        channels = (0..<3).map { channel in
            (0..<image.width * image.height).map {
                Self.table[Int(image.pixels[3 * $0 + channel])]
            }.boxMean(width: image.width, height: image.height, radius: 1)
        }
    }

    /// The mean green of squares.
    func cells(_ side: Int) -> [Double] {
        let columns = width / side, rows = height / side
        return (0..<rows * columns).map { index in
            let row = index / columns, column = index % columns
            var sum: Float = 0
            for y in row * side..<(row + 1) * side {
                for x in column * side..<(column + 1) * side { sum += channels[1][y * width + x] }
            }
            return max(Double(sum) / Double(side * side), 1e-4)
        }
    }
}

/// Squares of a print, with their darkest and their lightest pixels.
private struct Windows {
    struct Place {
        let dark, light: [Int]
        let darkness, lightness: Float

        /// Whether dark and light pixels differ enough to tell added light from other light.
        var isClear: Bool { darkness < 0.75 * lightness }

        /// Whether light was added, compared with the print.
        func isLit(_ values: [Float], _ gains: [Float], by least: Float) -> Bool {
            func mean(_ pixels: [Int]) -> (Float, isFull: Bool) {
                var sum: Float = 0, raw: Float = 0
                for i in pixels {
                    sum += values[i] / gains[i]
                    raw += values[i]
                }
                return (sum / Float(pixels.count), raw / Float(pixels.count) > 0.9)
            }
            let (onDark, _) = mean(dark), (onLight, isFull) = mean(light)
            let a = onDark - darkness, b = onLight - lightness
            guard a > least else { return false }
            // A pixel that is white already does not become brighter.
            guard !isFull else { return true }
            let contrast = darkness / max(lightness, 1e-4)
            return b > 0.5 * a && a > (0.35 + 0.65 * contrast) * b
        }
    }

    /// The brightness of the paper.
    let paper: Float
    let places: [Place]

    init(_ print: [Float], _ width: Int, _ height: Int) {
        let side = ReflectionMap.side, step = ReflectionMap.step
        let sorted = print.sorted()
        paper = sorted[sorted.count * 3 / 4]
        var places: [Place] = []
        for top in stride(from: step, through: height - side - step, by: step) {
            for left in stride(from: step, through: width - side - step, by: step) {
                var pixels: [Int] = []
                for y in top..<top + side {
                    for x in left..<left + side { pixels.append(y * width + x) }
                }
                pixels.sort { print[$0] < print[$1] }
                let quarter = pixels.count / 4
                let dark = Array(pixels.prefix(quarter)), light = Array(pixels.suffix(quarter))
                func mean(_ pixels: [Int]) -> Float {
                    pixels.reduce(0) { $0 + print[$1] } / Float(pixels.count)
                }
                places.append(
                    Place(
                        dark: dark, light: light, darkness: mean(dark), lightness: mean(light)))
            }
        }
        self.places = places
    }
}
