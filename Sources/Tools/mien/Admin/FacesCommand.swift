import ArgumentParser
import MienAPI
import MienClient
import MienTools

/// `mien admin faces …`
struct FacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faces",
        abstract:
            "Show which model packs people are enrolled with, and review faces that look alike.",
        discussion: """
            EXAMPLE
              mien admin faces migration
              mien admin faces duplicates list
            """,
        subcommands: [Migration.self, DuplicatesCommand.self])

    struct Migration: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "migration",
            abstract: "Show how many people remain to be migrated to the model pack in use.",
            discussion: """
                People are migrated when they sign in with a live capture. Until nobody remains, keep \
                the other packs installed.

                EXAMPLE
                  mien admin faces migration --json
                """)

        @OptionGroup var server: ServerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let status = try await server.admin().faceMigration()
            guard !output.json else { return JSON.print(status) }
            print(
                status.remaining == 0
                    ? "Nobody remains: every face was enrolled with \(status.pack) or migrated to it."
                    : "\(status.remaining.grouped) \(status.remaining == 1 ? "person remains" : "people remain") to be migrated to \(status.pack)."
            )
            let rows = status.packs.map {
                [
                    $0.pack, $0.faces.grouped, $0.people.grouped,
                    $0.pack == status.pack ? "in use" : $0.isLoaded ? "loaded" : "missing",
                ]
            }
            if !rows.isEmpty {
                print(
                    Terminal.table(
                        rows, heading: ["model pack", "faces", "people", ""],
                        rightAligned: [1, 2]))
            }
            if status.formerTemplates > 0 {
                print("Replaced templates kept for 30 days: \(status.formerTemplates.grouped)")
            }
        }
    }
}
