import MienCore

/// A score as people and scripts get it.
struct ScoreOutput: Encodable {
    /// 0...72, one decimal.
    let score: Double
    let falseMatchRate: Double
    let inWords: String

    init(_ score: MatchScore) {
        self.score = (score.value * 10).rounded() / 10
        falseMatchRate = score.falseMatchRate
        inWords = score.falseMatchRateInWords
    }

    /// "61.3 of 72 (about 1 in 130,000 strangers would match so well)".
    static func sentence(_ score: MatchScore) -> String {
        let rate = score.falseMatchRateInWords
        return "\(String.decimal(score.value)) of 72 (" + (score.value <= 0 ? "\(rate))" : "\(rate) strangers would match as well)")
    }
}
