import ArgumentParser
import Foundation
import MienCommandSupport
import MienFace
import MienModels
import MienPixels
import MienTesting

/// `mien-bench liveness injection`
struct InjectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "injection",
        abstract:
            "Print cues of injected frames: genuine clips, and photos animated by their depth.",
        discussion: """
            Columns: change of shading from the front to a turn; correlation of frame differences \
            outside the face; mean difference outside the face.

            EXAMPLE
              mien-bench liveness injection photos clips --people 20
            """)

    @Argument(help: ArgumentHelp("A folder with one folder of photos per person."))
    var photos: String
    @Argument(help: ArgumentHelp("The folder of clips, intel-sample-videos."))
    var clips: String
    @Option(help: ArgumentHelp("How many people's photos to animate.", valueName: "n"))
    var people = 20
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard (1...1000).contains(people) else {
            throw ValidationError("--people must be 1 to 1000, not \(people)")
        }
    }

    func run() async throws {
        let clips = try Clips(existing: clips), photos = try PersonPhotos(folder: photos)
        let trials = PresentationTrials(engine: try engine.loadEngine(engine.loadPack()), every: 1)
        func tell(_ name: String, _ frames: [RGBImage]) async throws {
            let cues = try await InjectionCues(of: frames, read: trials.engine)
            let cells = [cues.shading, cues.noise, cues.flicker].map {
                $0.map { String.decimal($0, 3) } ?? "–"
            }
            print("\(name) | \(cells.joined(separator: " | "))")
        }
        for name in [Clips.woman, Clips.man, Clips.couple]
            + (Clips.signs + Clips.otherSigns).map(Clips.sign)
        {
            try await tell("genuine \(name)", try await clips.frames(name))
        }
        var number = 0, used = 0
        while used < people, number < photos.files.count {
            let photo = try photos.photo(number)
            number += 1
            guard var head = try await trials.head(photo, seed: UInt64(number)) else { continue }
            used += 1
            let frames = (0..<30).map { index in
                head.image(
                    asked: index < 6 ? .keepStill : .turnLeft, at: Double(index) / 12)
            }
            try await tell("animated photo", frames)
        }
    }
}
