import ArgumentParser
import MienCore
import MienFace
import MienModels
import MienTools
import MienVault

/// `mien face identify PHOTO`
struct IdentifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify", abstract: "Find the enrolled person on a photo.",
        discussion: """
            Exits with 0 if somebody matches and 1 if nobody does. A search makes one comparison per \
            enrolled person, and each can be a false match: the more people, the more often a stranger \
            is mistaken for one of them. Raise --threshold for many people.

            EXAMPLE
              mien face identify visitor.jpg --top 3
            """)

    @Argument(help: "A photo: PNG, JPEG, or GIF.") var photo: String
    @Option(
        help: ArgumentHelp("Show at most this many of the best candidates.", valueName: "count"))
    var top = 1
    @OptionGroup var threshold: ThresholdOptions
    @OptionGroup var photoOptions: PhotoOptions
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1000).contains(top) else {
            throw ValidationError("--top must be 1 to 1000, not \(top)")
        }
    }

    func run() async throws {
        let faces = try LocalFaces(engine, photos: photoOptions)
        let listing = try faces.store.list()
        for record in listing.damaged { Terminal.warn("mien: skipped: \(record)") }
        let usable = listing.faces.filter { $0.template.packID == faces.engine.packID }
        if usable.count < listing.faces.count {
            Terminal.warn(
                "mien: skipped: \(listing.faces.count - usable.count) enrolled with another model pack than \(faces.engine.packID.text)"
            )
        }
        let capture = try await faces.capture(photo, minQuality: threshold.quality)
        var gallery = Gallery<FaceID>(matcher: faces.matcher)
        var names: [FaceID: PersonName] = [:]
        for person in usable {
            gallery.insert(try faces.matcher.reference(for: person.template), id: person.id)
            names[person.id] = person.name
        }
        let candidates = gallery.identify(
            try faces.matcher.reference(for: capture.description.descriptor), limit: top)
        let found = candidates.map { candidate in
            Finding.Candidate(
                name: names[candidate.id]?.text ?? "?",
                match: threshold.isReached(by: candidate.score),
                result: ScoreOutput(candidate.score))
        }
        let answer = PhotoAnswer(
            match: found.first?.match ?? false, capture: capture, threshold: threshold,
            finding: Finding(
                searched: usable.count,
                search: candidates.first.map { SearchOutput($0.score, people: usable.count) },
                candidates: found))
        try answer.give(output, words: Self.words(answer))
    }

    private static func words(_ answer: PhotoAnswer<Finding>) -> [String] {
        let (photo, finding) = (answer.capture.path, answer.finding)
        let sentence =
            if answer.match, let best = finding.candidates.first {
                "\(photo) shows \(best.name.inSentence)."
            } else {
                finding.searched == 1
                    ? "\(photo) does not show the one enrolled person."
                    : "\(photo) shows none of the \(finding.searched.grouped) enrolled people."
            }
        let rows = finding.candidates.map {
            [
                "  " + $0.name, String.decimal($0.result.score), $0.result.inWords,
                $0.match ? "match" : "no match",
            ]
        }
        let table = rows.isEmpty ? [] : [Terminal.table(rows, rightAligned: [1])]
        return [sentence] + table + (finding.search.map { ["  " + $0.sentence] } ?? [])
    }

    private struct Finding: Encodable {
        struct Candidate: Encodable {
            let name: String
            let match: Bool
            let result: ScoreOutput
        }
        let searched: Int
        let search: SearchOutput?
        let candidates: [Candidate]
    }
}
