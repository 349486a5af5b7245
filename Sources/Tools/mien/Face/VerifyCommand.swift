import ArgumentParser
import MienCore
import MienFace
import MienTools
import MienVault

/// `mien face verify NAME PHOTO`
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check whether a photo shows the named person.",
        discussion: """
            Exits with 0 for a match and 1 otherwise. The command compares photos; it does not prove that a live person was present.

            EXAMPLE
              mien face verify ada today.jpg && echo "it is Ada"
            """)

    @Argument(help: "The name of the enrolled person.") var name: String
    @Argument(help: "A photo: PNG, JPEG, or GIF.") var photo: String
    @OptionGroup var threshold: ThresholdOptions
    @OptionGroup var photoOptions: PhotoOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let name = try PersonName(name)
        let faces = try LocalFaces(engine, photos: photoOptions, for: name)
        let person = try faces.enrolled(name)
        let capture = try await faces.capture(photo, minQuality: threshold.quality)
        let score = try faces.score(capture, against: person.template)
        let answer = PhotoAnswer(
            match: threshold.isReached(by: score), capture: capture, threshold: threshold,
            finding: Finding(name: person.name.text, result: ScoreOutput(score)))
        try answer.give(output, words: Self.words(answer, score))
    }

    private static func words(_ answer: PhotoAnswer<Finding>, _ score: MatchScore) -> [String] {
        let (name, photo) = (answer.finding.name, answer.capture.path)
        // A poor photo says little either way.
        let isPoor = answer.capture.quality < FaceQuality.defaultThreshold
        let found = (answer.match ? "Match" : "No match") + (isPoor ? " on a poor photo" : "")
        return [
            "\(found): \(photo) \(answer.match ? "shows" : "does not show") \(name.inSentence).",
            "  score      \(ScoreOutput.sentence(score))",
            "  threshold  \(String.decimal(answer.threshold.threshold))",
            "  quality    \(answer.capture.quality) of 100",
        ] + answer.capture.reasons.map { "             " + $0.advice }
    }

    private struct Finding: Encodable {
        let name: String
        let result: ScoreOutput
    }
}
