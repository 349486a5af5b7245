import Foundation
import MienCore
import MienFace

/// A subject in front of the camera, genuine or an attack, that sees the session's requests and
/// shows pictures.
public protocol LivenessActor: Sendable {
    /// - Parameter asked: The session's current request; `nil` without one.
    mutating func image(asked: LivenessAction?, at time: Double) -> RGBImage
}

/// The position of a head as it performs its actions, for genuine persons and attackers.
struct Movement: Sendable {
    /// In degrees, as in `HeadPose`.
    var yaw = 0.0, pitch = 0.0
    /// 1 is the size in the photo.
    var zoom = 1.0
    /// 0...1.
    var mouth = 0.0, lids = 0.0

    private var lastTime: Double?
    private var asked: LivenessAction?
    private var askedAt = 0.0
    let reach: Double

    /// - Parameter reach: The largest turn, in degrees.
    init(reach: Double) { self.reach = reach }

    /// Advances to `time`. The head moves 0.3 s after an instruction and returns when nothing is
    /// requested.
    mutating func move(asked now: LivenessAction?, at time: Double) {
        let dt = min(0.2, time - (lastTime ?? time))
        lastTime = time
        if now != asked { (asked, askedAt) = (now, time) }
        let doing = time - askedAt >= 0.3 ? asked : nil
        func approach(_ value: inout Double, _ target: Double, _ perSecond: Double) {
            value += max(-perSecond * dt, min(perSecond * dt, target - value))
        }
        approach(&yaw, doing == .turnLeft ? reach : doing == .turnRight ? -reach : 0, 90)
        approach(&pitch, doing == .lookUp ? 0.7 * reach : doing == .lookDown ? -0.7 * reach : 0, 60)
        // A person who has come closer stays there.
        if doing == .comeCloser { approach(&zoom, 1.6, 0.6) }
        approach(&mouth, doing == .openMouth ? 1 : 0, 3)
        // Down in 0.1 s, closed for 0.1 s, up in 0.1 s; repeated every second while requested.
        let phase = (time - askedAt - 0.3).truncatingRemainder(dividingBy: 1)
        lids = doing == .blink ? max(0, min(1, 1.5 - abs(phase - 0.15) / 0.1)) : 0
    }
}

/// A photo in an unsteady hand in front of a slightly dirty camera.
struct Camera: Sendable {
    let noise: Double
    /// The hand's sway, in pixels.
    let sway: Double
    private var generator: SeededGenerator
    private let phases: [Double]

    init(noise: Double, sway: Double, seed: UInt64) {
        (self.noise, self.sway) = (noise, sway)
        var generator = SeededGenerator(seed: seed)
        phases = (0..<6).map { _ in generator.uniform() * 6.283 }
        self.generator = generator
    }

    func shift(at time: Double) -> Point {
        Point(
            x: sway * (sin(2.1 * time + phases[0]) + 0.5 * sin(5.3 * time + phases[1])),
            y: sway * (sin(1.7 * time + phases[2]) + 0.5 * sin(4.7 * time + phases[3])))
    }

    /// Returns the rotation of an unsteady hand or neck, in degrees.
    func wobble(at time: Double) -> (yaw: Double, pitch: Double) {
        (0.6 * sway * sin(1.3 * time + phases[4]), 0.5 * sway * sin(1.9 * time + phases[5]))
    }

    mutating func seen(_ image: RGBImage) -> RGBImage {
        image.withCameraNoise(noise, using: &generator)
    }
}
