internal import Foundation
internal import MienCore

/// The results of a calibration: the cohort and table that a pack ships, and the figures to report.
public struct Calibration: Sendable {
    /// `nil` when the table needs no cohort.
    public let draw: CohortDraw?
    public let table: CalibrationTable
    /// The ways to make scores that were measured, and their rates.
    public let comparison: NormalizationComparison
    /// The pairs behind the table, cross-fitted if it needs a cohort, and the same pairs with plain
    /// cosines.
    public let normalized: ErrorRates
    public let raw: ErrorRates
    /// The normalization behind ``normalized``, for pair lists of the same people.
    public let normalization: PairNormalization
    /// Templates of 1, 2, and 4 photos with the same normalization.
    public let templates: TemplatePairs
    /// The rates of each group, for each column and for 48 and 60; empty without groups.
    public let groups: [GroupRates]

    /// The number of elements in a descriptor.
    let dimension: Int

    public var matcher: FaceMatcher {
        draw.map { FaceMatcher(cohort: $0.cohort, calibration: table) }
            ?? FaceMatcher(dimension: dimension, calibration: table)
    }
}

/// Makes a cohort and a calibration table from photos of many people.
///
/// The cohort, if one is needed, is fitted to all people. The table is measured with cohorts that
/// exclude the people being scored (see `CrossFitting`), so it holds for strangers.
///
/// With groups of people, each rate of the table is that of the group with the most false matches
/// within it, or of all people if that is higher, so a score promises no group more than it keeps.
public struct Calibrator: Sendable {
    public let plan: CalibrationPlan

    /// The rates for knots, log10, as far as pairs support them. Below these, there is one knot per
    /// decade to the end of the scale.
    static let logRates = stride(from: -1, through: -24, by: -1).map { Double($0) / 4 }

    public init(_ plan: CalibrationPlan = CalibrationPlan()) { self.plan = plan }

    /// - Parameters:
    ///   - set: The photos' descriptors, by person.
    ///   - dataset: A name for the photos.
    ///   - descriptor: The pack's name for the network.
    ///   - madeOn: Today's date as `yyyy-mm-dd`.
    ///   - groups: The groups in each of which the scores must keep what they promise.
    ///   - progress: Receives progress updates. Throw an error to stop.
    /// - Throws: `CalibrationError.tooFew`, or the error that `progress` throws.
    public func calibrate(
        _ set: LabeledDescriptors, dataset: String, descriptor: String, madeOn: String,
        groups: CalibrationGroups? = nil,
        progress: (CalibrationProgress) throws -> Void = { _ in }
    ) throws -> Calibration {
        precondition(plan.groups >= 3, "cross-fitting needs at least three groups")
        guard set.impostorPairCount >= 1000, set.matedPairCount > 0 else {
            throw CalibrationError.tooFew(
                "there are \(set.impostorPairCount) pairs of photos of two people and \(set.matedPairCount) of one person; "
                    + "a calibration needs at least 1000 and 1")
        }
        let plain = PairNormalization.none(photoCount: set.photoCount)
        let templates = TemplatePairs(set)
        var normalizedTemplates = [
            ScoreNormalization.none: templates.normalized(
                by: .none(photoCount: templates.set.photoCount))
        ]
        var measured = [NormalizationComparison.Entry(.none, plain, set)]
        if plan.normalization != ScoreNormalization.none {
            let all = try CrossFitting.normalization(
                set, and: templates.set, plan, seed: plan.seed, shares: groups?.shares,
                progress: progress)
            let crossFitted = all.prefix(set.photoCount), shrunk = crossFitted.shrunk
            normalizedTemplates[.asNorm] = templates.normalized(by: all)
            normalizedTemplates[.asNormShrunk] = templates.normalized(
                by: all.shrunk(toward: shrunk.typicalDeviation ?? 1))
            if plan.normalization != .asNormShrunk {
                measured.append(.init(.asNorm, crossFitted, set))
            }
            if plan.normalization != .asNorm {
                measured.append(.init(.asNormShrunk, shrunk, set))
            }
        }
        let comparison = NormalizationComparison(measured)
        let chosen =
            plan.normalization.flatMap { wanted in measured.first { $0.normalization == wanted } }
            ?? comparison.best
        var generator = SeededGenerator(seed: plan.seed &+ 1)
        var draw: CohortDraw?
        if chosen.normalization.usesCohort {
            let last = plan.groups * (plan.groups + 1) / 2 + 1
            draw = try plan.draw(from: set, groups: groups?.shares, using: &generator) {
                try progress(.fitting(cohort: last, of: last, round: $0))
            }
        }

        try progress(.scoring)
        let (normalization, normalized, raw) = (chosen.pairs, chosen.rates, measured[0].rates)
        let scorer = PairScorer(set, normalization)
        let knots = try knots(
            scorer, normalized, within: groups?.photos(of: set) ?? [], using: &generator, progress)
        let deviation = normalization.typicalDeviation
        var measurement = CalibrationMeasurement(
            dataset: dataset, descriptor: descriptor, madeOn: madeOn, people: set.personCount,
            photos: set.photoCount,
            impostorPairs: normalized.impostorPairs, matedPairs: normalized.matedPairs,
            seed: plan.seed, groups: draw == nil ? 0 : plan.groups,
            cohortCount: draw == nil ? 0 : plan.cohortCount,
            nearestCount: draw == nil ? 0 : plan.nearestCount,
            components: draw == nil ? 0 : plan.mixture.components,
            bootstrapRounds: plan.bootstrapRounds, acceptance: Self.acceptance(normalized, raw))
        let curve = try CalibrationTable(
            knots: knots, measurement: measurement, normalization: chosen.normalization,
            typicalDeviation: deviation)
        let groupRates = groups?.rates(scorer, curve, using: &generator) ?? []
        if !groupRates.isEmpty {
            measurement.groupRates = groupRates.flatMap(CalibrationMeasurement.GroupRate.all)
        }
        let table = try CalibrationTable(
            knots: knots, measurement: measurement, normalization: chosen.normalization,
            typicalDeviation: deviation)
        return Calibration(
            draw: draw, table: table, comparison: comparison, normalized: normalized, raw: raw,
            normalization: normalization,
            templates: normalizedTemplates[chosen.normalization] ?? templates,
            groups: groupRates, dimension: set.dimension)
    }

    private static func acceptance(_ normalized: ErrorRates, _ raw: ErrorRates)
        -> [CalibrationMeasurement.Acceptance]
    {
        (2...6).map { decades in
            let rate = pow(10, -Double(decades)), point = normalized.point(falseMatchRate: rate)
            return CalibrationMeasurement.Acceptance(
                logRate: -Double(decades),
                trueAcceptRate: point.trueAcceptRate,
                trueAcceptRatePerPerson: point.trueAcceptRatePerPerson,
                trueAcceptRateRaw: raw.point(falseMatchRate: rate).trueAcceptRate,
                support: Int((rate * Double(normalized.impostorPairs)).rounded(.down)))
        }
    }
}
