public import MienCore
public import MienFace
internal import MienMedia

/// Drawn photos of a document, or of a copy of it, that a hand tilts in front of a camera.
public struct TiltedSpecimen: Sendable {
    /// The kind of surface that reflects light.
    public enum Surface: String, Sendable, CaseIterable {
        /// Smooth plastic, which reflects lamps.
        case laminate
        /// Duller plastic with a hologram, whose colors change with the direction.
        case hologram
        /// A print on dull paper, with a reflection that belongs to the picture in every second one.
        case mattePrint = "matte_print"
        /// A print on photo paper, which reflects lamps as plastic does.
        case glossyPrint = "glossy_print"
        /// A screen behind glass.
        case screen
        /// A document under even light, without any lamp that it could reflect.
        case unlit
    }

    public let surface: Surface
    /// A photo of it at rest, as ``SpecimenScene`` draws one.
    public let front: RGBImage
    /// In the order in which they were taken.
    public let frames: [RGBImage]

    /// - Parameters:
    ///   - millimeters: The document's width.
    ///   - degrees: How far it is tilted to each side; 10…20 by default.
    ///   - count: The number of frames.
    public init(
        _ surface: Surface, of document: RGBImage, millimeters: Double, degrees: Double? = nil,
        count: Int = 8, width: Int = 1280, height: Int = 960, _ random: inout SeededGenerator
    ) {
        self.surface = surface
        var picture = document
        if surface == .mattePrint, Bool.random(using: &random) {
            picture = Self.withGlare(document, &random)
        }
        let copy: CopiedSurface? =
            surface == .screen
            ? CopiedSurface(.screen, picture, width: millimeters, &random)
            : surface == .glossyPrint || surface == .mattePrint
                ? CopiedSurface(.inkjet, picture, width: millimeters, &random) : nil
        front =
            surface == .screen || copy != nil
            ? SpecimenScene(
                surface == .screen ? .screen : .inkjet, of: picture, millimeters: millimeters,
                &random
            ).image
            : SpecimenScene(of: picture, &random).image

        let reflections = Reflections(surface, &random)
        let path = TiltPath(
            size: Point(
                x: millimeters,
                y: millimeters * Double(document.height) / Double(document.width)),
            degrees: degrees ?? .random(in: 10...20, using: &random), width: width, height: height,
            &random)
        let table = random
        let grain = Double.random(in: 1...3, using: &random)
        let quality = Int.random(in: 60...85, using: &random)
        frames = (0..<count).map { k in
            var background = table
            var scene = Painter(width: width, height: height, &background)
            let pose = path.pose(Double(k) / Double(max(count - 1, 1)), &random)
            if let copy {
                scene.paint(copy, pose.corners)
            } else {
                scene.paint(picture, pose.corners)
            }
            scene.add(reflections, pose)
            scene.finish(
                brightness: .random(in: 0.85...1.05, using: &random),
                blur: .random(in: 0.4...1.4, using: &random), noise: grain, &random)
            let jpeg = JPEGEncoder.encode(scene.image, quality: quality)
            return (try? ImageDecoder.decode(jpeg)) ?? scene.image
        }
    }

    /// The picture with a lamp's reflection that is part of it.
    private static func withGlare(_ document: RGBImage, _ random: inout SeededGenerator) -> RGBImage
    {
        let w = Double(document.width), h = Double(document.height)
        let center = Point(
            x: w * .random(in: 0.25...0.75, using: &random),
            y: h * .random(in: 0.25...0.75, using: &random))
        let size = w * .random(in: 0.06...0.14, using: &random)
        var out = document
        for y in 0..<document.height {
            for x in 0..<document.width {
                let p = (Point(x: Double(x), y: Double(y)) - center) * (1 / size)
                let strength = Wave.exponential(-Float(p.x * p.x + p.y * p.y) * 1.6) * 300
                guard strength > 1 else { continue }
                let color = document[x, y]
                func lit(_ byte: UInt8) -> UInt8 { UInt8(min(255, Float(byte) + strength)) }
                out[x, y] = RGBColor(lit(color.red), lit(color.green), lit(color.blue))
            }
        }
        return out
    }
}

/// Where a document is in front of a camera.
struct TiltPose {
    /// Top left, top right, bottom right, and bottom left, in pixels.
    let corners: [Point]
    /// The middle and the sides of the document in the camera's coordinates, in millimeters: right,
    /// down, and away from it.
    let center, across, down: SIMD3<Double>
    /// Toward the camera.
    let normal: SIMD3<Double>
    let focalLength: Double

    /// The point of the document that a pixel shows.
    func point(x: Double, y: Double, width: Int, height: Int) -> SIMD3<Double> {
        let ray = SIMD3(
            (x - Double(width) / 2) / focalLength, (y - Double(height) / 2) / focalLength, 1)
        return ray * ((normal * center).sum() / (normal * ray).sum())
    }
}

/// How a hand moves a document.
private struct TiltPath {
    let size: Point
    let width, height: Int
    private let focalLength, distance, roll: Double
    private let swing, sway: Double
    private let phases: (Double, Double)
    private let place: Point

    init(
        size: Point, degrees: Double, width: Int, height: Int, _ random: inout SeededGenerator
    ) {
        (self.size, self.width, self.height) = (size, width, height)
        focalLength = Double(width) * .random(in: 0.75...1.05, using: &random)
        let fill = Double.random(in: 0.5...0.66, using: &random)
        distance = size.x * focalLength / (fill * Double(width))
        roll = .random(in: -8...8, using: &random)
        swing = degrees
        sway = degrees * .random(in: 0.2...0.8, using: &random)
        phases = (.random(in: 0..<1, using: &random), .random(in: 0..<1, using: &random))
        place = Point(
            x: .random(in: -0.04...0.04, using: &random),
            y: .random(in: -0.04...0.04, using: &random))
    }

    func pose(_ t: Double, _ random: inout SeededGenerator) -> TiltPose {
        func shaky(_ range: Double) -> Double { .random(in: -range...range, using: &random) }
        let pitch = (swing * Wave.sine(0.8 * t + phases.0) + shaky(1)) / 360
        let yaw = (sway * Wave.sine(t + phases.1) + shaky(1)) / 360
        let turn = (roll + shaky(2)) / 360
        let (cp, sp) = (Wave.cosine(pitch), Wave.sine(pitch))
        let (cy, sy) = (Wave.cosine(yaw), Wave.sine(yaw))
        let (cr, sr) = (Wave.cosine(turn), Wave.sine(turn))
        // About the horizontal axis, the vertical one, then the camera's.
        func turned(_ v: SIMD3<Double>) -> SIMD3<Double> {
            let a = SIMD3(v.x, v.y * cp - v.z * sp, v.y * sp + v.z * cp)
            let b = SIMD3(a.x * cy + a.z * sy, a.y, a.z * cy - a.x * sy)
            return SIMD3(b.x * cr - b.y * sr, b.x * sr + b.y * cr, b.z)
        }
        let across = turned(SIMD3(1, 0, 0)), down = turned(SIMD3(0, 1, 0))
        let far = distance * (1 + shaky(0.03))
        let center = SIMD3(
            (place.x + shaky(0.015)) * far / 0.9, (place.y + shaky(0.015)) * far / 0.9, far)
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map { u, v in
            let p = center + across * (u * size.x) + down * (v * size.y)
            return Point(
                x: Double(width) / 2 + focalLength * p.x / p.z,
                y: Double(height) / 2 + focalLength * p.y / p.z)
        }
        return TiltPose(
            corners: corners, center: center, across: across, down: down,
            normal: turned(SIMD3(0, 0, -1)), focalLength: focalLength)
    }
}

/// The lamps of a room, and what a surface makes of them.
struct Reflections {
    private struct Lamp {
        var position: SIMD3<Double>
        /// As seen from the document, in turns.
        var radius: Double
        var color: SIMD3<Float>
    }

    private let lamps: [Lamp]
    /// The share of light that does not come from the lamps.
    private let ambient: Double
    private let emitsLight: Bool
    private let gloss: Float
    /// How wide a lamp's reflection becomes, in turns.
    private let roughness: Double
    /// How far the surface is bent: the change of its direction in 100 mm.
    private let bend: SIMD2<Double>
    private let hologram: Hologram?

    private struct Hologram {
        /// In millimeters from the document's middle.
        var center: SIMD2<Double>
        var radius: Double
        var period: Double
        var colors: Double
        var strength: Float
    }

    init(_ surface: TiltedSpecimen.Surface, _ random: inout SeededGenerator) {
        func within(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        lamps = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            // Behind the camera, or beside it.
            let away = within(10...60) / 360, around = within(0...1), distance = within(500...2500)
            let direction = SIMD3(
                Wave.sine(away) * Wave.cosine(around), Wave.sine(away) * Wave.sine(around),
                -Wave.cosine(away))
            let warmth = Float(within(0.75...1))
            return Lamp(
                position: direction * distance + SIMD3(0, 0, 250), radius: within(1.5...8) / 360,
                color: SIMD3(1, (1 + warmth) / 2, warmth))
        }
        ambient = within(0.5...0.8)
        bend = SIMD2(within(-0.03...0.03), within(-0.03...0.03))
        emitsLight = surface == .screen
        switch surface {
        case .laminate, .glossyPrint:
            (gloss, roughness) = (Float(within(0.5...2.5)), within(2...7) / 360)
        case .hologram: (gloss, roughness) = (Float(within(0.1...0.5)), within(5...12) / 360)
        case .mattePrint: (gloss, roughness) = (Float(within(0.02...0.08)), within(20...40) / 360)
        case .screen: (gloss, roughness) = (Float(within(0.2...1.2)), within(0.5...4) / 360)
        case .unlit: (gloss, roughness) = (0, 0.1)
        }
        hologram =
            surface == .hologram
            ? Hologram(
                center: SIMD2(within(-20...20), within(-10...10)), radius: within(8...16),
                period: within(2...6), colors: within(3...8), strength: Float(within(0.2...0.6)))
            : nil
    }

    /// The factor of the surface's own light, and the light that is added, 0…1 for white.
    func light(at p: SIMD3<Double>, of pose: TiltPose) -> (factor: Float, added: SIMD3<Float>) {
        let offset = p - pose.center
        let u = (offset * pose.across).sum(), v = (offset * pose.down).sum()
        let normal = Self.unit(
            pose.normal + pose.across * (bend.x * u / 100) + pose.down * (bend.y * v / 100))
        let view = Self.unit(p * -1)
        let mirrored = normal * (2 * (normal * view).sum()) - view
        var diffuse = 0.0, added = SIMD3<Float>(), nearest = 0.5
        for lamp in lamps {
            let direction = Self.unit(lamp.position - p)
            diffuse += max(0, (normal * direction).sum()) / Double(lamps.count)
            let angle = Wave.turns(cosine: (mirrored * direction).sum())
            nearest = min(nearest, angle)
            let off = Float(max(0, angle - lamp.radius) / roughness)
            added += lamp.color * (gloss * Wave.exponential(-off * off))
        }
        if let hologram {
            let d = SIMD2(u, v) - hologram.center
            let far = (d * d).sum().squareRoot()
            if far < hologram.radius {
                let tilt = (normal * Self.unit(view + SIMD3(0.3, 0.5, 0))).sum()
                let phase = far / hologram.period + hologram.colors * tilt * 3
                let off = Float(nearest * 360 / 35)
                let strength = hologram.strength * Wave.exponential(-off * off)
                for c in 0..<3 {
                    let wave = 0.5 + 0.5 * Float(Wave.sine(phase + Double(c) / 3))
                    added[c] += strength * wave * wave
                }
            }
        }
        return (emitsLight ? 1 : Float(ambient + (1 - ambient) * diffuse), added)
    }

    private static func unit(_ v: SIMD3<Double>) -> SIMD3<Double> {
        v / max((v * v).sum().squareRoot(), 1e-9)
    }
}

extension Painter {
    /// Adds the light that a document reflects.
    mutating func add(_ reflections: Reflections, _ pose: TiltPose) {
        let c = pose.corners
        let box = bounds(c, margin: 1)
        func isInside(_ p: Point) -> Bool {
            (0..<4).allSatisfy { k in
                let along = c[(k + 1) % 4] - c[k], to = p - c[k]
                return along.x * to.y - along.y * to.x > 0
            }
        }
        for y in box.rows {
            for x in box.columns {
                let at = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
                guard isInside(at) else { continue }
                let (factor, added) = reflections.light(
                    at: pose.point(x: at.x, y: at.y, width: width, height: height), of: pose)
                let i = y * width + x
                for c in 0..<3 {
                    let own = Wave.power(pixels[i][c] / 255, 2.2)
                    pixels[i][c] = 255 * Wave.power(min(own * factor + added[c], 4), 1 / 2.2)
                }
            }
        }
    }
}
