import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite struct ScoreDriftTests {
    /// Scores that are normally distributed with a deviation of 10.
    private struct Scores {
        var generator: SeededGenerator
        mutating func next(mean: Double) -> MatchScore {
            MatchScore(mean + 10 * generator.normal())
        }
    }

    @Test func `a band is a decade of false-match rates, or the top of the scale`() {
        #expect(
            [0, 11.9, 12, 47.9, 48, 60, 71.9, 72].map { ScoreBand(MatchScore($0)).lowest }
                == [0, 0, 12, 36, 48, 60, 60, 72])
    }

    @Test func `scores that stay the same raise an alarm in fewer than 1 of 1,000 windows`() {
        var alarms = 0, scores = Scores(generator: SeededGenerator(seed: 1))
        for _ in 0..<200 {
            var drift = ScoreDrift()
            for _ in 0..<ScoreDrift.referenceCount + 20 * ScoreDrift.windowCount
            where drift.add(scores.next(mean: 60)) && drift.isFalling { alarms += 1 }
        }
        #expect(alarms < 4, "\(alarms) of 4,000 windows")
    }

    @Test(arguments: 1...10)
    func `scores that become lower by one deviation raise one alarm, which ends when they recover`(
        seed: Int
    ) {
        var drift = ScoreDrift(), scores = Scores(generator: SeededGenerator(seed: UInt64(seed)))
        func changes(_ count: Int, mean: Double) -> [Bool] {
            (0..<count).compactMap { _ in
                drift.add(scores.next(mean: mean)) ? drift.isFalling : nil
            }
        }
        #expect(changes(ScoreDrift.referenceCount, mean: 60) == [])
        #expect(changes(3 * ScoreDrift.windowCount, mean: 50) == [true])
        #expect(changes(3 * ScoreDrift.windowCount, mean: 61) == [false])
        #expect(changes(3 * ScoreDrift.windowCount, mean: 70) == [], "higher scores are fine")
    }

    @Test func `scores that are all in one band never raise an alarm`() {
        var drift = ScoreDrift()
        let changes = (0..<2_000).count { _ in drift.add(MatchScore(72)) }
        #expect(changes == 0 && !drift.isFalling)
    }

    @Test func `the rank sum follows its definition`() {
        var low = ScoreDrift.Counts(), high = ScoreDrift.Counts()
        // 0, 0, 12 against 12, 24: U = 0 + 0 + 1/2, of 6 pairs; ties: two groups of two.
        for band in [ScoreBand.from0, .from0, .from12] { low.add(band) }
        for band in [ScoreBand.from12, .from24] { high.add(band) }
        let variance = 6.0 / 12 * (6 - 12.0 / 20)
        #expect(abs(low.deviation(from: high) - (0.5 - 3) / variance.squareRoot()) < 1e-12)
        #expect(abs(high.deviation(from: low) + low.deviation(from: high)) < 1e-12)
        #expect(ScoreDrift.Counts().deviation(from: low) == 0)
    }
}
