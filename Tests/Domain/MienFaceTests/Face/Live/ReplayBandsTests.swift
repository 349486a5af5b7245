import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite("Bands of replay hashes")
struct ReplayBandsTests {
    private static func hash(_ random: inout SeededGenerator) -> ReplayHash {
        ReplayHash(
            words: SIMD4(random.next(), random.next(), random.next(), random.next()))
    }

    /// Flips bits of a hash: `counts[band]` of each band.
    private static func flipped(
        _ hash: ReplayHash, _ counts: [Int], _ random: inout SeededGenerator
    ) -> ReplayHash {
        var words = hash.words
        for (band, count) in counts.enumerated() {
            let bits = stride(from: band, to: ReplayHash.bits, by: ReplayBands.count).shuffled(
                using: &random)
            for bit in bits.prefix(count) { words[bit / 64] ^= 1 << UInt64(bit % 64) }
        }
        return ReplayHash(words: words)
    }

    private static func isFound(_ stored: ReplayHash, by asked: ReplayHash) -> Bool {
        !Set(ReplayBands.values(of: stored)).isDisjoint(with: ReplayBands.nearValues(of: asked))
    }

    /// All ways to write `total` as a sum of at most `parts` numbers in descending order.
    private static func sums(_ total: Int, parts: Int, atMost most: Int) -> [[Int]] {
        if total == 0 { return [Array(repeating: 0, count: parts)] }
        guard parts > 0 else { return [] }
        return (1...min(total, most)).reversed().flatMap { first in
            sums(total - first, parts: parts - 1, atMost: first).map { [first] + $0 }
        }
    }

    @Test("bands cover every bit once, and values of different bands differ")
    func cover() {
        var random = SeededGenerator(seed: 1)
        let hash = Self.hash(&random), values = ReplayBands.values(of: hash)
        #expect(values.count == 13 && Set(values).count == 13)
        for bit in 0..<ReplayHash.bits {
            var words = hash.words
            words[bit / 64] ^= 1 << UInt64(bit % 64)
            let changed = ReplayBands.values(of: ReplayHash(words: words))
            #expect(zip(values, changed).count { $0 != $1 } == 1)
        }
        #expect(Set(ReplayBands.nearValues(of: hash)).count == 13 + ReplayHash.bits)
    }

    @Test("every near hash is found, however its differing bits are spread over the bands")
    func pigeonhole() {
        var random = SeededGenerator(seed: 2), tried = 0
        for distance in 0...ReplayHash.near {
            for spread in Self.sums(distance, parts: ReplayBands.count, atMost: 19) {
                let hash = Self.hash(&random)
                let near = Self.flipped(hash, spread.shuffled(using: &random), &random)
                #expect(hash.distance(to: near) == distance && hash.isNear(near))
                #expect(Self.isFound(hash, by: near), "\(spread)")
                tried += 1
            }
        }
        #expect(tried > 5000)
        // Two bits in each band are the fewest that hide a hash.
        let hash = Self.hash(&random)
        let far = Self.flipped(hash, Array(repeating: 2, count: ReplayBands.count), &random)
        #expect(hash.distance(to: far) == 26 && !Self.isFound(hash, by: far))
    }

    @Test("each trail that a session replays is stored under one of its bands")
    func trails() {
        var random = SeededGenerator(seed: 3), replays = 0, strangers = 0
        for round in 0..<300 {
            let frames = (0..<Int.random(in: 5...300, using: &random)).map { _ in
                Self.hash(&random)
            }
            var trail = ReplayTrail()
            for frame in frames { trail.see(frame) }
            // A part of the session again, more or less disturbed.
            let start = Int.random(in: 0..<frames.count, using: &random)
            let again = frames[start...].map { frame in
                Self.flipped(
                    frame,
                    (0..<ReplayBands.count).map { _ in
                        Int.random(in: 0...(round % 4), using: &random)
                    }, &random)
            }
            let found = !trail.bands.isDisjoint(with: ReplayTrail.bands(nearAnyOf: again))
            if trail.isReplayed(by: again) {
                replays += 1
                #expect(found)
            }
            let other = (0..<50).map { _ in Self.hash(&random) }
            if !trail.bands.isDisjoint(with: ReplayTrail.bands(nearAnyOf: other)) { strangers += 1 }
        }
        #expect(replays > 50)
        #expect(strangers < 300, "some are ruled out")
    }
}
