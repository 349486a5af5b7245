import Foundation
import MienCore
import MienTools

/// A score as shown to people and scripts.
struct ScoreOutput: Encodable {
    /// 0...72, one decimal, rounded down.
    let score: Double
    let falseMatchRate: Double
    let inWords: String

    init(_ score: MatchScore) {
        self.score = score.shown
        falseMatchRate = score.falseMatchRate
        inWords = score.falseMatchRateInWords
    }

    /// "61.3 of 72 (about 1 in 130,000 strangers would match as well)".
    static func sentence(_ score: MatchScore) -> String {
        let rate = score.falseMatchRateInWords
        return "\(String.decimal(score.shown)) of 72 ("
            + (score.value <= 0 ? "\(rate))" : "\(rate) strangers would match as well)")
    }
}

/// How often a search, which makes one comparison per person, finds somebody for a stranger.
struct SearchOutput: Encodable {
    let falseMatchRate: Double
    let inWords: String
    private let people: Int

    private enum CodingKeys: CodingKey { case falseMatchRate, inWords }

    /// - Parameters:
    ///   - score: the best candidate's score, taken as the threshold.
    ///   - people: the number of people compared with, treated as independent.
    init(_ score: MatchScore, people: Int) {
        self.people = people
        // 1 − (1 − p)ⁿ, computed without losing a small p.
        falseMatchRate = -expm1(Double(people) * log1p(-score.falseMatchRate))
        inWords = MatchScore(falseMatchRate: falseMatchRate).falseMatchRateInWords
    }

    /// "In a search of 3 people, about 1 in 43,000 strangers would match someone this well."
    var sentence: String {
        let strangers = falseMatchRate < 1 ? "\(inWords) strangers" : "every stranger"
        return
            "In a search of \(people == 1 ? "one person" : "\(people.grouped) people"), \(strangers) would match someone this well."
    }
}
