import Foundation
import MienCore
import MienTesting
import Testing

@testable import MienFace

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

    /// People of group 0, and elsewhere, closer together, and fewer, those of group 1.
    private static func uneven(seed: UInt64, _ counts: [Int], photosEach: Int) -> (
        set: LabeledDescriptors, groups: CalibrationGroups
    ) {
        var set = LabeledDescriptors(dimension: 12), names: [String] = [], rows = "person,group\n"
        for (group, common) in [0.8, 1.6].enumerated() {
            var people = SyntheticPeople(seed: seed + UInt64(group), dimension: 12)
            let one = people.set(people: counts[group], photosEach: photosEach, common: common)
            for photo in 0..<one.photoCount {
                let name = "\(group)-\(one.people[photo])"
                var vector = one[photo]
                if group == 1 { vector.swapAt(0, 1) }
                try! set.append(vector, of: name)
                if names.last != name {
                    names.append(name)
                    rows += "\(name),\(group)\n"
                }
            }
        }
        return (set, CalibrationGroups(try! GroupList(rows), names: names))
    }

    @Test(
        "in every group, strangers match as rarely as scores claim, which they do not without groups"
    )
    func groups() throws {
        var plan = Self.plan
        plan.minGroupPeople = 20
        let (set, groups) = Self.uneven(seed: 5, [180, 80], photosEach: 2)
        func calibrate(_ groups: CalibrationGroups?) throws -> Calibration {
            try Calibrator(plan).calibrate(
                set, dataset: "made up", descriptor: "none", madeOn: "", groups: groups)
        }
        let with = try calibrate(groups), without = try calibrate(nil)
        #expect(without.groups.isEmpty && without.table.measurement.groupRates == nil)
        #expect(with.groups.map(\.threshold) == [.defaultThreshold, MatchScore(60)])
        #expect(with.table.measurement.groupRates?.map(\.group) == ["0", "1", "0", "1"])
        #expect(
            try JSONDecoder().decode(
                CalibrationTable.self, from: JSONEncoder().encode(with.table)) == with.table)

        let (strangers, _) = Self.uneven(seed: 50, [200, 200], photosEach: 1)
        func worst(_ matcher: FaceMatcher, at wanted: Double) throws -> Double {
            let references = try (0..<400).map { try matcher.reference(for: strangers[$0]) }
            return [0..<200, 200..<400].map { group in
                var matches = 0
                for i in group {
                    for j in group.lowerBound..<i
                    where matcher.score(references[i], references[j]) >= MatchScore(wanted) {
                        matches += 1
                    }
                }
                return Double(matches) / Double(200 * 199 / 2)
            }.max() ?? 0
        }
        for wanted in [12.0, 24] {
            let promised = MatchScore(wanted).falseMatchRate
            let kept = try worst(with.matcher, at: wanted)
            #expect(kept < 1.7 * promised, "at \(wanted): \(kept) for \(promised)")
            let broken = try worst(without.matcher, at: wanted)
            #expect(broken > kept, "at \(wanted): \(broken) for \(promised)")
        }
    }

    @Test("every group with enough people has an equal share of the cohort")
    func shares() throws {
        let (set, groups) = Self.uneven(seed: 5, [150, 50], photosEach: 1)
        var plan = Self.plan, generator = SeededGenerator(seed: 1)
        plan.minGroupPeople = 40
        let first = set.filtered { $0 < 150 }, second = set.filtered { $0 >= 150 }
        func part(_ shares: [Int]?) throws -> Double {
            let cohort = try plan.draw(from: set, groups: shares, using: &generator) { _ in }.cohort
            func mean(_ set: LabeledDescriptors) -> [Float] {
                TemplatePairs.mean((0..<set.photoCount).map { set[$0] })
            }
            func cosine(_ a: [Float], _ b: [Float]) -> Float {
                zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
            }
            let (one, other) = (mean(first), mean(second))
            let count = (0..<cohort.count).count {
                cosine(cohort[$0], other) > cosine(cohort[$0], one)
            }
            return Double(count) / Double(cohort.count)
        }
        let (equal, alike) = (try part(groups.shares), try part(nil))
        #expect(equal > alike + 0.1 && abs(equal - 0.5) < 0.2, "\(equal), \(alike)")
        // A group of few people has none of its own.
        plan.minGroupPeople = 60
        #expect(try part(groups.shares) < equal - 0.1)
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
