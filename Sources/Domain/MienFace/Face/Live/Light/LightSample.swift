internal import Foundation

/// The light of the parts of a face and of what is behind it, in one frame.
public struct LightSample: Sendable, Hashable {
    /// A part of the face.
    public struct Region: Sendable, Hashable {
        public let light: LinearLight
        /// 0...1: the cosine of the angle between the part and the line of sight. Light from beside
        /// the camera falls onto the part in this proportion.
        public let facing: Double

        public init(_ light: LinearLight, facing: Double) {
            (self.light, self.facing) = (light, facing)
        }
    }

    /// Nine: the forehead's middle and sides, the cheeks and their outer parts, the nose, and the
    /// chin.
    public let regions: [Region]
    /// The light beside the face; `nil` if too little of it is in the picture.
    public let background: LinearLight?

    public init(regions: [Region], background: LinearLight?) {
        (self.regions, self.background) = (regions, background)
    }
}

extension LightSample {
    /// `nil` when a part of the face is outside the picture, or blown out.
    package init?(of mesh: FaceMesh, in image: RGBImage) {
        let half = 0.11 * mesh.extent
        var regions: [Region] = []
        for center in Self.centers(of: mesh) {
            let square = Rectangle(center: center, width: 2 * half, height: 2 * half)
            guard let light = image.light(in: [square], atLeast: 12) else { return nil }
            regions.append(Region(light, facing: Self.facing(center, on: mesh)))
        }
        self.init(regions: regions, background: Self.background(of: mesh, in: image))
    }

    /// The middles of the parts.
    private static func centers(of mesh: FaceMesh) -> [Point] {
        let p = mesh.points
        typealias Mark = FaceMesh.Landmark
        func between(_ a: Point, _ b: Point, _ share: Double) -> Point { a + (b - a) * share }
        let brow = p[9], forehead = between(brow, p[151], 0.75), up = forehead - brow
        let mouth = between(p[Mark.lipTop], p[Mark.lipBottom], 0.5)
        return [
            forehead, p[105] + up * 0.9, p[334] + up * 0.9, p[50], p[280],
            between(p[50], p[Mark.rightCheek], 0.6), between(p[280], p[Mark.leftCheek], 0.6),
            p[Mark.noseTip], between(mouth, p[Mark.chin], 0.55),
        ]
    }

    /// Fits a plane to the mesh around `center`.
    private static func facing(_ center: Point, on mesh: FaceMesh) -> Double {
        let reach = 0.3 * mesh.extent
        var n = 0.0, x = 0.0, y = 0.0, z = 0.0, xx = 0.0, xy = 0.0, yy = 0.0, xz = 0.0, yz = 0.0
        for (point, depth) in zip(mesh.points, mesh.depths) {
            let d = point - center
            guard abs(d.x) < reach, abs(d.y) < reach else { continue }
            n += 1
            (x, y, z) = (x + d.x, y + d.y, z + depth)
            (xx, xy, yy) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y)
            (xz, yz) = (xz + d.x * depth, yz + d.y * depth)
        }
        guard n >= 4 else { return 1 }
        (xx, xy, yy) = (xx - x * x / n, xy - x * y / n, yy - y * y / n)
        (xz, yz) = (xz - x * z / n, yz - y * z / n)
        let determinant = xx * yy - xy * xy
        guard determinant > 1e-9 else { return 1 }
        let across = (xz * yy - yz * xy) / determinant, down = (yz * xx - xz * xy) / determinant
        return 1 / (1 + across * across + down * down).squareRoot()
    }

    /// The picture beside the face, above the shoulders.
    private static func background(of mesh: FaceMesh, in image: RGBImage) -> LinearLight? {
        let box = mesh.bounds, gap = 0.35 * box.width, far = 1.2 * box.width
        return image.light(
            in: [
                Rectangle(x: box.x - far, y: box.y, width: far - gap, height: 0.8 * box.height),
                Rectangle(
                    x: box.x + box.width + gap, y: box.y, width: far - gap,
                    height: 0.8 * box.height),
            ], atLeast: 64)
    }
}

extension RGBImage {
    /// Returns the mean light of the pixels in `areas` that are not blown out, at most about a
    /// thousand in each; `nil` if there are fewer than `atLeast`.
    fileprivate func light(in areas: [Rectangle], atLeast: Int) -> LinearLight? {
        var sum = LinearLight(0, 0, 0), count = 0
        for area in areas {
            let left = Int(max(0, area.x)), right = Int(min(Double(width), area.x + area.width)),
                top = Int(max(0, area.y)), bottom = Int(min(Double(height), area.y + area.height))
            guard left < right, top < bottom else { continue }
            let step = max(1, Int((Double((right - left) * (bottom - top)) / 1000).squareRoot()))
            for y in stride(from: top, to: bottom, by: step) {
                for x in stride(from: left, to: right, by: step) {
                    let color = self[x, y]
                    guard max(color.red, color.green, color.blue) < 250 else { continue }
                    let light = LinearLight(color)
                    sum.red += light.red
                    sum.green += light.green
                    sum.blue += light.blue
                    count += 1
                }
            }
        }
        guard count >= atLeast else { return nil }
        return LinearLight(
            sum.red / Double(count), sum.green / Double(count), sum.blue / Double(count))
    }
}
