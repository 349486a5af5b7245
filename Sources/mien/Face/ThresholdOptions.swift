import ArgumentParser
import MienCore

/// What counts as a match.
struct ThresholdOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The least score that counts as a match, 0 to 72: 36 lets in 1 stranger in 1,000, 48 one in 10,000, 60 one in 100,000.",
            valueName: "score"))
    var threshold = MatchScore.defaultThreshold.value

    @Option(help: ArgumentHelp("Refuse photos under this quality, 0 to 100.", valueName: "quality"))
    var quality = 0

    var score: MatchScore { MatchScore(threshold) }

    func validate() throws {
        guard MatchScore.range.contains(threshold) else { throw ValidationError("--threshold is 0 to 72, not \(threshold)") }
        guard (0...100).contains(quality) else { throw ValidationError("--quality is 0 to 100, not \(quality)") }
    }
}
