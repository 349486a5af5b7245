import ArgumentParser
import MienAPI
import MienClient
import MienTools

/// `mien admin verification purge`
struct VerificationPurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Erase data and pictures whose retention has ended.",
        discussion: """
            The server does the same each minute; results and hashes of the pictures remain. Records \
            of sessions are deleted after identity.result_retention_days.

            EXAMPLE
              mien admin verification purge --dry-run
            """)

    @Flag(help: "Only count what would be erased.") var dryRun = false
    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let purged = try await server.admin().purgeVerifications(dryRun: dryRun)
        guard !output.json else { return JSON.print(purged) }
        print(
            "\(dryRun ? "Would erase" : "Erased") the data and pictures of \(purged.attempts) \(purged.attempts == 1 ? "attempt" : "attempts") and \(purged.sessions) \(purged.sessions == 1 ? "session" : "sessions"), and \(dryRun ? "delete" : "deleted") \(purged.records) \(purged.records == 1 ? "record" : "records") of sessions."
        )
    }
}
