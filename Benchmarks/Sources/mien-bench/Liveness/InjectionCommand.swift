import ArgumentParser
import Foundation
import MienFace
import MienMedia
import MienModels
import MienTesting
import MienTools

/// `mien-bench liveness injection`
struct InjectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "injection",
        abstract:
            "Measure cues of injected frames: genuine clips, the same replayed, and animated photos.",
        discussion: """
            Replayed clips have four fifths of the size, JPEG of quality 70, and a clock of their own. \
            For each cue, the limit with the fewest errors is chosen on every second clip and person; \
            the counts are of the others.

            EXAMPLE
              mien-bench liveness injection photos clips --people 20
            """)

    @Argument(help: ArgumentHelp("A folder with one folder of photos per person."))
    var photos: String
    @Argument(help: ArgumentHelp("The folder of clips, intel-sample-videos."))
    var clips: String
    @Option(help: ArgumentHelp("How many people's photos to animate.", valueName: "n"))
    var people = 20
    @Flag(help: "Also print the values of each clip and photo.") var values = false
    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1000).contains(people) else {
            throw ValidationError("--people must be 1 to 1000, not \(people)")
        }
    }

    func run() async throws {
        let clips = try Clips(existing: clips), photos = try PersonPhotos(folder: photos)
        let trials = PresentationTrials(engine: try engine.loadEngine(engine.loadPack()), every: 1)
        var comparison = CueComparison()
        for name in [Clips.woman, Clips.man, Clips.couple]
            + (Clips.signs + Clips.otherSigns).map(Clips.sign)
        {
            let (frames, times) = try await clips.timedFrames(name)
            comparison.genuine.append(
                try await InjectionCues(of: frames, at: times, read: trials.engine))
            let replayed = try frames.map { frame in
                let small = frame.resized(
                    width: frame.width * 4 / 5, height: frame.height * 4 / 5)
                return try ImageDecoder.decode(JPEGEncoder.encode(small, quality: 70))
            }
            comparison.replayed.append(
                try await InjectionCues(
                    of: replayed, at: frames.indices.map { .milliseconds(80 * $0) },
                    read: trials.engine))
        }
        var number = 0
        while comparison.animated.count < people, number < photos.files.count {
            let photo = try photos.photo(number)
            number += 1
            guard var head = try await trials.head(photo, seed: UInt64(number)) else { continue }
            let frames = (0..<30).map { index in
                head.image(
                    asked: index < 6 ? .keepStill : .turnLeft, at: Double(index) / 12)
            }
            comparison.animated.append(
                try await InjectionCues(
                    of: frames, at: frames.indices.map { .seconds(Double($0) / 12) },
                    read: trials.engine))
        }
        let rows = comparison.rows
        if output.json { JSON.print(rows) } else { print(Self.text(rows)) }
        if values {
            for (kind, all) in comparison.kinds {
                for cues in all {
                    let cells = InjectionCues.Cue.allCases.map {
                        cues.values[$0].map { String.decimal($0, 3) } ?? "–"
                    }
                    print("\(kind.rawValue) | \(cells.joined(separator: " | "))")
                }
            }
        }
    }

    private static func text(_ rows: [CueComparison.Row]) -> String {
        Terminal.table(
            rows.map { row in
                [
                    row.cue.rawValue, row.attack.rawValue,
                    row.genuineRange.map { String.decimal($0, 3) }.joined(separator: "…"),
                    row.attackRange.map { String.decimal($0, 3) }.joined(separator: "…"),
                    (row.isGenuineAbove ? "> " : "< ") + String.decimal(row.limit, 3),
                    "\(row.genuineWrong) of \(row.genuine)",
                    "\(row.attacksAccepted) of \(row.attacks)",
                ]
            },
            heading: [
                "cue", "attack", "genuine", "attacks", "genuine if", "genuine wrong", "accepted",
            ])
    }
}

/// Cues of genuine clips beside those of attacks.
struct CueComparison {
    enum Kind: String, Encodable { case genuine, replayed, animated }

    struct Row: Encodable {
        var cue: InjectionCues.Cue
        var attack: Kind
        /// The smallest and the largest of all.
        var genuineRange, attackRange: [Double]
        /// Chosen on every second one.
        var limit: Double
        var isGenuineAbove: Bool
        /// The counts of the other half.
        var genuine, genuineWrong, attacks, attacksAccepted: Int
    }

    var genuine: [InjectionCues] = []
    var replayed: [InjectionCues] = []
    var animated: [InjectionCues] = []

    var kinds: [(Kind, [InjectionCues])] {
        [(.genuine, genuine), (.replayed, replayed), (.animated, animated)]
    }

    var rows: [Row] {
        InjectionCues.Cue.allCases.flatMap { cue in
            kinds.dropFirst().compactMap { Self.row(cue, genuine, $0.1, $0.0) }
        }
    }

    private static func row(
        _ cue: InjectionCues.Cue, _ genuine: [InjectionCues], _ attacks: [InjectionCues],
        _ attack: Kind
    ) -> Row? {
        func half(_ all: [InjectionCues], _ part: Int) -> [Double] {
            all.enumerated().filter { $0.offset % 2 == part }.compactMap { $0.element.values[cue] }
        }
        let fitted = (half(genuine, 0), half(attacks, 0))
        let candidates = Set(fitted.0 + fitted.1).sorted()
        guard !fitted.0.isEmpty, !fitted.1.isEmpty else { return nil }
        var best = (errors: Double.infinity, limit: 0.0, isAbove: true)
        for (low, high) in zip(candidates, candidates.dropFirst()) {
            let limit = (low + high) / 2
            for isAbove in [true, false] {
                // As shares, because there are more of one kind than of the other.
                let wrong =
                    Double(fitted.0.count { ($0 > limit) != isAbove }) / Double(fitted.0.count)
                let accepted =
                    Double(fitted.1.count { ($0 > limit) == isAbove }) / Double(fitted.1.count)
                if wrong + accepted < best.errors { best = (wrong + accepted, limit, isAbove) }
            }
        }
        let (others, tried) = (half(genuine, 1), half(attacks, 1))
        let all = (fitted.0 + others, fitted.1 + tried)
        return Row(
            cue: cue, attack: attack, genuineRange: [all.0.min()!, all.0.max()!],
            attackRange: [all.1.min()!, all.1.max()!], limit: best.limit,
            isGenuineAbove: best.isAbove, genuine: others.count,
            genuineWrong: others.count { ($0 > best.limit) != best.isAbove },
            attacks: tried.count,
            attacksAccepted: tried.count { ($0 > best.limit) == best.isAbove })
    }
}
