import ArgumentParser
import MienCore
import MienFace
import MienModels
import MienTools

/// `mien-bench liveness`
struct LivenessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "liveness",
        abstract:
            "Play attacks and genuine behavior to the liveness checks and count the verdicts.",
        discussion: """
            Requires the presentation check if the pack has its network. Prints one line per trial and a \
            table at the end, but no pictures, descriptors, or names.

            EXAMPLE
              mien-bench liveness attacks photos 30
              mien-bench liveness genuine clips
            """,
        subcommands: [
            AttacksCommand.self, GenuineCommand.self, ReplaysCommand.self, CuesCommand.self,
            PresentationCommand.self, PADCommand.self, PADReportCommand.self,
            InjectionCommand.self, LiveEnrollmentCommand.self,
            EnrollmentRatesCommand.self,
        ])

    /// The folder of clips.
    struct ClipsArgument: ParsableArguments {
        @Argument(
            help: ArgumentHelp(
                "The folder of clips, intel-sample-videos.", valueName: "clips"))
        var folder: String

        func clips() throws -> Clips { try Clips(existing: folder) }
    }

    /// Prepares trials with the networks of the chosen pack.
    static func trials(_ options: EngineOptions, photos: PersonPhotos = PersonPhotos(files: []))
        throws -> LivenessTrials
    {
        let pack = try options.loadPack()
        let hasNetwork = pack.manifest.file(of: .presentationAttack) != nil
        return LivenessTrials(
            engine: try options.loadEngine(pack, looksForAttacks: hasNetwork), photos: photos,
            presentation: hasNetwork ? .require : .off)
    }
}
