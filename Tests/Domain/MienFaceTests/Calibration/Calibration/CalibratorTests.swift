import Foundation
import MienCore
import MienFace
import MienTesting
import Testing

@Suite struct CalibratorTests {
    static var plan: CalibrationPlan {
        var plan = CalibrationPlan()
        (plan.seed, plan.cohortCount, plan.nearestCount, plan.groups, plan.bootstrapRounds) = (
            3, 200, 20, 3, 20
        )
        plan.mixture.components = 2
        plan.mixture.regularization = 1e-3
        plan.mixture.maxRounds = 10
        return plan
    }

    /// Created once, because it is the slowest part of these tests.
    static let made: (set: LabeledDescriptors, calibration: Calibration) = {
        var people = SyntheticPeople(seed: 11, dimension: 12)
        let set = people.set(people: 150, photosEach: 2, common: 0.8)
        return (set, try! calibrate(set))
    }()

    static func calibrate(_ set: LabeledDescriptors, _ plan: CalibrationPlan = plan) throws
        -> Calibration
    {
        try Calibrator(plan).calibrate(
            set, dataset: "made up", descriptor: "none", madeOn: "2026-01-02")
    }

    @Test("strangers match as rarely as their scores claim")
    func holdsForStrangers() throws {
        var people = SyntheticPeople(seed: 99, dimension: 12)
        let strangers = people.set(people: 300, photosEach: 1, common: 0.8),
            matcher = Self.made.calibration.matcher
        let references = try (0..<300).map { try matcher.reference(for: strangers[$0]) }
        for wanted in [6.0, 12, 24] {
            var matches = 0
            for i in 0..<300 {
                for j in 0..<i
                where matcher.score(references[i], references[j]) >= MatchScore(wanted) {
                    matches += 1
                }
            }
            let rate = Double(matches) / Double(300 * 299 / 2),
                promised = MatchScore(wanted).falseMatchRate
            #expect(
                rate < 1.6 * promised && rate > promised / 1.6,
                "at \(wanted): \(rate) for \(promised)")
        }
    }

    @Test("knots fall, state their support, and lie in or near their intervals")
    func knots() {
        let table = Self.made.calibration.table
        #expect(table.knots.filter { !$0.isExtrapolated }.allSatisfy { $0.support >= 30 })
        #expect(table.knots.filter(\.isExtrapolated).allSatisfy { $0.support == 0 })
        #expect(
            abs((table.knots.last?.logRate ?? 0) + 6) < 1e-9
                && table.knots.last?.isExtrapolated == true)
        for knot in table.knots {
            #expect(
                knot.interval[0] - 0.1 <= knot.logRate && knot.logRate <= knot.interval[1] + 0.1)
        }
        let m = table.measurement
        #expect(
            m.people == 150 && m.photos == 300 && m.impostorPairs == 300 * 299 / 2 - 150
                && m.matedPairs == 150 && m.seed == 3)
        #expect(m.acceptance.map(\.logRate) == [-2, -3, -4, -5, -6])
    }

    @Test("plain cosines need no cohort, and still match strangers as rarely as they claim")
    func plainCosine() throws {
        var plan = Self.plan
        plan.normalization = ScoreNormalization.none
        let made = try Self.calibrate(Self.made.set, plan)
        #expect(made.draw == nil && made.table.normalization == .none)
        #expect(made.matcher.cohort == nil && made.table.measurement.cohortCount == 0)
        var people = SyntheticPeople(seed: 99, dimension: 12)
        let strangers = people.set(people: 300, photosEach: 1, common: 0.8)
        let rates = ErrorRates(PairScorer(strangers, .none(photoCount: 300)).histogram())
        for wanted in [6.0, 12, 24] {
            let rate = rates.point(threshold: made.table.minScore(for: MatchScore(wanted)))
                .falseMatchRate
            let promised = MatchScore(wanted).falseMatchRate
            #expect(rate < 1.6 * promised && rate > promised / 1.6)
        }
    }

    @Test("the simplest normalization within the margin of the best is chosen")
    func choice() throws {
        var plan = Self.plan
        (plan.normalization, plan.bootstrapRounds) = (nil, 0)
        let made = try Self.calibrate(Self.made.set, plan), compared = made.comparison
        #expect(compared.entries.map(\.normalization) == [.none, .asNorm, .asNormShrunk])
        let merits = compared.entries.map(compared.merit)
        let chosen = try #require(
            compared.entries.firstIndex { $0.normalization == made.table.normalization })
        #expect(merits[chosen] >= (merits.max() ?? 1) - NormalizationComparison.margin)
        #expect(merits[..<chosen].allSatisfy { $0 < merits[chosen] })
        #expect((made.table.typicalDeviation != nil) == (made.table.normalization == .asNormShrunk))
    }

    @Test("the same seed produces the same table and cohort; another seed produces others")
    func repeats() throws {
        let (set, first) = Self.made
        let again = try Self.calibrate(set)
        #expect(again.table == first.table && again.draw?.cohort.bytes == first.draw?.cohort.bytes)
        var other = Self.plan
        other.seed = 4
        #expect(try Self.calibrate(set, other).draw?.cohort.bytes != first.draw?.cohort.bytes)
    }

    @Test("no cohort member is closer to a photo than synthetic faces are to each other")
    func privacy() throws {
        let (set, calibration) = Self.made
        let draw = try #require(calibration.draw), privacy = draw.privacy
        #expect(privacy.nearest <= privacy.bound && privacy.members == 200 && privacy.redrawn <= 20)
        // Rounding to 8 bits may move a member slightly.
        #expect(
            CohortPrivacy.nearest(of: draw.cohort, to: set) <= privacy.bound + 0.005)
    }

    @Test("too few people or pairs are rejected")
    func tooFew() {
        var people = SyntheticPeople(seed: 1, dimension: 4)
        #expect(throws: CalibrationError.self) {
            try Self.calibrate(people.set(people: 20, photosEach: 2))
        }
        #expect(throws: CalibrationError.self) {
            try Self.calibrate(people.set(people: 100, photosEach: 1))
        }
    }

    @Test("progress reports cohorts and rounds and can stop the calibration")
    func progress() {
        struct Stop: Error {}
        var seen: [CalibrationProgress] = []
        #expect(throws: Stop.self) {
            try Calibrator(Self.plan).calibrate(
                Self.made.set, dataset: "", descriptor: "", madeOn: ""
            ) {
                seen.append($0)
                if case .fitting(cohort: 2, of: 7, round: _) = $0 { throw Stop() }
            }
        }
        guard case .fitting(cohort: 1, of: 7, round: let round)? = seen.first else {
            return #expect(Bool(false))
        }
        #expect(round.round == 1)
    }

    @Test("descriptions never reveal people")
    func sensitive() throws {
        let (set, calibration) = Self.made
        let reference = try calibration.matcher.reference(for: set[0])
        #expect("\(set)" == "‹300 photos of 150 people›")
        var dumped = ""
        dump(set, to: &dumped)
        dump(reference, to: &dumped)
        #expect("\(reference)" == "‹sensitive›" && !dumped.contains("0."))
    }
}
