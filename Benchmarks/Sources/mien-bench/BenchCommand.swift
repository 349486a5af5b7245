import ArgumentParser
import Foundation
import MienTools

/// The executable: reads arguments, measures, and prints figures next to their budgets.
@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mien-bench",
        abstract: "Measure Mien on this machine.",
        discussion: """
            Prints every figure next to its budget. make bench builds this program and mien, and runs \
            all measurements except those of the liveness checks, which need photos and clips of people.

            EXAMPLE
              make bench
              mien-bench pipeline
              mien-bench server --seconds 30

            EXIT CODES
              0 done    2 bad input    3 not set up
            """,
        version: "mien-bench 0.1.0",
        subcommands: [
            PipelineCommand.self, AccuracyCommand.self, StrengthCommand.self, LiveCommand.self,
            ServerCommand.self, ServersCommand.self,
            CapturesCommand.self, DocumentsCommand.self, ZonesCommand.self, PortraitsCommand.self,
            VerificationsCommand.self, IdentityCommand.self, MatchingCommand.self,
            PortalCommand.self,
            GalleryCommand.self,
            LivenessCommand.self, BareRouteCommand.self,
        ])

    static func main() { runToEnd() }
}
