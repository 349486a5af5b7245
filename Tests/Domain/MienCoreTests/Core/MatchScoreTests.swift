import Foundation
import MienCore
import Testing

@Suite("Match score")
struct MatchScoreTests {
    /// False-match rate and threshold, as published for the scale (rounded to one decimal place).
    static let scale: [(rate: Double, score: Double)] = [
        (1, 0), (0.1, 12), (0.01, 24), (0.001, 36), (1 / 10_000, 48), (1 / 50_000, 56.4),
        (0.00001, 60), (1 / 1_000_000, 72),
    ]

    @Test("a false-match rate has the score the published scale gives it", arguments: scale)
    func knownAnswer(rate: Double, score: Double) {
        let found = MatchScore(falseMatchRate: rate).value
        #expect(abs(found - score) < 0.05, "\(rate): \(found), not \(score)")
    }

    @Test(
        "a score stands for the false-match rate of the published scale",
        arguments: scale.filter { $0.score != 56.4 })
    func knownRate(rate: Double, score: Double) {
        #expect(abs(MatchScore(score).falseMatchRate / rate - 1) < 1e-9)
    }

    @Test("converting a rate to a score and back gives the same rate, from one in a million to one")
    func roundTrip() {
        for step in 0...120 {
            let rate = pow(10, -Double(step) / 20)
            #expect(abs(MatchScore(falseMatchRate: rate).falseMatchRate / rate - 1) < 1e-9)
        }
    }

    @Test("the default threshold is one in ten thousand")
    func defaultThreshold() {
        #expect(MatchScore.defaultThreshold.value == 48)
        #expect(abs(MatchScore.defaultThreshold.falseMatchRate - 1e-4) < 1e-12)
    }

    @Test("a score stays within 0…72, whatever number it is made from")
    func clamped() {
        #expect(MatchScore(-0.001).value == 0)
        #expect(MatchScore(72.001).value == 72)
        #expect(MatchScore(.infinity).value == 72)
        #expect(MatchScore(-.infinity).value == 0)
        #expect(MatchScore(falseMatchRate: 1e-9).value == 72)
        #expect(MatchScore(falseMatchRate: 0).value == 72)
        #expect(MatchScore(falseMatchRate: 2).value == 0)
    }

    @Test("not-a-number never matches")
    func notANumber() {
        #expect(MatchScore(.nan).value == 0)
        #expect(MatchScore(.nan) < .defaultThreshold)
    }

    @Test(
        "a rate that is not a probability never matches",
        arguments: [Double.nan, -1e-3, -.infinity])
    func noProbability(rate: Double) { #expect(MatchScore(falseMatchRate: rate).value == 0) }

    @Test("the stronger match is the greater score")
    func order() {
        #expect(MatchScore(47.999) < .defaultThreshold)
        #expect(!(MatchScore(48) < .defaultThreshold))
        #expect(MatchScore(falseMatchRate: 1e-5) > MatchScore(falseMatchRate: 1e-4))
    }

    @Test(
        "the rate is described in words with at most two significant digits",
        arguments: [
            (0.0, "no better than chance"), (12.0, "about 1 in 10"), (24.0, "about 1 in 100"),
            (36.0, "about 1 in 1,000"),
            (48.0, "about 1 in 10,000"), (56.4, "about 1 in 50,000"), (60.0, "about 1 in 100,000"),
            (72.0, "at most 1 in 1,000,000"),
            (3.6, "about 1 in 2"), (0.5, "most"), (2.2, "about 1 in 2"),
            (50.0, "about 1 in 15,000"), (37.1, "about 1 in 1,200"),
            (71.99, "about 1 in 1,000,000"),
        ])
    func words(score: Double, expected: String) {
        #expect(MatchScore(score).falseMatchRateInWords == expected)
    }

    @Test(
        "the displayed score passes a threshold of one decimal exactly if the score itself does"
    )
    func shown() {
        #expect(
            MatchScore(47.96).shown == 47.9 && MatchScore(47.999_999).shown == 47.9
                && MatchScore(48).shown == 48)
        for tenths in 0...720 {
            let threshold = Double(tenths) / 10
            for value in [
                threshold, threshold.nextUp, threshold.nextDown, threshold + 0.05, threshold - 0.05,
            ] where MatchScore.range.contains(value) {
                #expect(
                    (MatchScore(value).shown >= threshold) == (value >= threshold),
                    "\(value) at \(threshold)")
            }
        }
    }

    @Test("a score is encoded as a plain number and decodes to the same score")
    func coding() throws {
        let data = try JSONEncoder().encode([MatchScore(48), MatchScore(0.5)])
        #expect(String(decoding: data, as: UTF8.self) == "[48,0.5]")
        #expect(
            try JSONDecoder().decode([MatchScore].self, from: data) == [
                MatchScore(48), MatchScore(0.5),
            ])
    }

    @Test("a stored number out of range is clamped")
    func decodedClamped() throws {
        #expect(
            try JSONDecoder().decode([MatchScore].self, from: Data("[-5,1000]".utf8)).map(\.value)
                == [0, 72])
    }

    @Test("text is not a score")
    func decodedText() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([MatchScore].self, from: Data(#"["48"]"#.utf8))
        }
    }
}
