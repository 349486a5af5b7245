import Foundation
import MienFace

/// A presentation attack with a photo of a person, manipulated with the attacker's skills.
public struct FlatPhoto: LivenessActor {
    /// The attacker's skills.
    public enum Skill: String, CaseIterable, Sendable {
        /// Holds the photo up. The stream repeats it byte for byte.
        case still
        /// Holds the photo up to a camera.
        case held
        /// Tilts the photo when a turn is requested, and brings it closer.
        case tilted
        /// Also bends the photo around the head's axis.
        case bent
        /// Moves the photo closer and farther, regardless of the request.
        case zoomed
        /// Has cut out the eyes and blinks behind them; otherwise tilts.
        case cutOutEyes = "cut_out_eyes"
        /// Combines cut-out eyes and mouth with bending.
        case cutOutAndBent = "cut_out_and_bent"
    }

    public let skill: Skill
    private let photo: RGBImage
    private let mesh: FaceMesh
    private var movement: Movement
    private var camera: Camera

    /// - Parameters:
    ///   - mesh: The photo's face.
    ///   - reach: The tilt in degrees.
    public init(
        _ photo: RGBImage, mesh: FaceMesh, skill: Skill, reach: Double = 50, noise: Double = 2,
        sway: Double = 0.7, seed: UInt64 = 1
    ) {
        (self.photo, self.mesh, self.skill) = (photo, mesh, skill)
        movement = Movement(reach: reach)
        camera = Camera(
            noise: skill == .still ? 0 : noise, sway: skill == .still ? 0 : sway, seed: seed)
    }

    public mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage {
        movement.move(asked: asked, at: time)
        let m = movement, shift = camera.shift(at: time), wobble = camera.wobble(at: time)
        var (yaw, pitch, zoom, radius) = (0.0, 0.0, 1.0, Double.infinity)
        switch skill {
        case .still, .held: break
        case .tilted, .cutOutEyes: (yaw, pitch, zoom) = (m.yaw, m.pitch, m.zoom)
        case .bent, .cutOutAndBent:
            (yaw, pitch, zoom, radius) = (m.yaw, m.pitch, m.zoom, 0.75 * mesh.bounds.width)
        case .zoomed: zoom = 1.25 - 0.25 * cos(2 * time)
        }
        if skill != .still { (yaw, pitch) = (yaw + wobble.yaw, pitch + wobble.pitch) }
        let hasHoles = [.cutOutEyes, .cutOutAndBent].contains(skill)
        let base = hasHoles ? ClosedEyes(of: mesh, by: m.lids).drawn(on: photo) : photo
        let mouth =
            skill == .cutOutAndBent && m.mouth > 0
            ? MeshWarp.openingMouth(of: mesh, by: m.mouth) : nil
        let center = mesh.bounds.center
        let plane = Plane(
            center: center, yaw: yaw, pitch: pitch, distance: 4 * mesh.bounds.width,
            radius: radius)
        let image = base.remapped(
            width: photo.width, height: photo.height, background: RGBColor(90, 90, 90)
        ) { p in
            let centered = (p - center - shift) * (1 / zoom) + center
            var q = plane.source(of: centered)
            if let mouth { q = mouth(q) }
            return q
        }
        return camera.seen(image)
    }
}

/// A sheet in space as seen by a camera, rotated around its middle and optionally bent around an
/// upright axis.
struct Plane: Sendable {
    let center: Point
    private let cy, sy, cp, sp, distance, radius, turn: Double

    /// - Parameters:
    ///   - distance: The camera's distance, in pixels.
    ///   - radius: The radius of the bend; infinite for none.
    init(center: Point, yaw: Double, pitch: Double, distance: Double, radius: Double) {
        let a = yaw * .pi / 180, b = pitch * .pi / 180
        (self.center, self.distance, self.radius, turn) = (center, distance, radius, a)
        (cy, sy, cp, sp) = (cos(a), sin(a), cos(b), sin(b))
    }

    /// Returns where a point of the sheet is seen. The inverse of ``source(of:)``.
    func seen(_ p: Point) -> Point {
        var q = p - center
        if radius.isFinite {
            // Around the axis. The camera is treated as far away, as in ``source(of:)``.
            q = Point(x: radius * sin(max(-.pi / 2, min(.pi / 2, q.x / radius + turn))), y: q.y)
        } else {
            let k = distance / (distance + q.x * sy)
            q = Point(x: q.x * cy * k, y: q.y * k)
        }
        let k = distance / (distance + q.y * sp)
        return Point(x: q.x * k, y: q.y * cp * k) + center
    }

    /// Returns the sheet's point that a pixel shows; a point far outside when the sheet is not
    /// visible there.
    func source(of p: Point) -> Point {
        let nowhere = Point(x: -1e6, y: -1e6)
        var q = p - center
        // Undo the nod, then the turn: a point u of the sheet is seen at u·c·D ÷ (D + u·s).
        guard distance * cp - q.y * sp > 1 else { return nowhere }
        let v = q.y * distance / (distance * cp - q.y * sp)
        q = Point(x: q.x * (distance + v * sp) / distance, y: v)
        if radius.isFinite {
            let s = q.x / radius
            guard abs(s) < 1 else { return nowhere }
            return Point(x: radius * (asin(s) - turn), y: q.y) + center
        }
        guard distance * cy - q.x * sy > 1 else { return nowhere }
        let u = q.x * distance / (distance * cy - q.x * sy)
        return Point(x: u, y: q.y * (distance + u * sy) / distance) + center
    }
}
