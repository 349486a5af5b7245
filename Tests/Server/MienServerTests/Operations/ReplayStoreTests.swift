import MienCore
import MienStore
import MienTesting
import Testing

@testable import MienFace
@testable import MienServer

@Suite("Replays on several servers")
struct ReplayStoreTests {
    private static func frames(_ count: Int, _ random: inout SeededGenerator) -> [ReplayHash] {
        (0..<count).map { _ in
            ReplayHash(words: SIMD4(random.next(), random.next(), random.next(), random.next()))
        }
    }

    private static func trail(_ frames: [ReplayHash]) -> ReplayTrail {
        var trail = ReplayTrail()
        for frame in frames { trail.see(frame) }
        return trail
    }

    /// Flips up to `most` random bits of each frame.
    private static func disturbed(
        _ frames: [ReplayHash], atMost most: Int, _ random: inout SeededGenerator
    ) -> [ReplayHash] {
        frames.map { frame in
            var words = frame.words
            for _ in 0..<Int.random(in: 0...most, using: &random) {
                let bit = Int.random(in: 0..<256, using: &random)
                words[bit / 64] ^= 1 << UInt64(bit % 64)
            }
            return ReplayHash(words: words)
        }
    }

    @Test("the verdicts are those of a comparison with all trails")
    func equivalence() async throws {
        let servers = try await TwoServers()
        var random = SeededGenerator(seed: 5), replays = 0
        let stores = [
            ReplayStore(store: servers.a, clock: servers.clock, days: 7),
            ReplayStore(store: servers.b, clock: servers.clock, days: 7),
        ]
        var known: [(trail: ReplayTrail, frames: [ReplayHash])] = []
        for number in 0..<160 {
            var session = Self.frames(Int.random(in: 3...80, using: &random), &random)
            if number % 2 == 1, let old = known.randomElement(using: &random) {
                // Of the earlier session, a part, and as much noise as may or may not hide it.
                let start = Int.random(in: 0..<old.frames.count, using: &random)
                session =
                    Self.disturbed(
                        Array(old.frames[start...]), atMost: number % 60, &random)
                    + session.prefix(number % 7)
            }
            let trail = Self.trail(session)
            let expected = known.contains { $0.trail.isReplayed(by: session) }
            let admitted = try await stores[number % 2].admit(
                session, trail: trail, CaptureID("cap_\(number)")!)
            #expect(admitted == !expected, "session \(number)")
            replays += expected ? 1 : 0
            if admitted { known.append((trail, session)) }
        }
        #expect(replays > 20)
    }

    @Test("of simultaneous sessions with the same frames, one is accepted")
    func race() async throws {
        let servers = try await TwoServers()
        var random = SeededGenerator(seed: 6)
        let stores = [
            ReplayStore(store: servers.a, clock: servers.clock, days: 7),
            ReplayStore(store: servers.b, clock: servers.clock, days: 7),
        ]
        let session = Self.frames(40, &random), trail = Self.trail(session)
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for number in 0..<16 {
                tasks.addTask {
                    try await stores[number % 2].admit(
                        session, trail: trail, CaptureID("cap_\(number)")!)
                }
            }
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 1)
        // It is forgotten when its time is over, and not before.
        servers.pass(.seconds(7 * 86_400 - 1))
        #expect(try await !stores[0].admit(session, trail: trail, CaptureID("cap_x")!))
        servers.pass(.seconds(1))
        #expect(try await stores[0].admit(session, trail: trail, CaptureID("cap_y")!))
    }
}
