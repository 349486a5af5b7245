internal import Foundation
internal import MienCore

extension Calibrator {
    /// Returns the curve: counted knots, then extrapolated ones, each with its interval.
    func knots(
        _ scorer: PairScorer, _ rates: ErrorRates, using generator: inout SeededGenerator,
        _ progress: (CalibrationProgress) throws -> Void
    ) throws -> [CalibrationTable.Knot] {
        let counted = countedPoints(rates)
        guard counted.count >= 2, let last = counted.last else {
            throw CalibrationError.tooFew(
                "there are \(rates.impostorPairs) pairs of photos of two people; two rates need at least \(plan.minSupport) false matches each"
            )
        }
        // The line's slope is fitted to ten times as many pairs as the last counted knot has.
        var tail = ImpostorTail(
            start: rates.point(falseMatchRate: min(0.1, 10 * last.falseMatchRate)).threshold)
        var bootstrap = PeopleBootstrap(scorer.set, knotScores: counted.map(\.threshold))
        let people = scorer.set.people
        scorer.forEachRow { i, scores in
            bootstrap.add(row: i, scores)
            for j in 0..<i where people[j] != people[i] {
                tail.add(scores[j], people[i], people[j])
            }
        }
        guard let slope = tail.slope() else {
            throw CalibrationError.tooFew(
                "no two people resemble each other enough to measure rare false matches")
        }
        let lastLogRate = log10(last.falseMatchRate)
        let beyond = stride(from: lastLogRate.rounded(.down), through: -6, by: -1).filter {
            $0 < lastLogRate - 0.05
        }
        let beyondScores = beyond.map { last.threshold + ($0 - lastLogRate) / slope }

        var rounds: [[Double]] = []
        for round in 0..<plan.bootstrapRounds {
            let times = bootstrap.draw(using: &generator), logRates = bootstrap.logRates(times)
            let slope = tail.slope(times) ?? slope
            rounds.append(
                logRates
                    + beyondScores.map {
                        logRates[logRates.count - 1] + ($0 - last.threshold) * slope
                    })
            try progress(.bootstrap(round: round + 1, of: plan.bootstrapRounds))
        }
        let intervals = (0..<counted.count + beyond.count).map { knot in
            Self.interval(rounds.map { $0[knot] })
        }
        return counted.enumerated().map { i, point in
            CalibrationTable.Knot(
                score: point.threshold, logRate: log10(point.falseMatchRate),
                support: point.falseMatches, interval: intervals[i],
                isExtrapolated: false)
        }
            + beyond.indices.map { i in
                CalibrationTable.Knot(
                    score: beyondScores[i], logRate: beyond[i], support: 0,
                    interval: intervals[counted.count + i], isExtrapolated: true)
            }
    }

    /// Returns the thresholds at ``logRates`` that enough pairs reach, each stricter than the one
    /// before.
    private func countedPoints(_ rates: ErrorRates) -> [ErrorRates.Point] {
        var points: [ErrorRates.Point] = []
        for logRate in Self.logRates {
            let point = rates.point(falseMatchRate: pow(10, logRate))
            guard point.falseMatches >= plan.minSupport else { break }
            if let last = points.last,
                point.threshold <= last.threshold || point.falseMatches >= last.falseMatches
            {
                continue
            }
            points.append(point)
        }
        return points
    }

    /// Returns the middle 95 %; without rounds, the widest possible interval.
    private static func interval(_ values: [Double]) -> [Double] {
        guard !values.isEmpty else { return [-300, 0] }
        return PeopleBootstrap.interval(values).map { min(0, $0) }
    }
}
