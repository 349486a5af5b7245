import ArgumentParser
import MienCommandSupport
import MienCore
import MienJourney

/// `mien journey schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of journeys, for editors.",
        discussion: """
            The output is JSON with and without --json.

            EXAMPLE
              mien journey schema > journey.schema.json
            """)

    @OptionGroup var output: OutputOptions

    func run() { print(JSONText.write(JourneySchema.json, pretty: true)) }
}
