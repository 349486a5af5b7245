import ArgumentParser
import MienAPI
import MienClient
import MienCore
import MienJourney
import MienTools

/// `mien journey import FILE…`
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Save journeys on a server, as drafts or published.",
        discussion: """
            ID and version come from the file. All files are read before the first is sent. A journey \
            with errors is refused. An existing draft is replaced; a published version is not.

            EXAMPLE
              mien journey import face-login.json --publish
            """)

    @Argument(help: ArgumentHelp("Definitions of journeys.", valueName: "file")) var files: [String]
    @Flag(help: "Publish each: apps start the newest published version.") var publish = false
    @OptionGroup var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let sources = try files.map { (file: $0, source: try JourneyFile.source($0)) }
        let admin = try server.admin()
        var saved: [JourneyVersionAnswer] = []
        for (file, source) in sources {
            let journey = source.journey
            do {
                var answer = try await admin.putJourney(
                    journey.id, version: journey.version, definition: source.bytes)
                if publish {
                    answer = try await admin.publishJourney(journey.id, version: journey.version)
                }
                saved.append(answer)
                if !output.json { print("\(file): \(JourneyVersions.words(answer)).") }
            } catch let error as MienError { throw Failure(error, about: file) }
        }
        if output.json { JSON.print(["journeys": saved]) }
    }
}
