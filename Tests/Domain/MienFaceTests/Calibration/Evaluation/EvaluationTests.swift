import Foundation
import MienCore
import MienFace
import MienTesting
import Testing

@Suite struct EvaluationTests {
    /// 100 impostor pairs at 0.5, 1.5, … 99.5; 10 mated pairs at 90.5, … 99.5.
    static let rates: ErrorRates = {
        var histogram = ScoreHistogram(range: 0...100, bins: 1000)
        for i in 0..<100 { histogram.count(Float(i) + 0.55, mated: false) }
        for i in 90..<100 { histogram.count(Float(i) + 0.55, mated: true) }
        return ErrorRates(histogram)
    }()

    @Test(
        "a threshold for a rate accepts no more than the rate",
        arguments: [1, 0.5, 0.1, 0.05, 0.01, 0.001, 0])
    func pointForRate(rate: Double) {
        let point = Self.rates.point(falseMatchRate: rate)
        #expect(
            point.falseMatchRate <= rate + 1e-12 && point.falseMatches == Int(rate * 100 + 1e-9))
        #expect(abs(point.trueAcceptRate - min(1, Double(point.falseMatches) / 10)) < 1e-12)
    }

    @Test("a given threshold counts the pairs that reach it")
    func pointForThreshold() {
        #expect(
            Self.rates.point(threshold: 90).falseMatches == 10
                && Self.rates.point(threshold: 90).trueAcceptRate == 1)
        #expect(Self.rates.point(threshold: 95.6).falseMatches == 4)
        #expect(
            Self.rates.point(threshold: -5).falseMatchRate == 1
                && Self.rates.point(threshold: 500).falseMatchRate == 0)
    }

    @Test("per person, each person counts once, however many pairs they have")
    func perPerson() throws {
        // One person has ten pairs, all accepted; two have one, of which one is accepted.
        var histogram = ScoreHistogram(range: 0...1, bins: 100)
        for _ in 0..<10 { histogram.count(0.9, mated: true, share: 0.1) }
        histogram.count(0.9, mated: true)
        histogram.count(0.1, mated: true)
        histogram.count(0.4, mated: false)
        let point = ErrorRates(histogram).point(threshold: 0.5)
        #expect(abs(point.trueAcceptRate - 11.0 / 12) < 1e-9)
        #expect(abs(point.trueAcceptRatePerPerson - 2.0 / 3) < 1e-9)

        var people = SyntheticPeople(seed: 4, dimension: 12, scatter: 0.3)
        let set = people.set(people: 20, photosEach: 4)
        let rates = ErrorRates(PairScorer(set, .none(photoCount: 80)).histogram())
        let each = rates.point(falseMatchRate: 0.01)
        // With equally many photos each, both rates are the same.
        #expect(abs(each.trueAcceptRate - each.trueAcceptRatePerPerson) < 1e-9)
    }

    @Test("intervals of true accepts surround the rate, and narrow with more people")
    func intervals() throws {
        func interval(_ count: Int) throws -> (ErrorRates.Point, AcceptanceBootstrap.Interval) {
            var people = SyntheticPeople(seed: 4, dimension: 12, scatter: 0.25)
            let set = people.set(people: count, photosEach: 3)
            let scorer = PairScorer(set, .none(photoCount: set.photoCount))
            let rates = ErrorRates(scorer.histogram())
            var generator = SeededGenerator(seed: 1)
            let found = AcceptanceBootstrap(scorer, rates).intervals(
                falseMatchRates: [0.01], rounds: 40, using: &generator)
            return (rates.point(falseMatchRate: 0.01), try #require(found.first))
        }
        let (few, narrow) = (try interval(20), try interval(150))
        for (point, interval) in [few, narrow] {
            for (rate, ends) in [
                (point.trueAcceptRate, interval.trueAcceptRate),
                (point.trueAcceptRatePerPerson, interval.trueAcceptRatePerPerson),
            ] {
                #expect(ends[0] <= rate + 0.02 && rate - 0.02 <= ends[1] && ends[1] <= 1)
            }
        }
        func width(_ interval: AcceptanceBootstrap.Interval) -> Double {
            interval.trueAcceptRatePerPerson[1] - interval.trueAcceptRatePerPerson[0]
        }
        #expect(width(narrow.1) < width(few.1))
    }

    @Test("more photos in a template miss fewer probes; strangers match as often as scores say")
    func templates() throws {
        var people = SyntheticPeople(seed: 4, dimension: 16, scatter: 0.2)
        let set = people.set(people: 60, photosEach: 6)
        var plan = CalibrationPlan()
        (plan.normalization, plan.bootstrapRounds) = (ScoreNormalization.none, 0)
        let made = try Calibrator(plan).calibrate(
            set, dataset: "", descriptor: "", madeOn: "")
        let found = try [1, 2, 4].map {
            try #require(
                try TemplateRates(set, made.matcher, photos: $0, thresholds: [MatchScore(24)]))
        }
        #expect(found.map(\.people) == [60, 60, 60])
        #expect(found.map(\.matedComparisons) == [300, 240, 120])
        #expect(found.map(\.impostorComparisons) == [300 * 59, 240 * 59, 120 * 59])
        #expect(found[0].rows[0].trueAcceptRate < found[1].rows[0].trueAcceptRate)
        #expect(found[1].rows[0].trueAcceptRate < found[2].rows[0].trueAcceptRate)
        #expect(found[0].rows[0].falseMatchRate < 0.02 && found[0].rows[0].falseMatchRate > 0.005)
        #expect(try TemplateRates(set, made.matcher, photos: 6) == nil)
        // The same comparisons, scored as pairs of a set.
        let pairs = made.templates.rates(made.table, thresholds: [MatchScore(24)])
        for (pair, matched) in zip(pairs, found) {
            #expect(pair.photos == matched.photos && pair.people == matched.people)
            #expect(pair.matedComparisons == matched.matedComparisons)
            #expect(pair.impostorComparisons == matched.impostorComparisons)
            let (a, b) = (pair.rows[0], matched.rows[0])
            #expect(abs(a.trueAcceptRate - b.trueAcceptRate) < 0.01)
            #expect(abs(a.falseMatchRate - b.falseMatchRate) < 0.001)
        }
    }

    @Test("templates are cross-fitted like pairs: strangers match as often as scores say")
    func crossFittedTemplates() throws {
        var people = SyntheticPeople(seed: 8, dimension: 12)
        let set = people.set(people: 120, photosEach: 4, common: 0.8)
        var plan = CalibratorTests.plan
        plan.bootstrapRounds = 0
        for normalization in [ScoreNormalization.asNorm, .asNormShrunk] {
            plan.normalization = normalization
            let made = try CalibratorTests.calibrate(set, plan)
            let rates = made.templates.rates(made.table, thresholds: [MatchScore(24)])
            #expect(rates.map(\.photos) == [1, 2], "nobody has more than four photos")
            #expect(rates.map(\.people) == [120, 120])
            for rate in rates {
                #expect(rate.rows[0].falseMatchRate < 0.03 && rate.rows[0].falseMatchRate > 0.003)
            }
            #expect(rates[1].rows[0].trueAcceptRate >= rates[0].rows[0].trueAcceptRate)
        }
    }

    @Test("scores outside the range count in its end bins")
    func ends() {
        var histogram = ScoreHistogram(range: -1...1, bins: 10)
        histogram.count(-7, mated: false)
        histogram.count(1, mated: true)
        histogram.count(7, mated: true)
        #expect(histogram.impostor.first == 1 && histogram.mated.last == 2)
    }

    @Test("the equal error rate lies where the curves cross")
    func equalErrorRate() {
        // At 91, nine impostors and nine of ten mated pairs are accepted: 0.09 and 0.1. At 90.9,
        // the same.
        #expect(abs(Self.rates.equalErrorRate - 0.095) < 0.006)
    }

    @Test("the trade-off is monotonic")
    func tradeoff() {
        let curve = Self.rates.tradeoff()
        #expect(curve.count > 20)
        #expect(
            zip(curve, curve.dropFirst()).allSatisfy {
                $0.falseMatchRate < $1.falseMatchRate && $0.trueAcceptRate <= $1.trueAcceptRate
            })
    }

    @Test("all pairs are counted once, by kind")
    func allPairs() throws {
        var people = SyntheticPeople(seed: 2, dimension: 20)
        let set = people.set(people: 30, photosEach: 3), matcher = try FaceMatcher.made()
        for normalization in [
            PairNormalization.none(photoCount: 90), PairNormalization(set, matcher),
        ] {
            let scorer = PairScorer(set, normalization), histogram = scorer.histogram()
            #expect(
                histogram.mated.reduce(0, +) == 90
                    && histogram.impostor.reduce(0, +) == 90 * 89 / 2 - 90)
            scorer.forEachRow { i, scores in
                for j in stride(from: 0, to: i, by: 7) {
                    #expect(abs(scores[j] - scorer.score(i, j)) < 1e-3)
                }
            }
        }
        #expect(set.matedPairCount == 90 && set.impostorPairCount == 90 * 89 / 2 - 90)
    }

    @Test("the scores of a set match those of the matcher")
    func sameAsMatcher() throws {
        var people = SyntheticPeople(seed: 3, dimension: 20)
        let set = people.set(people: 5, photosEach: 2), matcher = try FaceMatcher.made()
        let scorer = PairScorer(set, PairNormalization(set, matcher))
        let a = try matcher.reference(for: set[1]), b = try matcher.reference(for: set[6])
        #expect(abs(scorer.score(1, 6) - matcher.normalizedScore(a, b)) < 1e-3)
    }

    @Test("a figure with too few pairs is marked")
    func support() throws {
        let evaluation = VerificationEvaluation(
            rates: Self.rates, calibration: try CalibrationTable.made([(0, -0.1), (99, -2)]))
        #expect(
            evaluation.figures.map(\.falseMatchRate.description) == [
                "0.01", "0.001", "0.0001", "1e-05", "1e-06",
            ])
        #expect(evaluation.figures.allSatisfy { !$0.isSupported })
        #expect(evaluation.report.contains("too few: an indication, not a measurement"))
        #expect(
            evaluation.thresholds.count == 11
                && evaluation.thresholds[2].threshold == MatchScore(24))
        #expect(evaluation.thresholds[2].point.falseMatches == 1)
    }

    @Test("the curve is written as comma-separated values")
    func csv() {
        let lines = VerificationEvaluation(rates: Self.rates).tradeoffCSV.split(separator: "\n")
        #expect(lines.first == "threshold,false_match_rate,false_non_match_rate,false_matches")
        #expect(lines[1] == "98.6000,1.00e-02,0.900000,1")
        #expect(lines.dropFirst().allSatisfy { $0.split(separator: ",").count == 4 })
    }

    @Test("a list with missing photos is rejected with their names")
    func missing() throws {
        var people = SyntheticPeople(seed: 2, dimension: 20)
        let scorer = PairScorer(people.set(people: 3, photosEach: 2), .none(photoCount: 6))
        let list = try PairList("1 1\na 1 2\na 1 b 1")
        #expect(throws: MissingPhotos(photos: [.init(person: "b", number: 1)])) {
            try scorer.accuracy(over: list) { $0.person == "a" ? $0.number : nil }
        }
        let accuracy = try scorer.accuracy(over: list) { $0.person == "a" ? $0.number - 1 : 2 }
        #expect(accuracy.mean == 1)
    }

    @Test("the plot draws each curve in its color inside its frame")
    func plot() {
        let color = DETPlot.colors[0]
        let image = DETPlot(
            title: "made up", curves: [.init(name: "only", rates: Self.rates, color: color)]
        ).draw(width: 500, height: 420)
        #expect(image.width == 500 && image.height == 420)
        var colored = 0
        for y in 0..<420 {
            for x in 0..<500 where image[x, y] == color {
                colored += 1
                #expect((92...464).contains(x) && (64...336).contains(y))
            }
        }
        #expect(colored > 20)
        let empty = DETPlot(title: "", curves: []).draw()
        #expect(empty[2, 2] == .white)
    }
}
