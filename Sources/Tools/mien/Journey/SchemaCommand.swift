import ArgumentParser
import MienCore
import MienJourney
import MienTools

/// `mien journey schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of journeys, for editors.",
        discussion: """
            The output is JSON with and without --json.

            EXAMPLE
              mien journey schema > journey.schema.json
              mien journey schema --step selfie_acquisition
            """)

    @Option(
        help: ArgumentHelp(
            "Print the schema of this step type's settings, complete by itself.",
            valueName: "type"))
    var step: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let step, StepType(rawValue: step) == nil else { return }
        throw ValidationError(
            "--step: unknown step type “\(step.printable)”; the types are \(StepType.allCases.map(\.rawValue).joined(separator: ", "))"
        )
    }

    func run() {
        let schema =
            step.flatMap { StepType(rawValue: $0) }.map { JourneySchema.settings(of: $0) }
            ?? JourneySchema.json
        print(JSONText.write(schema, pretty: true))
    }
}
