import ArgumentParser
import MienTools

/// `mien-bench liveness genuine`
struct GenuineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "genuine",
        abstract: "Play clips of people: those that were used to set the limits, and others.",
        discussion: """
            EXAMPLE
              mien-bench liveness genuine clips
            """)

    @OptionGroup var source: LivenessCommand.ClipsArgument
    @OptionGroup var engine: EngineOptions

    func run() async throws {
        let clips = try source.clips()
        var trials = try LivenessCommand.trials(engine)
        try await trials.fitted(clips)
        try await trials.heldOut(clips)
        trials.printTable()
    }
}
