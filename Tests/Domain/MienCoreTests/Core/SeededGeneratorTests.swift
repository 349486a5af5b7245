import MienCore
import Testing

@Suite struct SeededGeneratorTests {
    /// xoshiro256** filled by SplitMix64 from 42, computed independently.
    @Test("a seed gives the published sequence")
    func knownAnswer() {
        var generator = SeededGenerator(seed: 42)
        #expect(
            (0..<4).map { _ in generator.next() } == [
                1_546_998_764_402_558_742, 6_990_951_692_964_543_102, 12_544_586_762_248_559_009,
                17_057_574_109_182_124_193,
            ])
    }

    @Test("normal deviates have mean 0, variance 1, and the right share beyond 1.96")
    func normal() {
        var generator = SeededGenerator(seed: 7)
        let n = 20_000
        let values = (0..<n).map { _ in generator.normal() }
        let mean = values.reduce(0, +) / Double(n),
            square = values.reduce(0) { $0 + $1 * $1 } / Double(n)
        #expect(abs(mean) < 0.03)
        #expect(abs(square - 1) < 0.04)
        #expect(abs(Double(values.filter { abs($0) > 1.96 }.count) / Double(n) - 0.05) < 0.006)
    }

    @Test("uniform numbers stay in 0..<1 and fill it evenly")
    func uniform() {
        var generator = SeededGenerator(seed: 8), counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 { counts[Int(generator.uniform() * 10)] += 1 }
        #expect(counts.allSatisfy { abs($0 - 1000) < 150 })
    }
}
