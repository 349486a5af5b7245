import Foundation
import MienFace
import MienTesting

/// A head from the front and turned, in two frames of the same clip.
struct TurnedViews {
    /// See ``InjectionCues``; `nil` where there is too little to compare.
    let parallax, texture: Double?

    init(front: RGBImage, _ frontMesh: FaceMesh, side: RGBImage, _ sideMesh: FaceMesh) {
        texture = Self.texture(front, frontMesh, side, sideMesh)
        parallax =
            front.width == side.width && front.height == side.height
            ? Self.parallax(front, side, around: frontMesh.bounds) : nil
    }

    /// The mean difference in a ring around the head, and farther away.
    private static func parallax(_ a: RGBImage, _ b: RGBImage, around box: Rectangle) -> Double? {
        let first = a.luma, second = b.luma
        var near = (sum: 0.0, count: 0.0), far = (sum: 0.0, count: 0.0)
        for y in stride(from: 0, to: a.height, by: 2) {
            for x in stride(from: 0, to: a.width, by: 2) {
                let dx = abs(Double(x) - box.center.x) / max(1, box.width)
                let dy = abs(Double(y) - box.center.y) / max(1, box.height)
                let distance = max(dx, dy), i = y * a.width + x
                let change = Double(abs(Int(first[i]) - Int(second[i])))
                if (0.75..<1.0).contains(distance) {
                    near = (near.sum + change, near.count + 1)
                } else if distance >= 1.3 {
                    far = (far.sum + change, far.count + 1)
                }
            }
        }
        guard near.count > 50, far.count > 50 else { return nil }
        return log((near.sum / near.count + 0.5) / (far.sum / far.count + 0.5))
    }

    /// Brightness without what is larger than a fifth of the distance between the eyes, and without
    /// what is smaller than a twentieth, which is noise.
    private static func texture(
        _ front: RGBImage, _ frontMesh: FaceMesh, _ side: RGBImage, _ sideMesh: FaceMesh
    ) -> Double? {
        let bounds = frontMesh.bounds, steps = 96
        let warp = MeshWarp(
            from: frontMesh.points, to: sideMesh.points, reach: 0.12 * frontMesh.eyeDistance,
            area: Rectangle(
                center: bounds.center, width: 1.6 * bounds.width, height: 1.6 * bounds.height))
        // The side of the face that comes closer to the camera stays visible.
        let isToRight = sideMesh.points[4].x - sideMesh.bounds.center.x > 0
        let a = Luma(front), b = Luma(side)
        let fine = frontMesh.eyeDistance / 40, coarse = frontMesh.eyeDistance / 10
        var seen: [Double] = [], turned: [Double] = []
        for row in 0..<steps {
            for column in 0..<steps / 2 {
                let u = (Double(column) / Double(steps / 2) * 0.4 + 0.08)
                let p = Point(
                    x: bounds.x + (isToRight ? u : 1 - u) * bounds.width,
                    y: bounds.y + (0.2 + 0.65 * Double(row) / Double(steps)) * bounds.height)
                let q = warp(p)
                seen.append(a.mean(p, fine) - a.mean(p, coarse))
                turned.append(b.mean(q, fine) - b.mean(q, coarse))
            }
        }
        let n = Double(seen.count), m = seen.reduce(0, +) / n, k = turned.reduce(0, +) / n
        var product = 0.0, first = 0.0, second = 0.0
        for (x, y) in zip(seen, turned) {
            product += (x - m) * (y - k)
            first += (x - m) * (x - m)
            second += (y - k) * (y - k)
        }
        let scale = (first * second).squareRoot()
        return scale > 0 ? product / scale : nil
    }
}

/// Means of squares, in constant time each.
private struct Luma {
    private let width, height: Int
    private let sums: [Double]

    init(_ image: RGBImage) {
        let luma = image.luma
        (width, height) = (image.width, image.height)
        var sums = [Double](repeating: 0, count: (width + 1) * (height + 1))
        for y in 0..<height {
            var row = 0.0
            for x in 0..<width {
                row += Double(luma[y * width + x])
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row
            }
        }
        self.sums = sums
    }

    /// The mean of the square around a point that reaches `radius` pixels in each direction.
    func mean(_ p: Point, _ radius: Double) -> Double {
        let left = min(max(0, Int(p.x - radius)), width - 1)
        let right = min(max(left + 1, Int(p.x + radius) + 1), width)
        let top = min(max(0, Int(p.y - radius)), height - 1)
        let bottom = min(max(top + 1, Int(p.y + radius) + 1), height)
        func at(_ x: Int, _ y: Int) -> Double { sums[y * (width + 1) + x] }
        let sum = at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top)
        return sum / Double((right - left) * (bottom - top))
    }
}
