import ArgumentParser
import MienTools

/// `mien-bench liveness replays`
struct ReplaysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replays", abstract: "Measure how reliably streams are recognized.",
        discussion: """
            EXAMPLE
              mien-bench liveness replays clips
            """)

    @OptionGroup var source: LivenessCommand.ClipsArgument
    @OptionGroup var engine: EngineOptions

    func run() async throws {
        let clips = try source.clips()
        try await LivenessCommand.trials(engine).replays(clips)
    }
}
