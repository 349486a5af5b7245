import ArgumentParser

/// `mien journey …`
struct JourneyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journey",
        abstract:
            "Check, draw, and test journeys (sign-up, sign-in, and recovery as data), and manage those of a server.",
        discussion: """
            EXAMPLE
              mien journey lint face-login.json
              mien journey test face-login.test.json
              mien journey import face-login.json --publish
            """,
        subcommands: [
            LintCommand.self, ShowCommand.self, TestCommand.self, VariablesCommand.self,
            CodegenCommand.self, SchemaCommand.self,
            ImportCommand.self, ExportCommand.self,
            JourneyVersions.Publish.self, JourneyVersions.Retire.self, JourneyVersions.List.self,
        ])
}
