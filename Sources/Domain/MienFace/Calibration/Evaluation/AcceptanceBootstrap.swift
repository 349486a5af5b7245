internal import Foundation
public import MienCore

/// Estimates how much true accepts at fixed false-match rates would vary with other people.
///
/// Each round draws people with replacement (see ``PeopleBootstrap``), finds the threshold that
/// gives the false-match rate among the drawn people, and counts their true accepts at it. The
/// intervals therefore include the uncertainty of the threshold.
public struct AcceptanceBootstrap: Sendable {
    /// The middle 95 % of the rounds, lower and upper end, each 0…1.
    public struct Interval: Sendable, Equatable {
        /// Per pair.
        public let trueAcceptRate: [Double]
        /// Counting each person once.
        public let trueAcceptRatePerPerson: [Double]
    }

    private let bootstrap: PeopleBootstrap
    private let knotCount: Int
    /// For each person: how many of their pairs reach at least each knot, from none to all knots.
    private var reached: [[Int]]

    /// - Parameters:
    ///   - scorer: The pairs.
    ///   - rates: The rates of the same pairs.
    public init(_ scorer: PairScorer, _ rates: ErrorRates) {
        // From one false match to one in 100 pairs, as finely as the bootstrap allows.
        let last = -log10(Double(max(rates.impostorPairs, 100))), first = -2.0
        var scores: [Double] = []
        for step in 0..<Self.steps {
            let logRate = first + (last - first) * Double(step) / Double(Self.steps - 1)
            let score = rates.point(falseMatchRate: pow(10, logRate)).threshold
            if scores.last.map({ score > $0 }) ?? true { scores.append(score) }
        }
        knotCount = scores.count
        let people = scorer.set.people, knots = scores.map { Float($0) }
        var bootstrap = PeopleBootstrap(scorer.set, knotScores: scores)
        var reached = Array(
            repeating: [Int](repeating: 0, count: scores.count + 1), count: scorer.set.personCount)
        scorer.forEachRow { i, row in
            bootstrap.add(row: i, row)
            for j in 0..<i where people[j] == people[i] {
                for knot in 0...(knots.lastIndex { $0 <= row[j] }.map { $0 + 1 } ?? 0) {
                    reached[people[i]][knot] += 1
                }
            }
        }
        (self.bootstrap, self.reached) = (bootstrap, reached)
    }

    private static let steps = 240

    /// - Parameters:
    ///   - falseMatchRates: Each above 0 and at most 0.01.
    ///   - rounds: Over 0. Each takes time in proportion to the number of pairs.
    /// - Returns: An interval for each rate.
    public func intervals(
        falseMatchRates: [Double], rounds: Int, using generator: inout SeededGenerator
    ) -> [Interval] {
        samples(falseMatchRates: falseMatchRates, rounds: rounds, using: &generator).map {
            Interval(
                trueAcceptRate: PeopleBootstrap.interval($0.trueAcceptRate),
                trueAcceptRatePerPerson: PeopleBootstrap.interval($0.trueAcceptRatePerPerson))
        }
    }

    /// The rates of each round. Two sets of the same people and the same seed draw the same people,
    /// so that their differences can be compared round by round.
    public struct Samples: Sendable, Equatable {
        /// Per pair, 0…1.
        public let trueAcceptRate: [Double]
        /// Counting each person once, 0…1.
        public let trueAcceptRatePerPerson: [Double]
    }

    /// - Parameters: As for ``intervals(falseMatchRates:rounds:using:)``.
    /// - Returns: The rounds for each rate.
    public func samples(
        falseMatchRates: [Double], rounds: Int, using generator: inout SeededGenerator
    ) -> [Samples] {
        precondition(rounds > 0 && !falseMatchRates.isEmpty)
        var pairs = falseMatchRates.map { _ in [Double]() }, people = pairs
        for _ in 0..<rounds {
            let times = bootstrap.draw(using: &generator), logRates = bootstrap.logRates(times)
            for (k, rate) in falseMatchRates.enumerated() {
                // The most lenient threshold that keeps the rate; else the strictest one.
                let knot = logRates.firstIndex { $0 <= log10(rate) } ?? knotCount - 1
                let (perPair, perPerson) = accepts(knot: knot, times)
                pairs[k].append(perPair)
                people[k].append(perPerson)
            }
        }
        return falseMatchRates.indices.map {
            Samples(trueAcceptRate: pairs[$0], trueAcceptRatePerPerson: people[$0])
        }
    }

    private func accepts(knot: Int, _ times: [Int]) -> (perPair: Double, perPerson: Double) {
        var accepted = 0, all = 0, shares = 0.0, people = 0
        for (person, counts) in reached.enumerated() where counts[0] > 0 && times[person] > 0 {
            accepted += times[person] * counts[knot + 1]
            all += times[person] * counts[0]
            shares += Double(times[person]) * Double(counts[knot + 1]) / Double(counts[0])
            people += times[person]
        }
        return (Double(accepted) / Double(max(all, 1)), shares / Double(max(people, 1)))
    }
}
