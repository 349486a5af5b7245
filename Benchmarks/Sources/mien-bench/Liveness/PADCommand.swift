import ArgumentParser
import Foundation
import MienCore
import MienFace
import MienModels
import MienTools

/// A part of the people from whose photos attacks are made. Limits and cues are chosen on one, and
/// the published report is of the other.
enum PADPart: String, CaseIterable, ExpressibleByArgument {
    case development, final

    /// How many photos of ``PersonPhotos`` come before the part.
    var firstPhoto: Int { self == .development ? 0 : 1000 }

    var words: String {
        switch self {
        case .development:
            "The people are those on whose photos limits and cues are chosen (`--part development`)."
        case .final:
            "No limit or cue was chosen on photos of these people (`--part final`)."
        }
    }
}

/// `mien-bench liveness pad`
struct PADCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pad",
        abstract: "Play attacks and clips for a report, and print one line of JSON per trial.",
        discussion: """
            A pack with a presentation-attack network is measured with the check required. The same \
            numbers draw the same challenges. Measure people in several runs, if you like: the report \
            reads any number of files. Progress goes to the standard error.

            EXAMPLE
              mien-bench liveness pad --photos photos --people 5 --pack mien-default-2 > a.jsonl
              mien-bench liveness pad --photos photos --people 5 --first 200 > b.jsonl
              mien-bench liveness pad --clips clips > c.jsonl
              mien-bench liveness pad-report a.jsonl b.jsonl c.jsonl > report.md
            """)

    @Option(
        help: ArgumentHelp("A folder with one folder of photos per person.", valueName: "folder"))
    var photos: String?
    @Option(help: ArgumentHelp("The folder of clips, intel-sample-videos.", valueName: "folder"))
    var clips: String?
    @Option(help: ArgumentHelp("How many people to attack with.", valueName: "n")) var people = 10
    @Option(
        help: ArgumentHelp("How many photos of the part to leave out.", valueName: "n"))
    var first = 0
    @Option(
        help: ArgumentHelp(
            "The people to use: those on whose photos limits are chosen, or others.",
            valueName: "development|final"))
    var part = PADPart.development
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard photos != nil || clips != nil else {
            throw ValidationError("name --photos, --clips, or both")
        }
        guard (1...1000).contains(people), (0..<1000).contains(first) else {
            throw ValidationError("--people must be 1 to 1000, and --first 0 to 999")
        }
    }

    func run() async throws {
        let folder = try photos.map { try PersonPhotos(folder: $0) },
            clips = try clips.map { try Clips(existing: $0) }
        let pack = try engine.loadPack().id.text
        var trials = try LivenessCommand.trials(engine, photos: folder ?? PersonPhotos(files: []))
        let presentation = trials.presentation.rawValue, encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        trials.output = .standardError
        trials.onTrial = { person, kind, session in
            let trial = PADTrial(
                pack: pack, presentation: presentation, person: person, kind: kind,
                session: session)
            guard let line = try? encoder.encode(trial) else { return }
            FileHandle.standardOutput.write(line + Data("\n".utf8))
        }
        if folder != nil {
            try await trials.attacks(people: people, skipping: part.firstPhoto + first)
        }
        if let clips {
            try await trials.fitted(clips)
            try await trials.heldOut(clips)
        }
    }
}

/// `mien-bench liveness pad-report`
struct PADReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pad-report",
        abstract: "Write a report in the structure of ISO/IEC 30107-3, in Markdown.",
        discussion: """
            EXAMPLE
              mien-bench liveness pad-report trials.jsonl --part final > docs/measurements/pad-report.md
            """)

    @Argument(help: ArgumentHelp("Files that mien-bench liveness pad has printed."))
    var trials: [String]
    @Option(
        help: ArgumentHelp(
            "The part of the people that was measured.", valueName: "development|final"))
    var part = PADPart.final

    func run() throws {
        print(PADReport(try PADTrial.read(trials), part: part).text)
    }
}
