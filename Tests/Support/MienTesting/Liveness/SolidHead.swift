import Foundation
import MienFace

/// A head with depth, made from one photo and its mesh, that performs the requested actions. It
/// simulates genuine behavior of many people for whom there are no clips.
///
/// It is not a person. A passed session shows that depth is accepted, and also that a program which
/// animates photos passes.
public struct SolidHead: LivenessActor {
    private let photo: RGBImage
    private let mesh: FaceMesh
    private var movement: Movement
    private var camera: Camera

    public init(
        _ photo: RGBImage, mesh: FaceMesh, reach: Double = 42, noise: Double = 2,
        sway: Double = 0.7, seed: UInt64 = 1
    ) {
        (self.photo, self.mesh) = (photo, mesh)
        movement = Movement(reach: reach)
        camera = Camera(noise: noise, sway: sway, seed: seed)
    }

    public mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        movement.move(asked: asked, at: time)
        let m = movement, shift = camera.shift(at: time), wobble = camera.wobble(at: time),
            center = mesh.bounds.center
        let turn = MeshWarp.turning(mesh, yaw: m.yaw + wobble.yaw, pitch: m.pitch + wobble.pitch)
        let base = ClosedEyes(of: mesh, by: m.lids).drawn(on: photo)
        let mouth = m.mouth > 0 ? MeshWarp.openingMouth(of: mesh, by: m.mouth) : nil
        let image = base.remapped(
            width: photo.width, height: photo.height, background: RGBColor(90, 90, 90)
        ) { p in
            var q = turn((p - center - shift) * (1 / m.zoom) + center)
            if let mouth { q = mouth(q) }
            return q
        }
        return camera.seen(image)
    }
}

extension MeshWarp {
    /// Rotates the head in space by the mesh's own depth.
    static func turning(_ mesh: FaceMesh, yaw: Double, pitch: Double) -> MeshWarp {
        let a = yaw * .pi / 180, b = pitch * .pi / 180, bounds = mesh.bounds, center = bounds.center
        // The neck's axis lies behind the cheeks.
        let behind =
            mesh.depths[FaceMesh.Landmark.rightCheek] / 2 + mesh.depths[FaceMesh.Landmark.leftCheek]
            / 2
        let turned = mesh.points.indices.map { i in
            let p = mesh.points[i] - center, z = mesh.depths[i] - behind
            let y = p.y * cos(b) + z * sin(b), z1 = z * cos(b) - p.y * sin(b)
            return Point(x: p.x * cos(a) - z1 * sin(a), y: y) + center
        }
        let wide = Rectangle(center: center, width: 2 * bounds.width, height: 1.8 * bounds.height)
        return MeshWarp(from: turned, to: mesh.points, reach: 0.12 * mesh.eyeDistance, area: wide)
    }

    /// Lowers the jaw: 0 leaves it unchanged; 1 opens the mouth wide. The area between the lips is
    /// stretched.
    public static func openingMouth(of mesh: FaceMesh, by amount: Double) -> MeshWarp {
        let lower = [
            14, 87, 178, 88, 317, 402, 318, 17, 84, 181, 314, 405, 152, 148, 377, 176, 400,
        ]
        let upper = [13, 82, 81, 80, 312, 311, 310, 0, 37, 267, 2, 98, 327, 61, 291]
        let down = Point(x: 0, y: 0.5 * amount * mesh.eyeDistance)
        let from = lower.map { mesh.points[$0] + down } + upper.map { mesh.points[$0] }
        let b = mesh.bounds
        return MeshWarp(
            from: from, to: (lower + upper).map { mesh.points[$0] }, reach: 0.12 * mesh.eyeDistance,
            area: Rectangle(
                x: b.x - 0.2 * b.width, y: b.y + 0.3 * b.height, width: 1.4 * b.width,
                height: b.height))
    }
}
