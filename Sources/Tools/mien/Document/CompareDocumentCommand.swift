import ArgumentParser
import MienCore
import MienFace
import MienModels
import MienTools

/// `mien document compare ID SELFIE`
struct CompareDocumentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Check whether a photo shows the person in a document's portrait.",
        discussion: """
            ID is a photo of the side with the portrait, in any direction. Exits with 0 for a match, 1 \
            otherwise, and 2 without a portrait or a face. It compares photos: it does not prove that a \
            live person was present, or that the document is genuine.

            EXAMPLE
              mien document compare passport.jpg selfie.jpg
            """)

    @Argument(help: ArgumentHelp("A photo of the document.", valueName: "id")) var document: String
    @Argument(help: "A photo of the person.") var selfie: String
    @Option(
        help: ArgumentHelp(
            "Minimum score that counts as a match, 24 to 72. Below 24, it is another person.",
            valueName: "score")) var threshold = MatchScore.portraitMatch.value
    @OptionGroup var photoOptions: PhotoOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (MatchScore.portraitMismatch.value...72).contains(threshold) else {
            throw ValidationError("--threshold must be 24 to 72, not \(threshold)")
        }
    }

    private struct Answer: Encodable {
        let match: Bool
        /// `match`, `unclear`, or `mismatch`.
        let verdict: String
        let threshold: Double
        let result: ScoreOutput
    }

    func run() async throws {
        let picture = try photoOptions.decode(document), photo = try photoOptions.decode(selfie)
        let views = try Self.views(of: picture)
        let pack = try engine.loadPack()
        let matcher = try pack.matcher(), faces = try engine.loadEngine(pack)
        let portrait = try await Self.portrait(in: views, of: document, faces)
        guard let (face, description) = try await faces.describe(photo) else {
            throw Failure(
                .badInput, QualityReason.noFace.rawValue,
                "\(selfie): \(QualityReason.noFace.advice)")
        }
        let score = matcher.score(
            try matcher.reference(for: portrait),
            try matcher.reference(for: description.descriptor))
        let isMatch = score >= MatchScore(threshold)
        let verdict = isMatch ? "match" : score < .portraitMismatch ? "mismatch" : "unclear"
        if output.json {
            JSON.print(
                Answer(
                    match: isMatch, verdict: verdict, threshold: threshold,
                    result: ScoreOutput(score)))
        } else {
            let sentence =
                switch verdict {
                case "match": "Match: \(selfie) shows the person in the portrait."
                case "mismatch": "No match: \(selfie) shows somebody else."
                default: "Unclear: \(selfie) may show the person in the portrait."
                }
            let lines =
                [
                    sentence, "  score      \(ScoreOutput.sentence(score))",
                    "  threshold  \(String.decimal(threshold))",
                ] + face.quality.reasons().map { "  photo      \($0.advice)" }
            print(lines.joined(separator: "\n"))
        }
        if !isMatch { throw Outcome.noMatch }
    }

    /// The document in a picture, seen from each direction in which it may lie.
    static func views(of picture: RGBImage) throws -> [RGBImage] {
        do {
            var reader = try DocumentReader(LineNetwork(runtime: InferenceRuntime()))
            return try reader.readCodes(picture).directions(of: picture).compactMap {
                DocumentView(picture, $0)?.image
            }
        } catch let error as TextError {
            throw Failure(.notSetUp, error.code.rawValue, error.reason)
        } catch is BarcodeError {
            throw Failure(.notSetUp, "barcode.failed", "the barcode library failed")
        }
    }

    /// - Parameter document: The picture's name, for messages.
    static func portrait(
        in views: [RGBImage], of document: String, _ faces: FaceEngine
    ) async throws -> FaceDescriptor {
        try await faces.run { analyzer, networks in
            guard let found = try PortraitFinder(analyzer).portrait(in: views, with: networks)
            else {
                throw Failure(
                    .badInput, "portrait.missing",
                    "\(document): no portrait was found; photograph the whole side with the portrait"
                )
            }
            if let reason = found.reasons.first {
                throw Failure(
                    .badInput, "portrait.unclear",
                    "\(document): the portrait cannot be compared: \(reason.advice)")
            }
            return try analyzer.describe(
                found.face, in: views[found.view], with: networks
            ).descriptor
        }
    }
}
