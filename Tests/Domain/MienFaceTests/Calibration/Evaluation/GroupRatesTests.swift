import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienFace

@Suite struct GroupRatesTests {
    /// Returns the groups `tight` and `loose`, in turn, of `count` people with four photos each,
    /// whose photos differ little or much, and a last person of no group.
    private static func rates(
        _ count: Int, threshold: Double = 0.8, seed: UInt64 = 1, rounds: Int = 400
    ) throws -> (GroupRates, PairScorer, [String]) {
        var random = SeededGenerator(seed: seed)
        var set = LabeledDescriptors(dimension: 12), names: [String] = [], rows = ["person,kind"]
        for person in 0..<count {
            let center = (0..<12).map { _ in random.normal() }
            let scatter = person.isMultiple(of: 2) ? 0.25 : 0.6
            for _ in 0..<4 {
                let vector = center.map { Float($0 + scatter * random.normal()) }
                let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
                _ = try set.append(vector.map { $0 / length }, of: "\(person)")
            }
            names.append("\(person)")
            if person < count - 1 {
                rows.append("\(person),\(person.isMultiple(of: 2) ? "tight" : "loose")")
            }
        }
        let list = try GroupList(rows.joined(separator: "\n"))
        let scorer = PairScorer(set, .none(photoCount: set.photoCount))
        var generator = SeededGenerator(seed: 2)
        let found = GroupRates.all(
            list.columns[0], names: names, scorer,
            thresholds: [(MatchScore(48), threshold)], rounds: rounds, using: &generator)
        return (try #require(found.first), scorer, names)
    }

    @Test func `counts are those of the pairs within each group`() throws {
        let (rates, scorer, _) = try Self.rates(21, threshold: 0.7)
        #expect(rates.groups.map(\.name) == ["tight", "loose"])
        #expect(rates.groups.map(\.people) == [10, 10], "the last person has no group")
        for (index, group) in rates.groups.enumerated() {
            var missed = 0, mated = 0, matched = 0, impostors = 0
            for i in 0..<80 {
                for j in 0..<i where i / 4 % 2 == index && j / 4 % 2 == index {
                    let isAccepted = scorer.score(i, j) >= 0.7
                    if i / 4 == j / 4 {
                        mated += 1
                        if !isAccepted { missed += 1 }
                    } else {
                        impostors += 1
                        if isAccepted { matched += 1 }
                    }
                }
            }
            #expect(group.falseNonMatches?.errors == missed)
            #expect(group.falseNonMatches?.comparisons == mated && mated == 60)
            #expect(group.falseMatches?.errors == matched)
            #expect(group.falseMatches?.comparisons == impostors && impostors == 720)
        }
    }

    @Test func `the worse group is found, with intervals that contain the rates`() throws {
        let (rates, _, _) = try Self.rates(161, threshold: 0.85)
        let ratio = try #require(rates.falseNonMatchRatio)
        #expect(ratio.worst == "loose" && ratio.best == "tight")
        let value = try #require(ratio.value), interval = try #require(ratio.interval)
        #expect(interval[0] <= value && value <= interval[1] && interval[0] > 1)
        for rate in rates.groups.flatMap({ [$0.falseNonMatches, $0.falseMatches] }) {
            let rate = try #require(rate)
            #expect(rate.interval[0] <= rate.value && rate.value <= rate.interval[1])
        }
        let (fewer, _, _) = try Self.rates(41, threshold: 0.85)
        func width(_ rates: GroupRates) throws -> Double {
            let interval = try #require(rates.groups[1].falseNonMatches).interval
            return interval[1] - interval[0]
        }
        let (narrow, wide) = (try width(rates), try width(fewer))
        #expect(narrow < wide, "more people narrow the interval")
    }

    @Test func `about 95 of 100 intervals contain the rate of many people`() throws {
        let (many, _, _) = try Self.rates(1_201, threshold: 0.85, seed: 99, rounds: 1)
        let real = try #require(many.groups[1].falseNonMatches).value
        let hits = try (1...100).count {
            let (rates, _, _) = try Self.rates(61, threshold: 0.85, seed: UInt64($0), rounds: 200)
            let interval = try #require(rates.groups[1].falseNonMatches).interval
            return interval[0] <= real && real <= interval[1]
        }
        #expect((86...100).contains(hits), "\(hits)")
    }

    @Test func `groups without errors end at three errors, and give no ratio`() throws {
        let (rates, _, _) = try Self.rates(21, threshold: -1)
        let missed = try #require(rates.groups[0].falseNonMatches)
        #expect(missed.errors == 0 && missed.interval == [0, 3.0 / 60])
        let ratio = try #require(rates.falseNonMatchRatio)
        #expect(ratio.value == nil && ratio.interval == nil)
        #expect(rates.falseMatchRatio?.value == 1, "every pair matches")
    }
}
