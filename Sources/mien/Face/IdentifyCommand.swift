import ArgumentParser
import MienCore
import MienFace
import MienModels
import MienVault

/// `mien face identify PHOTO`
struct IdentifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify", abstract: "Who of all enrolled people is on the photo?",
        discussion: """
            Exits with 0 when somebody matches and 1 when nobody does. A search makes one comparison for each enrolled person, so a stranger \
            is taken for *somebody* that many times as often as the score says of one comparison: raise --threshold for many people.

            EXAMPLE
              mien face identify visitor.jpg --top 3
            """)

    @Argument(help: "A photo: PNG, JPEG or GIF.") var photo: String
    @Option(help: ArgumentHelp("Show so many of the best candidates.", valueName: "count")) var top = 1
    @OptionGroup var threshold: ThresholdOptions
    @OptionGroup var photoOptions: PhotoOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1000).contains(top) else { throw ValidationError("--top is 1 to 1000, not \(top)") }
    }

    func run() async throws {
        let faces = try LocalFaces(engine, photos: photoOptions)
        let listing = try faces.store.list()
        for record in listing.damaged { Terminal.warn("mien: left out: \(record)") }
        let usable = listing.faces.filter { $0.template.packID == faces.engine.packID }
        if usable.count < listing.faces.count {
            Terminal.warn("mien: left out: \(listing.faces.count - usable.count) enrolled with another model pack than \(faces.engine.packID.text)")
        }
        let capture = try await faces.capture(photo, leastQuality: threshold.quality)
        var gallery = Gallery<FaceID>(matcher: faces.matcher)
        var names: [FaceID: PersonName] = [:]
        for person in usable {
            gallery.insert(try faces.matcher.reference(for: person.template), id: person.id)
            names[person.id] = person.name
        }
        let candidates = gallery.identify(try faces.matcher.reference(for: capture.description.descriptor), limit: top)
        report(candidates.map { (names[$0.id]?.text ?? "?", $0.score) }, of: usable.count, capture)
        guard let best = candidates.first, best.score >= threshold.score else { throw Outcome.noMatch }
    }

    private func report(_ candidates: [(name: String, score: MatchScore)], of count: Int, _ capture: LocalFaces.Capture) {
        guard !output.json else {
            JSON.print(
                Output(
                    match: candidates.first.map { $0.score >= threshold.score } ?? false, photo: photo, searched: count,
                    threshold: threshold.threshold, quality: capture.quality, reasons: capture.reasons,
                    candidates: candidates.map { .init(name: $0.name, match: $0.score >= threshold.score, result: ScoreOutput($0.score)) }))
            return
        }
        if let best = candidates.first, best.score >= threshold.score {
            print("\(photo) shows \(best.name).")
        } else {
            print("\(photo) shows none of the \(count) enrolled people.")
        }
        let rows = candidates.map {
            ["  " + $0.name, String.decimal($0.score.value), $0.score.falseMatchRateInWords, $0.score >= threshold.score ? "match" : "no match"]
        }
        if !rows.isEmpty { print(Terminal.table(rows, rightAligned: [1])) }
    }

    private struct Output: Encodable {
        struct Candidate: Encodable {
            let name: String
            let match: Bool
            let result: ScoreOutput
        }
        let match: Bool
        let photo: String
        let searched: Int
        let threshold: Double
        let quality: Int
        let reasons: [QualityReason]
        let candidates: [Candidate]
    }
}
