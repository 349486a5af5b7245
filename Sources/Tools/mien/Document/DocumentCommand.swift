import ArgumentParser

/// `mien document …`
struct DocumentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "document",
        abstract: "Read, check, and compare photos of identity documents.",
        discussion: """
            EXAMPLE
              mien document read passport.jpg
            """,
        subcommands: [ReadDocumentCommand.self, CompareDocumentCommand.self])
}
