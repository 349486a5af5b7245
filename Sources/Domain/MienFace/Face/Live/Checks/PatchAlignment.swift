internal import Foundation

/// Measures the difference that remains between two patches after moving, stretching, and
/// brightening one to match the other. It is small for two views of one picture.
struct PatchAlignment: Sendable {
    /// The pixels to compare: the whole face except the eyes, by rows and columns of the patch.
    private static let isCompared: [Bool] = (0..<FacePatch.side * FacePatch.side).map { i in
        let x = i % FacePatch.side, y = i / FacePatch.side
        let inside = (6..<58).contains(x) && (4..<60).contains(y)
        return inside && !(17..<30).contains(y)
    }

    /// Returns the root mean square difference in brightness levels.
    ///
    /// Uses Gauss–Newton over an affine map's six numbers, gain, and offset, as in Lucas and Kanade
    /// (1981).
    static func residual(_ a: FacePatch, _ b: FacePatch) -> Double {
        let n = FacePatch.side
        let target = a.brightness.map(Double.init), source = b.brightness.map(Double.init)
        var p = [Double](repeating: 0, count: 8)
        var best = Double.infinity
        for _ in 0..<8 {
            // The normal equations: the symmetric matrix, and its right side.
            var matrix = [SIMD8<Double>](repeating: .zero, count: 8), right = SIMD8<Double>.zero
            var sum = 0.0, count = 0.0
            for y in 4..<60 {
                for x in 6..<58 where isCompared[y * n + x] {
                    let u = Double(x) - 32, v = Double(y) - 32
                    let sx = Double(x) + p[0] + p[1] * u + p[2] * v,
                        sy = Double(y) + p[3] + p[4] * u + p[5] * v
                    guard sx >= 1, sy >= 1, sx < Double(n - 2), sy < Double(n - 2) else { continue }
                    let x0 = Int(sx), y0 = Int(sy), fx = sx - Double(x0), fy = sy - Double(y0),
                        i = y0 * n + x0
                    let s00 = source[i], s10 = source[i + 1], s01 = source[i + n],
                        s11 = source[i + n + 1]
                    let value =
                        (s00 * (1 - fx) + s10 * fx) * (1 - fy) + (s01 * (1 - fx) + s11 * fx) * fy
                    let gx = (s10 - s00) * (1 - fy) + (s11 - s01) * fy,
                        gy = (s01 - s00) * (1 - fx) + (s11 - s10) * fx
                    let e = target[y * n + x] - (value * (1 + p[6]) + p[7])
                    let row = SIMD8(gx, gx * u, gx * v, gy, gy * u, gy * v, value, 1)
                    matrix[0] += row[0] * row
                    matrix[1] += row[1] * row
                    matrix[2] += row[2] * row
                    matrix[3] += row[3] * row
                    matrix[4] += row[4] * row
                    matrix[5] += row[5] * row
                    matrix[6] += row[6] * row
                    matrix[7] += row
                    right += e * row
                    sum += e * e
                    count += 1
                }
            }
            guard count > 500 else { return best.isFinite ? best : 255 }
            let rms = (sum / count).squareRoot()
            if rms >= best - 1e-3 { return min(best, rms) }
            best = rms
            var m = [Double](repeating: 0, count: 72)
            for j in 0..<8 {
                for k in 0..<8 { m[9 * j + k] = matrix[j][k] }
                m[9 * j + 8] = right[j]
            }
            guard let step = solved(&m) else { return best }
            for j in 0..<8 { p[j] += step[j] }
        }
        return best
    }

    private static func solved(_ m: inout [Double]) -> [Double]? {
        for c in 0..<8 {
            var pivot = c
            for r in c..<8 where abs(m[9 * r + c]) > abs(m[9 * pivot + c]) { pivot = r }
            guard abs(m[9 * pivot + c]) > 1e-9 else { return nil }
            if pivot != c { for k in 0..<9 { m.swapAt(9 * c + k, 9 * pivot + k) } }
            for r in 0..<8 where r != c {
                let f = m[9 * r + c] / m[9 * c + c]
                for k in c..<9 { m[9 * r + k] -= f * m[9 * c + k] }
            }
        }
        var solution = [Double](repeating: 0, count: 8)
        for r in 0..<8 { solution[r] = m[9 * r + 8] / m[9 * r + r] }
        return solution
    }
}
