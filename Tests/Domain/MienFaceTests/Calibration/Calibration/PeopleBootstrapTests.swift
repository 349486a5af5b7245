import Foundation
import MienFace
import MienTesting
import Testing

@Suite struct PeopleBootstrapTests {
    /// In three dimensions the cosine of two random directions is uniform on −1…1 (Archimedes), so
    /// the true rate at t is (1 − t)/2. Three photos per person make pairs depend on each other. If
    /// they were counted as independent, the intervals would cover the true rate about half as
    /// often as promised.
    @Test("intervals cover the true rate about as often as promised")
    func coverage() {
        let thresholds = [0.4, 0.8, 0.9], worlds = 40
        var covered = [0, 0, 0]
        for world in 0..<worlds {
            var people = SyntheticPeople(seed: UInt64(world), dimension: 3, scatter: 0.01)
            let set = people.set(people: 40, photosEach: 3)
            var bootstrap = PeopleBootstrap(set, knotScores: thresholds)
            PairScorer(set, .none(photoCount: set.photoCount)).forEachRow {
                bootstrap.add(row: $0, $1)
            }
            let rounds = (0..<100).map { _ in
                bootstrap.logRates(bootstrap.draw(using: &people.generator))
            }
            for (i, t) in thresholds.enumerated() {
                let interval = PeopleBootstrap.interval(rounds.map { $0[i] }),
                    truth = log10((1 - t) / 2)
                if interval[0] <= truth && truth <= interval[1] { covered[i] += 1 }
            }
        }
        // 95 % of 40 is 38; two and a half deviations below that is 34.
        #expect(covered.allSatisfy { $0 >= 33 }, "covered \(covered) of \(worlds)")
    }

    @Test("counting everybody once gives the plain rate")
    func plain() {
        var people = SyntheticPeople(seed: 4, dimension: 3)
        let set = people.set(people: 30, photosEach: 2)
        let scorer = PairScorer(set, .none(photoCount: set.photoCount))
        var bootstrap = PeopleBootstrap(set, knotScores: [-0.5, 0.5])
        scorer.forEachRow { bootstrap.add(row: $0, $1) }
        let found = bootstrap.logRates([Int](repeating: 1, count: 30))
        var counts = [0, 0]
        for i in 0..<60 {
            for j in 0..<i where i / 2 != j / 2 {
                for (k, t) in [Float(-0.5), 0.5].enumerated() where scorer.score(i, j) >= t {
                    counts[k] += 1
                }
            }
        }
        for k in 0..<2 {
            #expect(abs(found[k] - log10(Double(counts[k]) / Double(set.impostorPairCount))) < 1e-9)
        }
    }

    @Test("a round draws as many people as the set has")
    func draws() {
        var people = SyntheticPeople(seed: 4, dimension: 3)
        let bootstrap = PeopleBootstrap(people.set(people: 30, photosEach: 1), knotScores: [0])
        for _ in 0..<10 { #expect(bootstrap.draw(using: &people.generator).reduce(0, +) == 30) }
    }
}
