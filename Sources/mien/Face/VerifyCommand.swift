import ArgumentParser
import MienCore
import MienFace
import MienVault

/// `mien face verify NAME PHOTO`
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Is the person on the photo the one enrolled under this name?",
        discussion: """
            Exits with 0 for a match and 1 for none. This compares photos; it does not prove that a live person was there.

            EXAMPLE
              mien face verify ada today.jpg && echo "it is Ada"
            """)

    @Argument(help: "The name the person was enrolled under.") var name: String
    @Argument(help: "A photo: PNG, JPEG or GIF.") var photo: String
    @OptionGroup var threshold: ThresholdOptions
    @OptionGroup var photoOptions: PhotoOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let faces = try LocalFaces(engine, photos: photoOptions)
        let person = try faces.enrolled(try PersonName(name))
        let capture = try await faces.capture(photo, leastQuality: threshold.quality)
        let score = try faces.score(capture, against: person.template)
        let isMatch = score >= threshold.score
        if output.json {
            JSON.print(
                Output(
                    match: isMatch, name: person.name.text, photo: photo, result: ScoreOutput(score), threshold: threshold.threshold,
                    quality: capture.quality, reasons: capture.reasons))
        } else {
            print(isMatch ? "Match: \(photo) shows \(person.name.text)." : "No match: \(photo) does not show \(person.name.text).")
            print("  score      \(ScoreOutput.sentence(score))")
            print("  threshold  \(String.decimal(threshold.threshold))")
            print("  quality    \(capture.quality) of 100" + capture.reasons.map { "\n             " + $0.advice }.joined())
        }
        if !isMatch { throw Outcome.noMatch }
    }

    private struct Output: Encodable {
        let match: Bool
        let name: String
        let photo: String
        let result: ScoreOutput
        let threshold: Double
        let quality: Int
        let reasons: [QualityReason]
    }
}
