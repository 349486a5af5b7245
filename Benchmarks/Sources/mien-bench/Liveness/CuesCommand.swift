import ArgumentParser
import MienTools

/// `mien-bench liveness cues`
struct CuesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cues",
        abstract: "Print quantiles of the print and screen cues for each kind of picture.",
        discussion: """
            EXAMPLE
              mien-bench liveness cues photos 200
              mien-bench liveness cues photos 200 clips print1.jpg print2.jpg
            """)

    @Argument(help: ArgumentHelp("A folder with one folder of photos per person."))
    var photos: String
    @Argument(help: ArgumentHelp("How many photos to read."))
    var count: Int
    @Argument(help: ArgumentHelp("The folder of clips, intel-sample-videos."))
    var clips: String?
    @Argument(help: ArgumentHelp("Other pictures."))
    var pictures: [String] = []
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard count > 0 else {
            throw ValidationError("COUNT must be greater than 0, not \(count)")
        }
    }

    func run() async throws {
        let clips = try clips.map { try Clips(existing: $0) }
        try await LivenessCommand.trials(engine, photos: PersonPhotos(folder: photos)).cues(
            photos: count, clips: clips, pictures: pictures)
    }
}
