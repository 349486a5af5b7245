import ArgumentParser
import MienCore

/// The minimum score and quality of a match.
struct ThresholdOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Minimum score that counts as a match, 0 to 72: 36 accepts 1 stranger in 1,000, 48 one in 10,000, 60 one in 100,000.",
            valueName: "score"))
    var threshold = MatchScore.defaultThreshold.value

    @Option(help: ArgumentHelp("Refuse photos below this quality, 0 to 100.", valueName: "quality"))
    var quality = 0

    func isReached(by score: MatchScore) -> Bool { score >= MatchScore(threshold) }

    func validate() throws {
        guard MatchScore.range.contains(threshold) else {
            throw ValidationError("--threshold must be 0 to 72, not \(threshold)")
        }
        // Scores are shown with one decimal. With more decimals in a threshold, the shown numbers
        // would not explain the answer.
        guard (threshold * 10).rounded() / 10 == threshold else {
            throw ValidationError(
                "--threshold must have at most one decimal; \(threshold) has more")
        }
        guard (0...100).contains(quality) else {
            throw ValidationError("--quality must be 0 to 100, not \(quality)")
        }
    }
}
