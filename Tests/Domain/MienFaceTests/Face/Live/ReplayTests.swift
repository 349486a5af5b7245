import MienCore
import MienFace
import MienTesting
import Testing

@Suite("Replays")
struct ReplayTests {
    /// Returns a synthetic picture of a few waves, so that neighboring pixels are similar, as in a
    /// face.
    private func patch(_ seed: UInt64, noise: Double = 0, phase: Double = 0) -> FacePatch {
        var generator = SeededGenerator(seed: seed),
            noises = SeededGenerator(seed: seed &* 977 &+ UInt64(1000 * noise))
        let waves = (0..<12).map { _ in
            (
                generator.uniform() * 0.6, generator.uniform() * 0.6, generator.uniform() * 6,
                6 + 10 * generator.uniform()
            )
        }
        let side = FacePatch.side
        return FacePatch(
            brightness: (0..<side * side).map { i in
                let x = Double(i % side), y = Double(i / side)
                let value =
                    waves.reduce(128) { $0 + $1.3 * wave($1.0 * x + $1.1 * y + $1.2 + phase) }
                    + noise * noises.normal()
                return UInt8(max(0, min(255, value)))
            })
    }

    private func wave(_ x: Double) -> Double {
        let t = x.truncatingRemainder(dividingBy: 2 * .pi) / .pi
        return t < 1 ? 1 - 8 * (t - 0.5) * (t - 0.5) / 2 : 8 * (t - 1.5) * (t - 1.5) / 2 - 1
    }

    @Test(
        "a picture keeps its hash, changes it little with less light, and other pictures differ in half of the bits"
    )
    func hashes() {
        let one = patch(1), hash = ReplayHash(one)
        #expect(hash.distance(to: ReplayHash(one)) == 0)
        #expect(
            ReplayHash(FacePatch(brightness: one.brightness.map { $0 / 2 + 20 })).distance(to: hash)
                <= ReplayHash.near)
        let distances = (2..<40).map { ReplayHash(patch($0)).distance(to: hash) }
        #expect(distances.allSatisfy { $0 > 2 * ReplayHash.near }, "\(distances)")
        #expect("\(hash)" == "‹replay hash›" && Mirror(reflecting: hash).children.isEmpty)
    }

    @Test("a frequency is one bit, regardless of its strength")
    func bits() {
        let flat = FacePatch(
            brightness: [UInt8](repeating: 90, count: FacePatch.side * FacePatch.side))
        let ramp = FacePatch(
            brightness: (0..<FacePatch.side * FacePatch.side).map { UInt8($0 % FacePatch.side * 3) }
        )
        let inverse = FacePatch(brightness: ramp.brightness.map { 255 - $0 })
        #expect(ReplayHash(ramp).distance(to: ReplayHash(inverse)) > 0)
        #expect(ReplayHash(flat) == ReplayHash(flat))
    }

    private func trail(_ seed: UInt64, frames: Int) -> (ReplayTrail, [ReplayHash]) {
        let hashes = (0..<frames).map { ReplayHash(patch(seed << 16 | UInt64($0))) }
        var trail = ReplayTrail()
        for hash in hashes { trail.see(hash) }
        return (trail, hashes)
    }

    @Test(
        "a trail is bounded and evenly spread, and recognizes its session or a third of it, but not from fewer than five hashes",
        arguments: [5, 32, 33, 200])
    func trails(frames: Int) {
        let (trail, hashes) = trail(1, frames: frames)
        #expect((min(frames, 17)...ReplayTrail.maxHashes).contains(trail.hashes.count))
        #expect(trail.isReplayed(by: hashes))
        #expect(trail.matches(in: hashes) == trail.hashes.count)
        #expect(!trail.isReplayed(by: self.trail(2, frames: frames).1))
        let half = Array(hashes.prefix(frames / 2 + 3))
        #expect(
            trail.isReplayed(by: half)
                == (trail.matches(in: half) >= max(5, (trail.hashes.count + 2) / 3)))
        let four = Array(trail.hashes.prefix(4))
        #expect(!trail.isReplayed(by: four))
        #expect(
            !self.trail(3, frames: 4).0.isReplayed(by: self.trail(3, frames: 4).1),
            "too short to be recognized")
    }

    @Test("a trail survives writing and reading; bytes of other lengths are rejected")
    func bytes() throws {
        let (trail, _) = trail(1, frames: 50), bytes = trail.bytes
        #expect(try #require(ReplayTrail(bytes: bytes)).hashes == trail.hashes)
        for count in [0, 1, 31, 33, bytes.count - 1] {
            #expect(ReplayTrail(bytes: Array(bytes.prefix(count))) == nil)
        }
        #expect(ReplayTrail(bytes: [UInt8](repeating: 0, count: 33 * 32)) == nil)
        #expect(
            "\(trail)" == "‹replay trail of \(trail.hashes.count)›"
                && Mirror(reflecting: trail).children.isEmpty)
    }
}
