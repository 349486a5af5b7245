import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite("Marks of prints and screens")
struct TextureCheckTests {
    private static let mesh = SyntheticHead().mesh(
        center: Point(x: 160, y: 120), halfWidth: 60, pose: .frontal)

    /// Returns skin as the cues measure it: slowly changing brightness with camera noise.
    private static func skin(
        _ color: (Double, Double) -> Double = { 130 + 20 * sin($0 / 40) + 10 * cos($1 / 55) }
    ) -> RGBImage {
        var image = RGBImage(width: 320, height: 240, filledWith: .black),
            generator = SeededGenerator(seed: 5)
        for y in 0..<240 {
            for x in 0..<320 {
                let value = UInt8(max(0, min(255, color(Double(x), Double(y)))))
                image[x, y] = RGBColor(value, value, value)
            }
        }
        image = image.withCameraNoise(2, using: &generator)
        return image
    }

    private static func face(_ image: RGBImage) -> LiveFace {
        LiveFace(
            box: mesh.bounds, mesh: mesh, pose: .frontal, eyes: EyeOpening(right: 0.2, left: 0.2),
            quality: FaceQuality(parts: []), likeness: nil,
            patch: FacePatch(of: mesh, in: image), texture: TextureCues(of: mesh, in: image))
    }

    @Test("skin and noise have no peak, no glare, and no border")
    func skin() throws {
        let cues = TextureCues(of: Self.mesh, in: Self.skin())
        #expect(try #require(cues.peak) < 20)
        #expect(cues.glare == 0 && cues.border < 5)
    }

    @Test(
        "a grid of a few levels shows as a peak that grows with its strength, except in a face too small to measure"
    )
    func grid() throws {
        let peaks = try [2.0, 6, 18].map { strength in
            let image = Self.skin {
                130 + strength * (cos(2 * .pi * $0 / 3.7) * cos(2 * .pi * $1 / 4.3))
            }
            return try #require(TextureCues(of: Self.mesh, in: image).peak)
        }
        #expect(peaks[0] > 20 && peaks[1] > peaks[0] + 6 && peaks[2] > peaks[1] + 6, "\(peaks)")
        let small = SyntheticHead().mesh(
            center: Point(x: 160, y: 120), halfWidth: 30, pose: .frontal)
        #expect(TextureCues(of: small, in: Self.skin()).peak == nil)
    }

    @Test("glare is the bright spot's fraction of the face")
    func glare() {
        let box = Self.mesh.bounds
        let image = Self.skin { x, y in
            x < box.x + box.width / 2 && y < box.y + box.height / 2 && x >= box.x && y >= box.y
                ? 400 : 130
        }
        #expect(abs(TextureCues(of: Self.mesh, in: image).glare - 0.25) < 0.03)
    }

    @Test("a border on three sides counts, a door on two does not")
    func border() {
        func image(_ isDark: @escaping (Double, Double) -> Bool) -> RGBImage {
            Self.skin { isDark($0, $1) ? 10 : 150 }
        }
        let device = image { x, y in !(80..<240 ~= x && 20..<220 ~= y) },
            door = image { x, _ in !(80..<240 ~= x) }
        #expect(TextureCues(of: Self.mesh, in: device).border > 100)
        #expect(TextureCues(of: Self.mesh, in: door).border < 20)
    }

    @Test("moving bands show in rows; a moving face shows in rows and columns")
    func banding() throws {
        func patch(_ shift: Double, _ band: Double) throws -> FacePatch {
            try #require(
                FacePatch(
                    of: Self.mesh,
                    in: Self.skin {
                        130 + 25 * sin(($0 - shift) / 9) * cos(($1 - shift) / 8) + 10
                            * cos($1 / 6 + band)
                    }))
        }
        let still = TextureCheck.banding(try patch(0, 0), try patch(0, 0)),
            moved = TextureCheck.banding(try patch(0, 0), try patch(4, 0))
        let banded = TextureCheck.banding(try patch(0, 0), try patch(0, 2))
        #expect(abs(still - 1) < 0.5 && moved < 3, "\(still) \(moved)")
        #expect(banded > 6, "\(banded)")
    }

    @Test("the session's median decides, and only with enough frames")
    func middle() throws {
        let grid = Self.skin { 130 + 60 * (cos(2 * .pi * $0 / 3.7) * cos(2 * .pi * $1 / 4.3)) }
        let limits = LivenessLimits(threshold: 100)
        var check = TextureCheck(limits: limits)
        for _ in 0..<4 { check.see(Self.face(grid)) }
        #expect(check.cues.isEmpty && check.result == nil)
        for _ in 0..<4 { check.see(Self.face(grid)) }
        #expect(LivenessDecision(check.cues).refusal(over: limits.decision) == .peak)
        for _ in 0..<9 { check.see(Self.face(Self.skin())) }
        #expect(LivenessDecision(check.cues).refusal(over: limits.decision) == nil)
    }
}
