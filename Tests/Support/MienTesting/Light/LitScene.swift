import Foundation
import MienCore
import MienFace

/// A head in front of a wall, lit by a room and by the screen of a device beside the camera, as that
/// camera sees it: the skin's reflectance, the room's light, the camera's noise, exposure, white
/// balance, and compression are parameters.
///
/// The head is an ellipsoid with a nose and eye sockets, Lambertian, and without shadows. It is not a
/// person: it shows how the estimate depends on light, not how often people are refused.
public struct LitScene: Sendable {
    /// The thing before the camera.
    public enum Subject: String, Sendable, CaseIterable {
        case head
        /// A matte print of the head's picture.
        case print
        /// The same print, bent around the head's axis.
        case bentPrint
        /// A device that shows the head's picture and reflects a twentieth of the light.
        case device
    }

    public var subject = Subject.head
    /// The light of the room on the face, in lux. 20: an evening; 300: an office; 1,000: beside a
    /// window; 10,000 and more: outdoors.
    public var room = 300.0
    /// The light of a white screen on the face, in lux: about 40 of a phone at 40 cm, 65 of a
    /// notebook at 50 cm.
    public var screen = 40.0
    /// Mean reflectance of the skin: 0.5 very light, 0.1 very dark.
    public var skin = 0.35
    /// Deviation of a pixel's noise, in levels, at medium light.
    public var noise = 2.0
    /// The quality of JPEG compression, 1...100; `nil` without.
    public var quality: Int? = 80
    /// The head's sway, in pixels of a picture in which the face is 68 wide.
    public var sway = 1.0
    /// The time from the sequence to the picture.
    public var delay = 0.2
    public var hasAutomaticExposure = true, hasAutomaticWhiteBalance = true
    public var framesPerSecond = 12.0
    /// The distance to the wall, as a multiple of that to the screen.
    public var wall = 4.0
    public var seed: UInt64 = 1

    public init() {}

    /// Returns readings of the light, from `start` on.
    ///
    /// - Parameter challenge: What the screen shows; `nil` for a screen that shows white.
    public func samples(
        of challenge: LightChallenge?, seconds: Double, start: Double = 1
    ) -> [(time: Duration, sample: LightSample)] {
        var camera = LitCamera(self)
        return (0..<Int(seconds * framesPerSecond)).compactMap { frame in
            let time = start + Double(frame) / framesPerSecond
            let (image, mesh) = camera.frame(at: time, challenge)
            return LightSample(of: mesh, in: image).map { (.seconds(time), $0) }
        }
    }
}

/// Takes the frames of a scene, one after another.
public struct LitCamera: Sendable {
    private static let side = 128, radius = 34.0

    private let scene: LitScene
    private var generator: SeededGenerator
    private let phases: [Double]
    private let roomColor, roomDirection, wall: SIMD3<Double>
    private let diffuse: Double
    private let skinTexture, wallTexture: [Double]
    private var gain: Double?
    private var balance = SIMD3(repeating: 1.0)

    public init(_ scene: LitScene) {
        self.scene = scene
        var generator = SeededGenerator(seed: scene.seed &* 977 &+ 5)
        phases = (0..<4).map { _ in generator.uniform() * 6.283 }
        func drawn(_ low: Double, _ high: Double) -> Double {
            low + (high - low) * generator.uniform()
        }
        roomColor = SIMD3<Double>(1.1, drawn(0.9, 1.1), drawn(0.6, 1))
        let right: Double = 0.7 * generator.normal(), down: Double = 0.4 * generator.normal() - 0.8
        let direction = SIMD3<Double>(right, down, 0.5 + 0.3 * abs(generator.normal()))
        roomDirection = direction / (direction * direction).sum().squareRoot()
        diffuse = drawn(0.4, 0.8)
        wall = SIMD3<Double>(drawn(0.2, 0.7), drawn(0.2, 0.7), drawn(0.2, 0.7))
        let count = Self.side * Self.side
        skinTexture = (0..<count).map { _ in 1 + 0.06 * generator.normal() }
        let blocks = (0..<256).map { _ in 0.5 + 0.5 * generator.uniform() }
        wallTexture = (0..<count).map { blocks[$0 / Self.side / 8 * 16 + $0 % Self.side / 8] }
        self.generator = generator
    }

    /// Returns the picture at `time` and the mesh that a network would fit.
    public mutating func frame(at time: Double, _ challenge: LightChallenge?) -> (
        RGBImage, FaceMesh
    ) {
        let sway = scene.sway
        let center = Point(
            x: 64 + sway * (sin(2.1 * time + phases[0]) + 0.5 * sin(5.3 * time + phases[1])),
            y: 64 + sway * (sin(1.7 * time + phases[2]) + 0.5 * sin(4.7 * time + phases[3])))
        var shown = SIMD3(repeating: 1.0)
        if let challenge {
            let light = challenge.light(at: .seconds(time - scene.delay))
            shown = SIMD3(light.red, light.green, light.blue)
        }
        return (developed(lit(center, by: scene.screen * shown)), mesh(center))
    }

    /// The light that reaches the camera from each pixel.
    private func lit(_ center: Point, by screen: SIMD3<Double>) -> [SIMD3<Double>] {
        let side = Self.side, skin = Self.skinColor(scene.skin), room = scene.room * roomColor
        var out = [SIMD3<Double>](repeating: .zero, count: side * side)
        let far = 1 / ((1 + scene.wall) * (1 + scene.wall))
        for y in 0..<side {
            for x in 0..<side {
                let i = y * side + x
                let across = (Double(x) - center.x) / Self.radius,
                    down = (Double(y) - center.y) / (1.3 * Self.radius)
                let behind = wall * wallTexture[i] * (0.8 * room + far * screen)
                // A sheet or device reaches a little beyond the face.
                let isOnSheet = abs(Double(x) - center.x) < 50 && abs(Double(y) - center.y) < 58
                guard scene.subject == .head || isOnSheet else {
                    out[i] = behind
                    continue
                }
                // What a sheet shows: the proportion of the light that is reflected.
                var shape = 0.8 * wall * wallTexture[i], toward = 0.0
                let normal = Self.normal(across, down)
                if let normal {
                    let directed = max(0, (normal * roomDirection).sum())
                    shape =
                        skin * skinTexture[i]
                        * (diffuse * (0.6 - 0.4 * normal.y) + (1 - diffuse) * 1.5 * directed)
                    toward = normal.z
                }
                switch scene.subject {
                case .head:
                    out[i] =
                        normal == nil
                        ? behind : shape * room + skin * skinTexture[i] * toward * screen
                case .print: out[i] = shape * (0.9 * room + screen)
                case .bentPrint:
                    // Around an upright axis, so that its sides face away from the screen.
                    out[i] = shape * (0.9 * room + cos(0.6 * across) * screen)
                case .device: out[i] = shape * 600 + 0.05 * (room + screen)
                }
            }
        }
        return out
    }

    /// The camera's channels, exposure, white balance, noise, and compression.
    private mutating func developed(_ light: [SIMD3<Double>]) -> RGBImage {
        // The camera's filters overlap.
        let seen = light.map { light in
            SIMD3(
                (light * SIMD3(0.82, 0.14, 0.04)).sum(), (light * SIMD3(0.1, 0.8, 0.1)).sum(),
                (light * SIMD3(0.03, 0.17, 0.8)).sum())
        }
        let means = seen.reduce(.zero, +) / Double(seen.count) + SIMD3(repeating: 1e-9)
        let mean = means.sum() / 3
        let (wanted, neutral) = (0.22 / mean, mean / means)
        if let old = gain {
            let step = 1 / scene.framesPerSecond
            if scene.hasAutomaticExposure { gain = old * pow(wanted / old, 1 - exp(-step / 0.5)) }
            if scene.hasAutomaticWhiteBalance {
                for c in 0..<3 {
                    balance[c] *= pow(neutral[c] / balance[c], 1 - exp(-step / 1.5))
                }
            }
        } else {
            (gain, balance) = (wanted, neutral)
        }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * seen.count)
        let factor = gain! * balance, noise = 1.2 * scene.noise / 255
        for light in seen {
            let value = light * factor
            for c in 0..<3 {
                let deviation = noise * min(1, max(0.002, value[c])).squareRoot()
                pixels.append(Self.level(value[c] + deviation * generator.normal()))
            }
        }
        let image = try! RGBImage(width: Self.side, height: Self.side, pixels: pixels)
        return scene.quality.map { image.blockCompressed(quality: $0) } ?? image
    }

    /// The value of sRGB for each of 4,096 amounts of light.
    private static let levels: [UInt8] = (0...4095).map {
        let v = Double($0) / 4095
        let s = v <= 0.003_130_8 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055
        return UInt8(255 * s + 0.5)
    }

    private static func level(_ light: Double) -> UInt8 {
        levels[Int(4095 * min(1, max(0, light)) + 0.5)]
    }

    /// Light skin reflects more of all colors, and relatively more blue.
    private static func skinColor(_ mean: Double) -> SIMD3<Double> {
        let share = min(1, max(0, (mean - 0.1) / 0.4))
        let dark = SIMD3(1.55, 0.87, 0.58), light = SIMD3(1.29, 0.94, 0.77)
        return mean * (dark + (light - dark) * share)
    }

    /// The height of the head over the picture; `nil` beside it.
    private static func height(_ x: Double, _ y: Double) -> Double? {
        let rest = 1 - x * x - y * y
        guard rest > 0 else { return nil }
        func bump(_ dx: Double, _ dy: Double, _ width: Double, _ height: Double) -> Double {
            exp(-(dx * dx / (width * width) + dy * dy / (height * height)))
        }
        return rest.squareRoot() + 0.25 * bump(x, y - 0.1, 0.16, 0.28) - 0.1
            * (bump(x - 0.38, y + 0.2, 0.2, 0.13) + bump(x + 0.38, y + 0.2, 0.2, 0.13))
    }

    private static func normal(_ x: Double, _ y: Double) -> SIMD3<Double>? {
        guard height(x, y) != nil else { return nil }
        let step = 0.02
        guard let right = height(x + step, y), let left = height(x - step, y),
            let low = height(x, y + step), let high = height(x, y - step)
        else { return SIMD3(0.98 * x, 0.98 * y, 0.1) }
        let n = SIMD3((left - right) / (2 * step), (high - low) / (2.6 * step), 1)
        return n / (n * n).sum().squareRoot()
    }

    /// The points of a synthetic head on this one's surface, half a pixel off at most.
    private mutating func mesh(_ center: Point) -> FaceMesh {
        let error = Point(x: 0.4 * generator.normal(), y: 0.4 * generator.normal())
        let flat = SyntheticHead().mesh(center: center, halfWidth: Self.radius)
        let depths = flat.points.map { point in
            let x = (point.x - center.x) / Self.radius, y = (point.y - center.y) / Self.radius / 1.3
            return -Self.radius * (Self.height(x, y) ?? 0)
        }
        return FaceMesh(
            points: flat.points.map { $0 + error }, depths: depths, evidence: flat.evidence)
    }
}
