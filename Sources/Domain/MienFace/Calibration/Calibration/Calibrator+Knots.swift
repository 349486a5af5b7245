internal import Foundation
internal import MienCore

extension Calibrator {
    /// Returns the curve: counted knots, then extrapolated ones, each with its interval.
    ///
    /// - Parameters:
    ///   - rates: Of all pairs.
    ///   - groups: The photos of each group. Every knot is at the highest of the scores at which all
    ///     people and each group reach its rate. Groups with too few pairs to count do not matter.
    func knots(
        _ scorer: PairScorer, _ rates: ErrorRates, within groups: [[Int]],
        using generator: inout SeededGenerator, _ progress: (CalibrationProgress) throws -> Void
    ) throws -> [CalibrationTable.Knot] {
        let people = scorer.set.people
        func curve(_ photos: [Int]?, _ rates: ErrorRates) -> ImpostorCurve? {
            ImpostorCurve(
                photos, of: people, rates, logRates: Self.logRates, minSupport: plan.minSupport)
        }
        guard let whole = curve(nil, rates) else {
            throw CalibrationError.tooFew(
                "there are \(rates.impostorPairs) pairs of photos of two people; two rates need at least \(plan.minSupport) false matches each"
            )
        }
        var curves = [whole]
        for (photos, rates) in zip(groups, scorer.rates(within: groups)) {
            if let curve = curve(photos, rates) { curves.append(curve) }
        }
        scorer.forEachRow { i, scores in
            for k in curves.indices { curves[k].add(row: i, scores) }
        }
        let slopes = curves.map { $0.slope() }
        guard slopes[0] != nil else {
            throw CalibrationError.tooFew(
                "no two people resemble each other enough to measure rare false matches")
        }
        let drafts = drafts(curves, slopes)

        // For each curve: the bootstrap of its knots, and last of the point that its line starts at.
        var bootstraps = curves.indices.map { k in
            curves[k].bootstrap(
                personCount: scorer.set.personCount,
                knotScores: drafts.filter { $0.curve == k && $0.support > 0 }.map(\.score)
                    + [curves[k].last.threshold])
        }
        scorer.forEachRow { i, scores in
            for k in curves.indices {
                if let row = curves[k].row(i, scores) {
                    bootstraps[k].add(row: row.place, row.scores)
                }
            }
        }
        var rounds: [[Double]] = []
        for round in 0..<plan.bootstrapRounds {
            let times = bootstraps[0].draw(using: &generator)
            var counted = bootstraps.map { $0.logRates(times)[...] }
            let ends = counted.map { $0.last ?? 0 }
            rounds.append(
                drafts.map { draft in
                    if draft.support > 0 { return counted[draft.curve].removeFirst() }
                    let curve = curves[draft.curve]
                    let slope = curve.slope(times) ?? slopes[draft.curve] ?? 0
                    return ends[draft.curve] + (draft.score - curve.last.threshold) * slope
                })
            try progress(.bootstrap(round: round + 1, of: plan.bootstrapRounds))
        }
        return drafts.indices.map { knot in
            CalibrationTable.Knot(
                score: drafts[knot].score, logRate: drafts[knot].logRate,
                support: drafts[knot].support, interval: Self.interval(rounds.map { $0[knot] }),
                isExtrapolated: drafts[knot].support == 0)
        }
    }

    /// A knot without its interval, and the curve that it is on.
    private struct Draft {
        let curve: Int
        let score: Double, logRate: Double, support: Int
    }

    /// Returns the knots, each stricter than the one before: at quarters of a decade where the
    /// curve that matters is counted, and else at decades.
    private func drafts(_ curves: [ImpostorCurve], _ slopes: [Double?]) -> [Draft] {
        var drafts: [Draft] = []
        for logRate in Self.logRates {
            let all = curves.indices.compactMap { k in
                slopes[k].map { slope in
                    let reached = curves[k].reaching(logRate, slope: slope)
                    return Draft(
                        curve: k, score: reached.score, logRate: reached.logRate,
                        support: reached.support)
                }
            }
            guard let strictest = all.max(by: { $0.score < $1.score }),
                strictest.support > 0 || logRate == logRate.rounded()
            else { continue }
            if let last = drafts.last,
                strictest.score <= last.score || strictest.logRate >= last.logRate
                    || (strictest.support == 0 && strictest.logRate >= last.logRate - 0.05)
            {
                continue
            }
            drafts.append(strictest)
        }
        return drafts
    }

    /// Returns the middle 95 %; without rounds, the widest possible interval.
    private static func interval(_ values: [Double]) -> [Double] {
        guard !values.isEmpty else { return [-300, 0] }
        return PeopleBootstrap.interval(values).map { min(0, $0) }
    }
}

extension PairScorer {
    /// Returns the rates of the pairs within each list of photos.
    fileprivate func rates(within lists: [[Int]]) -> [ErrorRates] {
        guard !lists.isEmpty else { return [] }
        var histograms = lists.map { _ in
            ScoreHistogram(range: normalization.scoreRange, bins: 40_000)
        }
        var holding = [[Int]](repeating: [], count: set.photoCount)
        for (index, list) in lists.enumerated() {
            for photo in list { holding[photo].append(index) }
        }
        let people = set.people
        forEachRow { i, scores in
            for list in holding[i] {
                for j in lists[list] {
                    guard j < i else { break }
                    histograms[list].count(scores[j], mated: people[j] == people[i])
                }
            }
        }
        return histograms.map { ErrorRates($0) }
    }
}
