internal import MienFace

/// The direction that a document faces, in the camera's coordinates.
struct CardPose: Sendable, Hashable {
    /// The unit vector toward the camera: right, down, and away from it.
    let normal: SIMD3<Double>

    /// The focal length, as a share of the picture's longer side, that most phones' main cameras have.
    /// Angles between two poses hardly depend on it.
    private static let focalLength = 0.9

    /// - Parameters:
    ///   - corners: Four, in pixels, in order. The document's format need not be known.
    ///   - width: The picture's width.
    /// - Returns: `nil` if three corners lie on a line.
    init?(_ corners: [Point], width: Int, height: Int) {
        guard corners.count == 4 else { return nil }
        let f = Self.focalLength * Double(max(width, height))
        let rays = corners.map {
            SIMD3(($0.x - Double(width) / 2) / f, ($0.y - Double(height) / 2) / f, 1)
        }
        // Parallel sides meet at a vanishing point, in the direction of both.
        func direction(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> SIMD3<Double> {
            rays[a].cross(rays[b]).cross(rays[d].cross(rays[c])).unit
        }
        let across = direction(0, 1, 2, 3), down = direction(1, 2, 3, 0)
        let normal = across.cross(down)
        guard normal.length > 0.2 else { return nil }
        self.normal = normal.z > 0 ? normal.unit * -1 : normal.unit
    }

    /// The angle to another direction in degrees, 0…180.
    func angle(to other: CardPose) -> Double {
        let sine = normal.cross(other.normal).length
        return sine.degrees(over: (normal * other.normal).sum())
    }
}

extension SIMD3<Double> {
    fileprivate func cross(_ b: Self) -> Self {
        Self(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x)
    }

    fileprivate var length: Double { (self * self).sum().squareRoot() }
    fileprivate var unit: Self { self / Swift.max(length, 1e-12) }
}
